import {
  forDirection,
  excludedNames,
  allExcludedNames,
  excludingKeyword,
  type Schemas,
} from '../document/direction';
import { type Json, asArray, asObject, asString, objectAt, escapeToken, pointerOf } from '../json/tree';
import { APPLICATORS, schemaPaths } from './applicators';
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
    for (const [keyword, { to, binds }] of Object.entries(APPLICATORS)) {
      if (binds === 'none') continue;
      for (const { path, name = '' } of schemaPaths(keyword, node))
        if (to === 'itself') visit(pointer + path, unconditional && binds === 'all', absent);
        else if (!absent.includes(name)) visit(pointer + path, unconditional);
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
