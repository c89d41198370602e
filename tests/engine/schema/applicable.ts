import { forDirection, excludedNames, type Schemas } from '../document/direction';
import { requiredNames } from '../document/document';
import { type JsonObject, asArray, asObject } from '../json/json';
import { nodeAt, escapeToken, pointerOf } from '../json/pointer';
import { fromJson, type Value } from '../json/value';
import type { Oracle } from './oracle';

/** One schema object that speaks about an instance location, with references and combinations already opened. */
export interface Subschema {
  readonly pointer: string;
  readonly schema: JsonObject;
  /** Whether the value must fit it whatever else holds: reached by `$ref`, `allOf` and members only. */
  readonly unconditional: boolean;
}

/** Where schemas that speak about one instance location begin. */
export type SchemaLocations = readonly { readonly pointer: string; readonly unconditional: boolean }[];

/** Which branches of a disjunction apply. `branches` are pointers. */
type ChooseBranches = (keyword: 'anyOf' | 'oneOf' | 'if', branches: string[]) => string[];

/** Every schema object that applies at a location, given the branches that apply. */
function collectSubschemas(schemas: Schemas, location: SchemaLocations, decide: ChooseBranches): Subschema[] {
  const subschemas: Subschema[] = [];
  const open = (pointer: string, unconditional: boolean): void => {
    if (subschemas.some((subschema) => subschema.pointer === pointer)) return;
    const node = nodeAt(schemas.json, pointer);
    const schema: JsonObject = node === false ? { not: {} } : asObject(node);
    subschemas.push({ pointer, schema, unconditional });
    if (typeof schema['$ref'] === 'string') open(pointerOf(schema['$ref']), unconditional);
    for (const index of asArray(schema['allOf']).keys()) open(`${pointer}/allOf/${index}`, unconditional);
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const branches = [...asArray(schema[keyword]).keys()].map((index) => `${pointer}/${keyword}/${index}`);
      if (branches.length > 0) for (const branch of decide(keyword, branches)) open(branch, false);
    }
    if (schema['if'] !== undefined) {
      for (const branch of decide('if', [`${pointer}/if`, `${pointer}/else`])) {
        if (branch.endsWith('/if')) open(branch, false);
        const consequence = branch.endsWith('/if') ? 'then' : 'else';
        if (schema[consequence] !== undefined) open(`${pointer}/${consequence}`, false);
      }
    }
  };
  for (const { pointer, unconditional } of location) open(pointer, unconditional);
  const absent = subschemas.flatMap(({ schema, unconditional }) =>
    unconditional ? excludedNames(schemas, schema) : [],
  );
  return subschemas.map((subschema) => ({
    ...subschema,
    schema: forDirection(schemas, subschema.schema, absent),
  }));
}

/** Most combinations of branches tried at one location. */
const MAX_COMBINATIONS = 24;

/** The subschemas of a location, once for each combination of branches. */
export function branchCombinations(schemas: Schemas, location: SchemaLocations): Subschema[][] {
  const found: Subschema[][] = [];
  for (let number = 0; number < MAX_COMBINATIONS; number++) {
    let rest = number;
    const subschemas = collectSubschemas(schemas, location, (_, branches) => {
      const chosen = branches[rest % branches.length];
      rest = Math.floor(rest / branches.length);
      return chosen === undefined ? [] : [chosen];
    });
    if (rest > 0) break; // every combination has been seen
    found.push(subschemas);
  }
  return found;
}

/** The subschemas that apply to this very value. */
export const applicableSubschemas = (
  schemas: Schemas,
  oracle: Oracle,
  location: SchemaLocations,
  value: Value,
): Subschema[] =>
  collectSubschemas(schemas, location, (keyword, branches) => {
    if (keyword !== 'if') return branches.filter((branch) => oracle.valid(branch, value));
    const [condition = '', otherwise = ''] = branches;
    return [oracle.valid(condition, value) ? condition : otherwise];
  });

/** What speaks about a property of an object that the subschemas describe. */
export function propertyLocations(subschemas: readonly Subschema[], name: string): SchemaLocations {
  const listed = subschemas.flatMap(({ pointer, schema, unconditional }) => {
    const patterns = Object.keys(asObject(schema['patternProperties'])).filter((pattern) =>
      new RegExp(pattern, 'u').test(name),
    );
    const own = Object.hasOwn(asObject(schema['properties']), name);
    const places = [
      ...(own ? [`properties/${escapeToken(name)}`] : []),
      ...patterns.map((pattern) => `patternProperties/${escapeToken(pattern)}`),
    ];
    if (places.length === 0 && schema['additionalProperties'] !== undefined) {
      places.push('additionalProperties');
    }
    return places.map((place) => ({ pointer: `${pointer}/${place}`, unconditional }));
  });
  return listed.length > 0 ? listed : keywordLocations(subschemas, 'unevaluatedProperties');
}

/** What speaks about an item of an array that the subschemas describe. */
export function itemLocations(subschemas: readonly Subschema[], index: number): SchemaLocations {
  const listed = subschemas.flatMap(({ pointer, schema, unconditional }) => {
    const place = index < asArray(schema['prefixItems']).length ? `prefixItems/${index}` : 'items';
    return place !== 'items' || schema['items'] !== undefined
      ? [{ pointer: `${pointer}/${place}`, unconditional }]
      : [];
  });
  return listed.length > 0 ? listed : keywordLocations(subschemas, 'unevaluatedItems');
}

/** The schemas under a keyword, of those subschemas that have it. */
export const keywordLocations = (subschemas: readonly Subschema[], keyword: string): SchemaLocations =>
  subschemas
    .filter(({ schema }) => schema[keyword] !== undefined)
    .map(({ pointer, unconditional }) => ({ pointer: `${pointer}/${keyword}`, unconditional }));

/** The names that the subschemas list for members that there may be, and those of them that are required. */
export function propertyNames(subschemas: readonly Subschema[]): { listed: string[]; required: string[] } {
  const properties = subschemas.flatMap(({ schema }) => Object.entries(asObject(schema['properties'])));
  const never = properties.flatMap(([name, property]) => (property === false ? [name] : []));
  const possible = (names: string[]): string[] => [...new Set(names.filter((name) => !never.includes(name)))];
  const required = possible(subschemas.flatMap(({ schema }) => requiredNames(schema)));
  return { listed: possible([...required, ...properties.map(([name]) => name)]), required };
}

export const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const;
export type Type = (typeof TYPES)[number];

const IMPLIED_TYPES: Readonly<Record<string, Type>> = {
  properties: 'object',
  required: 'object',
  patternProperties: 'object',
  additionalProperties: 'object',
  items: 'array',
  prefixItems: 'array',
  contains: 'array',
  minimum: 'number',
  maximum: 'number',
  multipleOf: 'number',
};

/** The types that every subschema admits; where none says, the one that its other keywords are about. */
export function admittedTypes(subschemas: readonly Subschema[]): Type[] {
  const named = subschemas.filter(({ schema }) => schema['type'] !== undefined);
  const admits = (schema: JsonObject, type: Type): boolean => {
    const admitted = [schema['type']].flat();
    return admitted.includes(type) || (type === 'integer' && admitted.includes('number'));
  };
  if (named.length > 0) {
    const common = TYPES.filter((type) => named.every(({ schema }) => admits(schema, type)));
    return common.includes('number') ? common.filter((type) => type !== 'integer') : common;
  }
  const hint = subschemas
    .flatMap(({ schema }) => Object.keys(schema))
    .find((keyword) => keyword in IMPLIED_TYPES);
  return [(hint === undefined ? undefined : IMPLIED_TYPES[hint]) ?? 'string'];
}

/** The values that `const` and `enum` leave, or undefined where they say nothing. */
export function enumeratedValues(subschemas: readonly Subschema[]): Value[] | undefined {
  const lists = subschemas.flatMap(({ schema }) => [
    ...(schema['const'] === undefined ? [] : [[schema['const']]]),
    ...(schema['enum'] === undefined ? [] : [asArray(schema['enum'])]),
  ]);
  return lists[0]?.map(fromJson);
}

/** Whether the object's listed properties are all it may carry on the way out: the document opens it nowhere. */
export const isClosed = (subschemas: readonly Subschema[]): boolean =>
  subschemas.some(({ schema }) => Object.keys(asObject(schema['properties'])).length > 0) &&
  subschemas.every(
    ({ schema }) =>
      Object.keys(asObject(schema['patternProperties'])).length === 0 &&
      (schema['additionalProperties'] === undefined || schema['additionalProperties'] === false) &&
      (schema['unevaluatedProperties'] === undefined || schema['unevaluatedProperties'] === false),
  );
