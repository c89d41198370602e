import { dereference, type OutputUnit, type Schema, validate } from '@cfworker/json-schema';
import { createContext, Script } from 'node:vm';
import { forDirection, excludedNamesThroughAllOf, isExcluded, type Schemas } from '../document/direction';
import { type Json, type JsonObject, asArray, asObject, asString } from '../json/json';
import { nodeAt, objectAt, pointerOf } from '../json/pointer';
import { print, toDoubles, type Value } from '../json/value';
import { INTEGER_FORMATS } from './formats';

/** Says whether a value fits the schema at a pointer of the document: the judge of one direction. */
export interface Oracle {
  /** False also for a value that it does not decide on. */
  valid(schema: string, value: Value): boolean;
  /** Whether it has a verdict on the value: a pattern may take too long for a text. */
  decides(schema: string, value: Value): boolean;
  /** What does not fit, in words, innermost first; empty if the value fits. */
  errors(schema: string, value: Value): string[];
  /** Whether the value breaks this one keyword of the schema object, whatever it does to the others. */
  breaks(schema: string, keyword: string, value: Value): boolean;
}

const WITH_SCHEMA = ['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems', 'propertyNames'];

const WITH_SCHEMA_2 = ['items', 'contains', 'not', 'if', 'then', 'else'];

const WITH_SCHEMAS = ['prefixItems', 'allOf', 'anyOf', 'oneOf'];

const WITH_SCHEMA_MAP = ['properties', 'patternProperties', 'dependentSchemas'];

const ANNOTATIONS = ['example', 'examples', 'default', 'xml', 'discriminator', 'externalDocs'];

/** Keywords whose schemas speak about the same value as the schema that they stand in. */
const IN_PLACE_APPLICATORS = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'];

const UNSUPPORTED = ['$dynamicRef', '$anchor', '$id', '$defs', '$dynamicAnchor'];

/**
 * An oracle that shares nothing with the server: another validator than the server's, over numbers read without loss.
 * Integer formats become bounds inside the schema, so that they are exact below `anyOf`, `not` and the like too.
 */
export function createOracle(schemas: Schemas): Oracle {
  const compiled = new Map<string, Compiled>();
  const undecided = new Set<string>();
  const check = (pointer: string, value: Value, only?: string): OutputUnit[] | undefined => {
    const key = `${pointer} ${only ?? ''}`;
    let entry = compiled.get(key);
    if (!entry) {
      const schema = standalone(schemas, pointer, only) as Schema;
      entry = {
        schema,
        lookup: dereference(schema),
        hasPattern: JSON.stringify(schema).includes('"pattern'),
      };
      compiled.set(key, entry);
    }
    const { schema, lookup, hasPattern } = entry;
    const judge = (): OutputUnit[] => validate(toDoubles(value), schema, '2020-12', lookup, false).errors;
    if (!hasPattern || !hasLongText(value)) return judge();
    const name = `${key} ${print(value)}`;
    const errors = undecided.has(name) ? undefined : withinTimeout(judge);
    if (!errors) undecided.add(name);
    return errors;
  };
  return {
    breaks: (schema, keyword, value) => check(schema, value, keyword)?.length !== 0,
    valid: (schema, value) => check(schema, value)?.length === 0,
    decides: (schema, value) => check(schema, value) !== undefined,
    errors: (schema, value) =>
      check(schema, value)
        ?.map((unit) => `${unit.instanceLocation} ${unit.error}`)
        .reverse() ?? [`is not judged: its patterns take more than ${PATTERN_TIMEOUT_MS} ms`],
  };
}

interface Compiled {
  readonly schema: Schema;
  readonly lookup: ReturnType<typeof dereference>;
  readonly hasPattern: boolean;
}

/** Milliseconds for a verdict that may need patterns: those of V8 can take time exponential in the length of the text. */
const PATTERN_TIMEOUT_MS = 500;

/** Characters of a text for which no pattern takes long. */
const SHORT_TEXT_LENGTH = 16;

const script = new Script('judge()');

/** What `judge` returns, or undefined if that takes too long. */
function withinTimeout<T>(judge: () => T): T | undefined {
  try {
    return script.runInContext(createContext({ judge }), { timeout: PATTERN_TIMEOUT_MS }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  }
}

function hasLongText(value: Value): boolean {
  if (typeof value === 'string') return value.length > SHORT_TEXT_LENGTH;
  if (Array.isArray(value)) return value.some(hasLongText);
  return (
    value instanceof Map && [...value].some(([name, member]) => hasLongText(name) || hasLongText(member))
  );
}

/** Keywords that mean nothing without their neighbours. */
const COMPANION_KEYWORDS: Readonly<Record<string, string[]>> = {
  additionalProperties: ['properties', 'patternProperties'],
  unevaluatedProperties: ['properties', 'patternProperties', 'allOf', 'anyOf', 'oneOf', '$ref'],
  items: ['prefixItems'],
  unevaluatedItems: ['prefixItems', 'allOf', 'anyOf', 'oneOf', '$ref'],
  contains: ['minContains', 'maxContains'],
};

/** The schema at a pointer, or one keyword of it, with everything it refers to under `$defs`. */
function standalone(schemas: Schemas, pointer: string, only?: string): JsonObject {
  const definitions = new Map<string, string>();
  const made: JsonObject = {};
  const refer = (to: string, elsewhere: readonly string[] = []): string => {
    const name = JSON.stringify([to, elsewhere]);
    const known = definitions.get(name);
    if (known !== undefined) return known;
    const reference = `#/$defs/${definitions.size}`;
    const key = String(definitions.size);
    definitions.set(name, reference);
    made[key] = true; // holds its place while a recursive schema comes back to it
    // The schema that is asked about is judged for itself: who asks knows that its value is there.
    const isPart = to !== pointer || elsewhere.length > 0;
    made[key] =
      isPart && isExcluded(schemas, nodeAt(schemas.json, to))
        ? false
        : rewrite(schemas, nodeAt(schemas.json, to), to, refer, elsewhere);
    return reference;
  };
  if (only === undefined) return { $ref: refer(pointer), $defs: made };
  const kept = [only, ...(COMPANION_KEYWORDS[only] ?? [])];
  const schema = forDirection(schemas, objectAt(schemas.json, pointer));
  const entries = Object.entries(schema).filter(([keyword]) => kept.includes(keyword));
  const alone = asObject(rewrite(schemas, Object.fromEntries(entries), pointer, refer));
  return { ...alone, $defs: made };
}

/** @param elsewhere names that other schemas of the same value exclude */
function rewrite(
  schemas: Schemas,
  json: Json,
  pointer: string,
  refer: (pointer: string, elsewhere: readonly string[]) => string,
  elsewhere: readonly string[] = [],
): Json {
  if (typeof json === 'boolean') return json;
  const absent = [...new Set([...elsewhere, ...excludedNamesThroughAllOf(schemas, asObject(json))])].sort();
  const schema = forDirection(schemas, asObject(json), absent);
  const unsupported = UNSUPPORTED.find((keyword) => schema[keyword] !== undefined);
  if (unsupported)
    throw new Error(`the oracle cannot judge ${unsupported} at ${pointer}; write the schema without`);
  const again = (sub: Json, place: string): Json =>
    isExcluded(schemas, sub)
      ? false
      : rewrite(
          schemas,
          sub,
          `${pointer}/${place}`,
          refer,
          IN_PLACE_APPLICATORS.includes(place) ? absent : [],
        );
  const copy: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (ANNOTATIONS.includes(keyword)) continue;
    if (keyword === '$ref') copy[keyword] = refer(pointerOf(asString(value)), absent);
    else if (WITH_SCHEMA.includes(keyword) || WITH_SCHEMA_2.includes(keyword))
      copy[keyword] = again(value, keyword);
    else if (WITH_SCHEMAS.includes(keyword)) copy[keyword] = asArray(value).map((sub) => again(sub, keyword));
    else if (WITH_SCHEMA_MAP.includes(keyword)) {
      copy[keyword] = Object.fromEntries(
        Object.entries(asObject(value)).map(([name, sub]) => [name, again(sub, keyword)]),
      );
    } else copy[keyword] = value;
  }
  const bounds = typeof copy['format'] === 'string' ? INTEGER_FORMATS[copy['format']] : undefined;
  if (bounds) copy['allOf'] = [...asArray(copy['allOf']), bounds];
  return copy;
}
