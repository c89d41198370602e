import { directed, excluded, excludedInAll, markOf, type Schemas } from '../document/direction';
import { type Json, list, object, word } from '../json/json';
import { at, escape, target } from '../json/pointer';
import { RULES } from './boundaries';
import { isKnownFormat } from './formats';

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
export function asserts(keyword: string, argument: Json): boolean {
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
