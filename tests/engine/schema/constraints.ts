import {
  forDirection,
  excludedNames,
  excludedNamesThroughAllOf,
  excludingKeyword,
  type Schemas,
} from '../document/direction';
import { type Json, asArray, asObject, asString } from '../json/json';
import { objectAt, escapeToken, pointerOf } from '../json/pointer';
import { BOUNDARIES } from './boundaries';
import { isKnownFormat } from './formats';

/** A keyword of a schema that requests can keep or break. */
export interface Constraint {
  /** Pointer of the schema object. */
  readonly pointer: string;
  readonly keyword: string;
  /** Whether breaking it must be refused, whatever else holds. */
  readonly unconditional: boolean;
}

/** Every keyword that a schema puts on a value, wherever it stands: what there is to prove, found without any value. */
export function constraints(schemas: Schemas, schema: string): Constraint[] {
  const found = new Map<string, Constraint>();
  const seen = new Map<string, boolean>();
  const visit = (pointer: string, unconditional: boolean, elsewhere: readonly string[] = []): void => {
    const marked = objectAt(schemas.json, pointer);
    if (marked[excludingKeyword(schemas)] === true && pointer !== schema) {
      found.set(`${pointer} ${excludingKeyword(schemas)}`, {
        pointer,
        keyword: excludingKeyword(schemas),
        unconditional,
      });
      return;
    }
    const absent = [...new Set([...elsewhere, ...excludedNamesThroughAllOf(schemas, marked)])].sort();
    const key = JSON.stringify([pointer, absent]);
    if (seen.get(key) === true || seen.get(key) === unconditional) return;
    seen.set(key, unconditional);
    const node = forDirection(schemas, marked, absent);
    for (const name of excludedNames(schemas, marked)) {
      const mark = {
        pointer: `${pointer}/properties/${escapeToken(name)}`,
        keyword: excludingKeyword(schemas),
        unconditional,
      };
      found.set(`${mark.pointer} ${mark.keyword}`, mark);
    }
    for (const [keyword, argument] of Object.entries(node)) {
      if (isAssertion(keyword, argument))
        found.set(`${pointer} ${keyword}`, { pointer, keyword, unconditional });
    }
    if (typeof node['$ref'] === 'string') visit(pointerOf(node['$ref']), unconditional, absent);
    const parts = (keyword: string, holds: boolean): void => {
      for (const index of asArray(node[keyword]).keys())
        visit(`${pointer}/${keyword}/${index}`, holds, absent);
    };
    const each = (keyword: string): void => {
      for (const index of asArray(node[keyword]).keys())
        visit(`${pointer}/${keyword}/${index}`, unconditional);
      for (const name of Object.keys(asObject(node[keyword]))) {
        if (!absent.includes(name)) visit(`${pointer}/${keyword}/${escapeToken(name)}`, unconditional);
      }
    };
    const one = (keyword: string, holds: boolean, without: readonly string[]): void => {
      if (node[keyword] !== undefined) visit(`${pointer}/${keyword}`, holds, without);
    };
    parts('allOf', unconditional);
    for (const keyword of ['anyOf', 'oneOf']) parts(keyword, false);
    for (const keyword of ['then', 'else']) one(keyword, false, absent);
    for (const keyword of ['prefixItems', 'properties', 'patternProperties']) each(keyword);
    for (const keyword of ['items', 'additionalProperties', 'unevaluatedProperties'])
      one(keyword, unconditional, []);
    for (const name of Object.keys(asObject(node['dependentSchemas']))) {
      visit(`${pointer}/dependentSchemas/${escapeToken(name)}`, false, absent);
    }
  };
  visit(schema, true);
  return [...found.values()];
}

/** Whether a keyword says anything that a value could break. */
export function isAssertion(keyword: string, argument: Json): boolean {
  if (!(keyword in BOUNDARIES)) return false;
  switch (keyword) {
    case 'format':
      return isKnownFormat(asString(argument));
    case 'items':
      return argument === false;
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'unevaluatedItems':
      return argument !== true && Object.keys(asObject(argument)).length + Number(argument === false) > 0;
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return Number(argument) > 0;
    case 'uniqueItems':
      return argument === true;
    case 'required':
      return asArray(argument).length > 0;
    default:
      return true;
  }
}
