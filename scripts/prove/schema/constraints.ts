import {
  forDirection,
  excludedNames,
  allExcludedNames,
  excludingKeyword,
  type Schemas,
} from '../document/direction';
import { type Json, asArray, asObject, asString, objectAt, escapeToken, pointerOf } from '../json/tree';
import { BOUNDARIES } from './boundaries';
import { isKnownFormat } from './known-formats';

/** A keyword of a schema that a request can satisfy or violate. */
export interface Constraint {
  /** Pointer to the schema object. */
  readonly pointer: string;
  readonly keyword: string;
  /** Whether the server must refuse every value that violates it. */
  readonly unconditional: boolean;
}

/** Every keyword that constrains the values of a schema, at any depth: also those that no generated value reaches. */
export function constraints(schemas: Schemas, schema: string): Constraint[] {
  const found = new Map<string, Constraint>();
  const add = (pointer: string, keyword: string, unconditional: boolean): void => {
    found.set(`${pointer} ${keyword}`, { pointer, keyword, unconditional });
  };
  const oneWay = excludingKeyword(schemas);
  const seen = new Map<string, boolean>();
  const visit = (pointer: string, unconditional: boolean, elsewhere: readonly string[] = []): void => {
    const written = objectAt(schemas.json, pointer);
    if (written[oneWay] === true && pointer !== schema) {
      add(pointer, oneWay, unconditional);
      return;
    }
    const absent = allExcludedNames(schemas, written, elsewhere);
    const key = JSON.stringify([pointer, absent]);
    if (seen.get(key) === true || seen.get(key) === unconditional) return;
    seen.set(key, unconditional);
    const node = forDirection(schemas, written, absent);
    for (const name of excludedNames(schemas, written)) {
      add(`${pointer}/properties/${escapeToken(name)}`, oneWay, unconditional);
    }
    for (const [keyword, argument] of Object.entries(node)) {
      if (isViolable(keyword, argument)) add(pointer, keyword, unconditional);
    }
    if (typeof node['$ref'] === 'string') visit(pointerOf(node['$ref']), unconditional, absent);
    const visitInPlace = (keyword: string, always: boolean): void => {
      for (const index of asArray(node[keyword]).keys())
        visit(`${pointer}/${keyword}/${index}`, always, absent);
    };
    const visitMembers = (keyword: string): void => {
      for (const index of asArray(node[keyword]).keys())
        visit(`${pointer}/${keyword}/${index}`, unconditional);
      for (const name of Object.keys(asObject(node[keyword]))) {
        if (!absent.includes(name)) visit(`${pointer}/${keyword}/${escapeToken(name)}`, unconditional);
      }
    };
    const visitSchema = (keyword: string, always: boolean, excluded: readonly string[]): void => {
      if (node[keyword] !== undefined) visit(`${pointer}/${keyword}`, always, excluded);
    };
    visitInPlace('allOf', unconditional);
    for (const keyword of ['anyOf', 'oneOf']) visitInPlace(keyword, false);
    for (const keyword of ['then', 'else']) visitSchema(keyword, false, absent);
    for (const keyword of ['prefixItems', 'properties', 'patternProperties']) visitMembers(keyword);
    for (const keyword of ['items', 'additionalProperties', 'unevaluatedProperties'])
      visitSchema(keyword, unconditional, []);
    for (const name of Object.keys(asObject(node['dependentSchemas']))) {
      visit(`${pointer}/dependentSchemas/${escapeToken(name)}`, false, absent);
    }
  };
  visit(schema, true);
  return [...found.values()];
}

/** Whether a value can violate a keyword with this argument. */
export function isViolable(keyword: string, argument: Json): boolean {
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
