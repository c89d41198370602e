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
import { type Side, SIDES } from '../obligation';

/** A keyword of a schema that a request can satisfy or violate. */
export interface Constraint {
  /** Pointer to the schema object. */
  readonly pointer: string;
  readonly keyword: string;
  /** Whether the server must refuse every value that violates it. */
  readonly unconditional: boolean;
  /** Why no value shows it: a schema does not admit the type that a keyword is about. */
  readonly idle: { readonly reason: string; readonly sides: readonly Side[] } | undefined;
}

/** Every keyword that constrains the values of a schema, at any depth: also those that no generated value reaches. */
export function constraints(schemas: Schemas, schema: string): Constraint[] {
  const found = new Map<string, Constraint>();
  const add = (pointer: string, keyword: string, unconditional: boolean, idle: Constraint['idle']): void => {
    const key = `${pointer} ${keyword}`;
    // A schema that is referred to from elsewhere, too, is not idle there.
    if (idle && found.has(key)) return;
    found.set(key, { pointer, keyword, unconditional, idle });
  };
  const oneWay = excludingKeyword(schemas);
  const seen = new Map<string, boolean>();
  const visit = (
    pointer: string,
    unconditional: boolean,
    elsewhere: readonly string[] = [],
    unseen?: Constraint['idle'],
  ): void => {
    const written = objectAt(schemas.json, pointer);
    if (written[oneWay] === true && pointer !== schema) {
      add(pointer, oneWay, unconditional, unseen);
      return;
    }
    const absent = allExcludedNames(schemas, written, elsewhere);
    const key = JSON.stringify([pointer, absent, unseen !== undefined]);
    if (seen.get(key) === true || seen.get(key) === unconditional) return;
    seen.set(key, unconditional);
    const node = forDirection(schemas, written, absent);
    for (const name of excludedNames(schemas, written)) {
      add(`${pointer}/properties/${escapeToken(name)}`, oneWay, unconditional, unseen);
    }
    const types = [node['type'] ?? []].flat().map(asString);
    const idle = (keyword: string, sides: readonly Side[]): Constraint['idle'] => {
      if (types.length === 0 || TYPES_OF.get(keyword)?.every((type) => !types.includes(type)) !== true)
        return unseen;
      const reason = `a value of ${pointer} is of type ${types.join(' or ')}, and ${keyword} is about other types`;
      return unseen ?? { reason, sides };
    };
    for (const [keyword, argument] of Object.entries(node)) {
      if (isViolable(keyword, argument)) add(pointer, keyword, unconditional, idle(keyword, ['violates']));
    }
    if (typeof node['$ref'] === 'string') visit(pointerOf(node['$ref']), unconditional, absent, unseen);
    for (const [keyword, { to, binds }] of APPLICATORS) {
      if (binds === 'none') continue;
      for (const { path, name = '' } of schemaPaths(keyword, node))
        if (to === 'itself')
          visit(pointer + path, unconditional && binds === 'all', absent, idle(keyword, SIDES));
        else if (!absent.includes(name)) visit(pointer + path, unconditional, [], idle(keyword, SIDES));
    }
  };
  visit(schema, true);
  return [...found.values()];
}

/** The types that a keyword is about; a value of another type conforms to it (JSON Schema validation section 6). */
const TYPES_OF: ReadonlyMap<string, readonly string[]> = new Map(
  (
    [
      ['minLength maxLength pattern', ['string']],
      ['minimum maximum exclusiveMinimum exclusiveMaximum multipleOf', ['number', 'integer']],
      ['items prefixItems contains unevaluatedItems minItems maxItems uniqueItems', ['array']],
      ['properties patternProperties additionalProperties unevaluatedProperties', ['object']],
      ['required dependentRequired dependentSchemas minProperties maxProperties', ['object']],
    ] as const
  ).flatMap(([keywords, types]) => keywords.split(' ').map((keyword) => [keyword, types] as const)),
);

/** Whether a value can violate a keyword with this argument. */
export function isViolable(keyword: string, argument: Json): boolean {
  if (!BOUNDARIES.has(keyword)) return false;
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
