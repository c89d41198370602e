import { conjuncts, forDirection, excludedNames, type Schemas } from '../document/direction';
import { requiredNames } from '../document/model';
import { type JsonObject, asArray, asObject, nodeAt, objectAt, escapeToken, pointerOf } from '../json/tree';
import { fromJson, type Value } from '../json/value';
import { Memo } from '../memo';
import type { Oracle } from './oracle';
import { regExpOf } from './strings';

/** A schema object that applies to an instance location; the walk has already followed its references and branches. */
export interface Subschema {
  readonly pointer: string;
  readonly schema: JsonObject;
  /** Whether it applies to every value: the walk reached it without a branch (`anyOf`, `oneOf`, `if`). */
  readonly unconditional: boolean;
}

/** The schemas from which the walk over one instance location starts. */
export type SchemaLocations = readonly { readonly pointer: string; readonly unconditional: boolean }[];

/** The location of every value of a schema. */
export const anyValueOf = (pointer: string): SchemaLocations => [{ pointer, unconditional: true }];

/** Selects the branches that apply. `branches` are pointers. */
type ChooseBranches = (keyword: 'anyOf' | 'oneOf' | 'if', branches: string[]) => string[];

/** A schema object as the walk reads it, before the direction. */
interface SchemaNode {
  /** Unique among all documents. */
  readonly id: number;
  readonly pointer: string;
  readonly schema: JsonObject;
  /** Pointers to the schemas of `$ref` and `allOf`. */
  readonly conjuncts: readonly string[];
  /** Pointers to the schemas of `anyOf` and `oneOf`. */
  readonly branches: readonly (readonly [keyword: 'anyOf' | 'oneOf', pointers: string[]])[];
}

let nodeCount = 0;
const nodes = new Memo<Schemas, SchemaNode>();
const resolved = new Memo<Schemas, Subschema[]>();

const nodeOf = (schemas: Schemas, pointer: string): SchemaNode =>
  nodes.get(schemas, pointer, () => {
    const node = nodeAt(schemas.json, pointer);
    const schema: JsonObject = node === false ? { not: {} } : asObject(node);
    const members = (keyword: string): string[] =>
      [...asArray(schema[keyword]).keys()].map((index) => `${pointer}/${keyword}/${index}`);
    return {
      id: nodeCount++,
      pointer,
      schema,
      conjuncts: [
        ...(typeof schema['$ref'] === 'string' ? [pointerOf(schema['$ref'])] : []),
        ...members('allOf'),
      ],
      branches: (['anyOf', 'oneOf'] as const)
        .map((keyword) => [keyword, members(keyword)] as const)
        .filter(([, branches]) => branches.length > 0),
    };
  });

/** The schema objects that apply at a location, with the selected branches. Equal selections return the same array. */
function collectSubschemas(
  schemas: Schemas,
  locations: SchemaLocations,
  choose: ChooseBranches,
): Subschema[] {
  const opened = new Map<SchemaNode, boolean>();
  const open = (pointer: string, unconditional: boolean): void => {
    const node = nodeOf(schemas, pointer);
    if (opened.has(node)) return;
    opened.set(node, unconditional);
    const { schema, conjuncts, branches } = node;
    for (const conjunct of conjuncts) open(conjunct, unconditional);
    for (const [keyword, pointers] of branches)
      for (const branch of choose(keyword, pointers)) open(branch, false);
    if (schema['if'] !== undefined) {
      for (const branch of choose('if', [`${pointer}/if`, `${pointer}/else`])) {
        if (branch.endsWith('/if')) open(branch, false);
        const consequence = branch.endsWith('/if') ? 'then' : 'else';
        if (schema[consequence] !== undefined) open(`${pointer}/${consequence}`, false);
      }
    }
  };
  for (const { pointer, unconditional } of locations) open(pointer, unconditional);
  let key = '';
  for (const [{ id }, unconditional] of opened) key += `${id}${unconditional ? '!' : '?'}`;
  return resolved.get(schemas, key, () => {
    const subschemas = [...opened];
    const absent = subschemas.flatMap(([{ schema }, unconditional]) =>
      unconditional ? excludedNames(schemas, schema) : [],
    );
    return subschemas.map(([{ pointer, schema }, unconditional]) => ({
      pointer,
      schema: forDirection(schemas, schema, absent),
      unconditional,
    }));
  });
}

/** Bounds the work at a location with many branches, which multiplies at every depth. */
const MAX_COMBINATIONS = 24;
/** The combinations of one location alone. */
const MAX_BRANCHES = 200;

/** The subschemas of a location for each combination of branches. */
export const branchCombinations = (schemas: Schemas, locations: SchemaLocations): Subschema[][] =>
  combinations.get(schemas, locationsKey(schemas, locations), () =>
    findCombinations(schemas, locations, MAX_COMBINATIONS),
  );

/**
 * The combinations in which each branch of a location occurs, up to 200: those that {@link branchCombinations} lacks come last. Of
 * more, each branch of one list occurs with one of each other.
 */
export function branchesOf(schemas: Schemas, locations: SchemaLocations): Subschema[][] {
  const few = branchCombinations(schemas, locations);
  if (few.length < MAX_COMBINATIONS) return few;
  const all = findCombinations(schemas, locations, MAX_BRANCHES);
  if (all.length < MAX_BRANCHES) return all;
  const diagonal = Array.from({ length: MAX_BRANCHES }, (_, number) =>
    collectSubschemas(schemas, locations, (_keyword, branches) => {
      const chosen = branches[number % branches.length];
      return chosen === undefined ? [] : [chosen];
    }),
  );
  return [...all, ...diagonal];
}

const combinations = new Memo<Schemas, Subschema[][]>();

/** A text that is different for other locations. */
export const locationsKey = (schemas: Schemas, locations: SchemaLocations): string =>
  locations
    .map(({ pointer, unconditional }) => `${nodeOf(schemas, pointer).id}${unconditional ? '!' : '?'}`)
    .join('');

function findCombinations(schemas: Schemas, locations: SchemaLocations, most: number): Subschema[][] {
  const found: Subschema[][] = [];
  for (let number = 0; number < most; number++) {
    let rest = number;
    const subschemas = collectSubschemas(schemas, locations, (_, branches) => {
      const chosen = branches[rest % branches.length];
      rest = Math.floor(rest / branches.length);
      return chosen === undefined ? [] : [chosen];
    });
    if (rest > 0) break; // The number has more digits than there are branches: no combination is left.
    found.push(subschemas);
  }
  return found;
}

/** The subschemas that apply to a value: the oracle selects the branches. */
export const applicableSubschemas = (
  schemas: Schemas,
  oracle: Oracle,
  locations: SchemaLocations,
  value: Value,
): Subschema[] =>
  collectSubschemas(schemas, locations, (keyword, branches) => {
    if (keyword !== 'if') return branches.filter((branch) => oracle.valid(branch, value));
    const [condition = '', otherwise = ''] = branches;
    return [oracle.valid(condition, value) ? condition : otherwise];
  });

/** The schemas of a property of an object. */
export function propertyLocations(subschemas: readonly Subschema[], name: string): SchemaLocations {
  const listed = subschemas.flatMap(({ pointer, schema, unconditional }) => {
    const patterns = Object.keys(asObject(schema['patternProperties'])).filter((pattern) =>
      regExpOf(pattern).test(name),
    );
    const own = Object.hasOwn(asObject(schema['properties']), name);
    const paths = [
      ...(own ? [`properties/${escapeToken(name)}`] : []),
      ...patterns.map((pattern) => `patternProperties/${escapeToken(pattern)}`),
    ];
    if (paths.length === 0 && schema['additionalProperties'] !== undefined) {
      paths.push('additionalProperties');
    }
    return paths.map((path) => ({ pointer: `${pointer}/${path}`, unconditional }));
  });
  return listed.length > 0 ? listed : keywordLocations(subschemas, 'unevaluatedProperties');
}

/** The schemas of an item of an array. */
export function itemLocations(subschemas: readonly Subschema[], index: number): SchemaLocations {
  const listed = subschemas.flatMap(({ pointer, schema, unconditional }) => {
    const path = index < asArray(schema['prefixItems']).length ? `prefixItems/${index}` : 'items';
    return path !== 'items' || schema['items'] !== undefined
      ? [{ pointer: `${pointer}/${path}`, unconditional }]
      : [];
  });
  return listed.length > 0 ? listed : keywordLocations(subschemas, 'unevaluatedItems');
}

/** The schemas that are the value of a keyword. */
export const keywordLocations = (subschemas: readonly Subschema[], keyword: string): SchemaLocations =>
  subschemas
    .filter(({ schema }) => schema[keyword] !== undefined)
    .map(({ pointer, unconditional }) => ({ pointer: `${pointer}/${keyword}`, unconditional }));

/** The properties that the subschemas list and allow, and those that they require. */
export function propertyNames(subschemas: readonly Subschema[]): { listed: string[]; required: string[] } {
  const properties = subschemas.flatMap(({ schema }) => Object.entries(asObject(schema['properties'])));
  const forbidden = properties.flatMap(([name, property]) => (property === false ? [name] : []));
  const allowed = (names: string[]): string[] => [
    ...new Set(names.filter((name) => !forbidden.includes(name))),
  ];
  const required = allowed(subschemas.flatMap(({ schema }) => requiredNames(schema)));
  return { listed: allowed([...required, ...properties.map(([name]) => name)]), required };
}

export const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const;
export type Type = (typeof TYPES)[number];

const IMPLIED_TYPES: ReadonlyMap<string, Type> = new Map([
  ['properties', 'object'],
  ['required', 'object'],
  ['patternProperties', 'object'],
  ['additionalProperties', 'object'],
  ['items', 'array'],
  ['prefixItems', 'array'],
  ['contains', 'array'],
  ['minimum', 'number'],
  ['maximum', 'number'],
  ['multipleOf', 'number'],
]);

/** Equal selections of subschemas are the same array, and are asked for with each value of a form. */
const admitted = new WeakMap<readonly Subschema[], readonly Type[]>();

/** The types that every subschema allows. Without `type`, the type that the other keywords apply to. */
export function admittedTypes(subschemas: readonly Subschema[]): readonly Type[] {
  let types = admitted.get(subschemas);
  if (!types) admitted.set(subschemas, (types = findAdmittedTypes(subschemas)));
  return types;
}

function findAdmittedTypes(subschemas: readonly Subschema[]): Type[] {
  const typed = subschemas.filter(({ schema }) => schema['type'] !== undefined);
  const allows = (schema: JsonObject, type: Type): boolean => {
    const types = [schema['type']].flat();
    return types.includes(type) || (type === 'integer' && types.includes('number'));
  };
  if (typed.length > 0) {
    const common = TYPES.filter((type) => typed.every(({ schema }) => allows(schema, type)));
    return common.includes('number') ? common.filter((type) => type !== 'integer') : common;
  }
  const keyword = subschemas
    .flatMap(({ schema }) => Object.keys(schema))
    .find((name) => IMPLIED_TYPES.has(name));
  const implied = keyword === undefined ? undefined : IMPLIED_TYPES.get(keyword);
  if (implied === undefined && subschemas.some(({ schema }) => schema['not'] !== undefined))
    return TYPES.filter((type) => type !== 'integer');
  return [implied ?? 'string'];
}

/** The values of the first `const` or `enum`, or undefined if there is neither. */
export function enumeratedValues(subschemas: readonly Subschema[]): Value[] | undefined {
  const lists = subschemas.flatMap(({ schema }) => [
    ...(schema['const'] === undefined ? [] : [[schema['const']]]),
    ...(schema['enum'] === undefined ? [] : [asArray(schema['enum'])]),
  ]);
  return lists[0]?.map(fromJson);
}

/** Whether an object carries listed properties only: a schema lists some, and none allows others. */
export const isClosed = (subschemas: readonly Subschema[]): boolean =>
  subschemas.some(({ schema }) => Object.keys(asObject(schema['properties'])).length > 0) &&
  subschemas.every(
    ({ schema }) =>
      Object.keys(asObject(schema['patternProperties'])).length === 0 &&
      (schema['additionalProperties'] === undefined || schema['additionalProperties'] === false) &&
      (schema['unevaluatedProperties'] === undefined || schema['unevaluatedProperties'] === false),
  );

/** The default of a location: its own, else that of a schema that it includes by `$ref` or `allOf`. */
export const defaultOf = (json: JsonObject, locations: SchemaLocations): Value | undefined =>
  locations
    .flatMap(({ pointer }) => conjuncts(json, objectAt(json, pointer)))
    .map((schema) => schema['default'])
    .filter((value) => value !== undefined)
    .map(fromJson)[0];
