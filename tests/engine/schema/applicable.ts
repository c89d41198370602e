import { directed, excluded, type Schemas } from '../document/direction';
import { requiredNames } from '../document/document';
import { type JsonObject, list, object } from '../json/json';
import { at, escape, target } from '../json/pointer';
import { fromJson, type Value } from '../json/value';
import type { Oracle } from './oracle';

/** One schema object that speaks about an instance location, with references and combinations already opened. */
export interface Fragment {
  readonly pointer: string;
  readonly schema: JsonObject;
  /** Whether the value must fit it whatever else holds: reached by `$ref`, `allOf` and members only. */
  readonly certain: boolean;
}

/** Where schemas that speak about one instance location begin. */
export type Location = readonly { readonly pointer: string; readonly certain: boolean }[];

/** Which branches of a disjunction apply. `branches` are pointers. */
type Decide = (keyword: 'anyOf' | 'oneOf' | 'if', branches: string[]) => string[];

/** Every schema object that applies at a location, given the branches that apply. */
function expand(schemas: Schemas, location: Location, decide: Decide): Fragment[] {
  const fragments: Fragment[] = [];
  const open = (pointer: string, certain: boolean): void => {
    if (fragments.some((fragment) => fragment.pointer === pointer)) return;
    const node = at(schemas.json, pointer);
    const schema: JsonObject = node === false ? { not: {} } : object(node);
    fragments.push({ pointer, schema, certain });
    if (typeof schema['$ref'] === 'string') open(target(schema['$ref']), certain);
    for (const index of list(schema['allOf']).keys()) open(`${pointer}/allOf/${index}`, certain);
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const branches = [...list(schema[keyword]).keys()].map((index) => `${pointer}/${keyword}/${index}`);
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
  for (const { pointer, certain } of location) open(pointer, certain);
  const absent = fragments.flatMap(({ schema, certain }) => (certain ? excluded(schemas, schema) : []));
  return fragments.map((fragment) => ({ ...fragment, schema: directed(schemas, fragment.schema, absent) }));
}

/** Most combinations of branches tried at one location. */
const COMBINATIONS = 24;

/** The fragments of a location, once for each combination of branches. */
export function variants(schemas: Schemas, location: Location): Fragment[][] {
  const found: Fragment[][] = [];
  for (let number = 0; number < COMBINATIONS; number++) {
    let rest = number;
    const fragments = expand(schemas, location, (_, branches) => {
      const chosen = branches[rest % branches.length];
      rest = Math.floor(rest / branches.length);
      return chosen === undefined ? [] : [chosen];
    });
    if (rest > 0) break; // every combination has been seen
    found.push(fragments);
  }
  return found;
}

/** The fragments that apply to this very value. */
export const applying = (schemas: Schemas, oracle: Oracle, location: Location, value: Value): Fragment[] =>
  expand(schemas, location, (keyword, branches) => {
    if (keyword !== 'if') return branches.filter((branch) => oracle.valid(branch, value));
    const [condition = '', otherwise = ''] = branches;
    return [oracle.valid(condition, value) ? condition : otherwise];
  });

/** What speaks about a property of an object that the fragments describe. */
export function property(fragments: readonly Fragment[], name: string): Location {
  const listed = fragments.flatMap(({ pointer, schema, certain }) => {
    const patterns = Object.keys(object(schema['patternProperties'])).filter((pattern) =>
      new RegExp(pattern, 'u').test(name),
    );
    const own = Object.hasOwn(object(schema['properties']), name);
    const places = [
      ...(own ? [`properties/${escape(name)}`] : []),
      ...patterns.map((pattern) => `patternProperties/${escape(pattern)}`),
    ];
    if (places.length === 0 && schema['additionalProperties'] !== undefined) {
      places.push('additionalProperties');
    }
    return places.map((place) => ({ pointer: `${pointer}/${place}`, certain }));
  });
  return listed.length > 0 ? listed : members(fragments, 'unevaluatedProperties');
}

/** What speaks about an item of an array that the fragments describe. */
export function item(fragments: readonly Fragment[], index: number): Location {
  const listed = fragments.flatMap(({ pointer, schema, certain }) => {
    const place = index < list(schema['prefixItems']).length ? `prefixItems/${index}` : 'items';
    return place !== 'items' || schema['items'] !== undefined
      ? [{ pointer: `${pointer}/${place}`, certain }]
      : [];
  });
  return listed.length > 0 ? listed : members(fragments, 'unevaluatedItems');
}

/** The schemas under a keyword, of those fragments that have it. */
export const members = (fragments: readonly Fragment[], keyword: string): Location =>
  fragments
    .filter(({ schema }) => schema[keyword] !== undefined)
    .map(({ pointer, certain }) => ({ pointer: `${pointer}/${keyword}`, certain }));

/** The names that the fragments list for members that there may be, and those of them that are required. */
export function propertyNames(fragments: readonly Fragment[]): { listed: string[]; required: string[] } {
  const properties = fragments.flatMap(({ schema }) => Object.entries(object(schema['properties'])));
  const never = properties.flatMap(([name, property]) => (property === false ? [name] : []));
  const possible = (names: string[]): string[] => [...new Set(names.filter((name) => !never.includes(name)))];
  const required = possible(fragments.flatMap(({ schema }) => requiredNames(schema)));
  return { listed: possible([...required, ...properties.map(([name]) => name)]), required };
}

export const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const;
export type Type = (typeof TYPES)[number];

const HINTS: Readonly<Record<string, Type>> = {
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

/** The types that every fragment admits; where none says, the one that its other keywords are about. */
export function types(fragments: readonly Fragment[]): Type[] {
  const named = fragments.filter(({ schema }) => schema['type'] !== undefined);
  const admits = (schema: JsonObject, type: Type): boolean => {
    const admitted = [schema['type']].flat();
    return admitted.includes(type) || (type === 'integer' && admitted.includes('number'));
  };
  if (named.length > 0) {
    const common = TYPES.filter((type) => named.every(({ schema }) => admits(schema, type)));
    return common.includes('number') ? common.filter((type) => type !== 'integer') : common;
  }
  const hint = fragments.flatMap(({ schema }) => Object.keys(schema)).find((keyword) => keyword in HINTS);
  return [(hint === undefined ? undefined : HINTS[hint]) ?? 'string'];
}

/** The values that `const` and `enum` leave, or undefined where they say nothing. */
export function listedValues(fragments: readonly Fragment[]): Value[] | undefined {
  const lists = fragments.flatMap(({ schema }) => [
    ...(schema['const'] === undefined ? [] : [[schema['const']]]),
    ...(schema['enum'] === undefined ? [] : [list(schema['enum'])]),
  ]);
  return lists[0]?.map(fromJson);
}

/** Whether the object's listed properties are all it may carry on the way out: the document opens it nowhere. */
export const isClosed = (fragments: readonly Fragment[]): boolean =>
  fragments.some(({ schema }) => Object.keys(object(schema['properties'])).length > 0) &&
  fragments.every(
    ({ schema }) =>
      Object.keys(object(schema['patternProperties'])).length === 0 &&
      (schema['additionalProperties'] === undefined || schema['additionalProperties'] === false) &&
      (schema['unevaluatedProperties'] === undefined || schema['unevaluatedProperties'] === false),
  );
