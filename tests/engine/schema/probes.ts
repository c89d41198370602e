import { isKnownFormat, RULES } from './boundaries';
import { directed, excluded, excludedInAll, markOf, type Schemas } from '../document/direction';
import { at, escape, type Json, list, object, target, type Value, word } from '../json/json';
import { createOracle, type Oracle } from './oracle';
import { applying, item, members, property, type Fragment, type Location } from './applicable';
import { samples } from './samples';

/** A place inside a value, with everything the schema says about it. */
export interface Site {
  /** JSON pointer into the value. */
  readonly place: string;
  readonly value: Value;
  readonly fragments: readonly Fragment[];
  /** The whole value with another one at this place. */
  readonly put: (value: Value) => Value;
}

/** Every place of a value, the whole first. */
export function sites(schemas: Schemas, oracle: Oracle, schema: string, value: Value): Site[] {
  const found: Site[] = [];
  const visit = (place: string, location: Location, here: Value, put: Site['put']): void => {
    const fragments = applying(schemas, oracle, location, here);
    found.push({ place, value: here, fragments, put });
    if (Array.isArray(here)) {
      here.forEach((entry, index) => {
        const containing = members(fragments, 'contains').filter(({ pointer }) =>
          oracle.valid(pointer, entry),
        );
        const among = [...item(fragments, index), ...containing.map((sub) => ({ ...sub, certain: false }))];
        visit(`${place}/${index}`, among, entry, (next) => put(here.with(index, next)));
      });
    } else if (here instanceof Map) {
      for (const [name, member] of here) {
        visit(`${place}/${escape(name)}`, property(fragments, name), member, (next) =>
          put(new Map([...here, [name, next]])),
        );
      }
    }
  };
  visit('', [{ pointer: schema, certain: true }], value, (next) => next);
  return found;
}

/** A keyword of a schema that requests can keep or break. */
export interface Constraint {
  /** Pointer of the schema object. */
  readonly pointer: string;
  readonly keyword: string;
  /** Whether breaking it must be refused, whatever else holds. */
  readonly certain: boolean;
}

/** Every keyword that a schema puts on a value, wherever it stands: what there is to prove, found without any value. */
export function constraints(schemas: Schemas, schema: string): Constraint[] {
  const found = new Map<string, Constraint>();
  const seen = new Map<string, boolean>();
  const visit = (pointer: string, certain: boolean, elsewhere: readonly string[] = []): void => {
    const marked = object(at(schemas.json, pointer));
    if (marked[markOf(schemas)] === true && pointer !== schema) {
      found.set(`${pointer} ${markOf(schemas)}`, { pointer, keyword: markOf(schemas), certain });
      return;
    }
    const absent = [...new Set([...elsewhere, ...excludedInAll(schemas, marked)])].sort();
    const key = JSON.stringify([pointer, absent]);
    if (seen.get(key) === true || seen.get(key) === certain) return;
    seen.set(key, certain);
    const node = directed(schemas, marked, absent);
    for (const name of excluded(schemas, marked)) {
      const mark = { pointer: `${pointer}/properties/${escape(name)}`, keyword: markOf(schemas), certain };
      found.set(`${mark.pointer} ${mark.keyword}`, mark);
    }
    for (const [keyword, argument] of Object.entries(node)) {
      if (asserts(keyword, argument)) found.set(`${pointer} ${keyword}`, { pointer, keyword, certain });
    }
    if (typeof node['$ref'] === 'string') visit(target(node['$ref']), certain, absent);
    const parts = (keyword: string, holds: boolean): void => {
      for (const index of list(node[keyword]).keys()) visit(`${pointer}/${keyword}/${index}`, holds, absent);
    };
    const each = (keyword: string): void => {
      for (const index of list(node[keyword]).keys()) visit(`${pointer}/${keyword}/${index}`, certain);
      for (const name of Object.keys(object(node[keyword]))) {
        if (!absent.includes(name)) visit(`${pointer}/${keyword}/${escape(name)}`, certain);
      }
    };
    const one = (keyword: string, holds: boolean, without: readonly string[]): void => {
      if (node[keyword] !== undefined) visit(`${pointer}/${keyword}`, holds, without);
    };
    parts('allOf', certain);
    for (const keyword of ['anyOf', 'oneOf']) parts(keyword, false);
    for (const keyword of ['then', 'else']) one(keyword, false, absent);
    for (const keyword of ['prefixItems', 'properties', 'patternProperties']) each(keyword);
    for (const keyword of ['items', 'additionalProperties', 'unevaluatedProperties'])
      one(keyword, certain, []);
    for (const name of Object.keys(object(node['dependentSchemas']))) {
      visit(`${pointer}/dependentSchemas/${escape(name)}`, false, absent);
    }
  };
  visit(schema, true);
  return [...found.values()];
}

/** Whether a keyword says anything that a value could break. */
function asserts(keyword: string, argument: Json): boolean {
  if (!(keyword in RULES)) return false;
  switch (keyword) {
    case 'format':
      return isKnownFormat(word(argument));
    case 'items':
      return argument === false;
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'unevaluatedItems':
      return argument !== true && Object.keys(object(argument)).length + Number(argument === false) > 0;
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return Number(argument) > 0;
    case 'uniqueItems':
      return argument === true;
    case 'required':
      return list(argument).length > 0;
    default:
      return true;
  }
}

/**
 * Values that would be right, did not a mark at one place say that they do not go this way: they fit the document without
 * this mark, and do not fit it as it is.
 */
export function witnesses(schemas: Schemas, oracle: Oracle, schema: string, marked: string): Value[] {
  const json = structuredClone(schemas.json);
  const mark = markOf(schemas);
  const owner = object(at(json, marked));
  for (let node = owner; ; node = object(at(json, target(word(node['$ref']))))) {
    // A mark behind a reference is taken from this place alone.
    if (node !== owner) Object.assign(owner, node);
    if (typeof node['$ref'] !== 'string') break;
  }
  for (const part of [owner, ...list(owner['allOf']).map(object)]) Reflect.deleteProperty(part, mark);
  if (typeof owner['$ref'] === 'string') Reflect.deleteProperty(owner, '$ref');
  const unmarked = { json, direction: schemas.direction };
  const free = createOracle(unmarked);
  return (['all', 'any'] as const)
    .flatMap((mode) => samples(unmarked, free, schema, mode, 40))
    .filter((value) => !oracle.valid(schema, value));
}

/** One value that puts one keyword at one place to the test. */
export interface Trial {
  /** The whole value, the place changed. */
  readonly value: Value;
  /** What was put at the place. */
  readonly put: Value;
  readonly site: Site;
  readonly fragment: Fragment;
  readonly keyword: string;
  readonly side: 'holds' | 'violates';
}

/** Every trial that a valid value gives rise to, keyword by keyword, one fault each or none. */
export const trials = (found: readonly Site[]): Trial[] =>
  found.flatMap((site) =>
    site.fragments.flatMap((fragment) =>
      Object.entries(fragment.schema).flatMap(([keyword, limit]) => {
        if (!asserts(keyword, limit)) return [];
        const probe = RULES[keyword]?.({ limit, value: site.value, fragment, fragments: site.fragments });
        return (['holds', 'violates'] as const).flatMap((side) =>
          (probe?.[side] ?? []).map((value) => ({
            value: site.put(value),
            put: value,
            site,
            fragment,
            keyword,
            side,
          })),
        );
      }),
    ),
  );
