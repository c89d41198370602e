import { dereference, type OutputUnit, type Schema, validate } from '@cfworker/json-schema';
import { createContext, Script } from 'node:vm';
import { forDirection, excludedNamesThroughAllOf, isExcluded, type Schemas } from '../document/direction';
import { type Json, type JsonObject, asArray, asObject, asString } from '../json/json';
import { nodeAt, objectAt, pointerOf } from '../json/pointer';
import { print, toDoubles, type Value } from '../json/value';
import { INTEGER_FORMATS } from './formats';

/** Validates values against the schemas of a document, for one direction. A schema is named by its pointer. */
export interface Oracle {
  /** False also for a value without a verdict. */
  valid(schema: string, value: Value): boolean;
  /** Whether there is a verdict. There is none if a pattern takes too long. */
  decides(schema: string, value: Value): boolean;
  /** The errors, innermost first; empty if the value is valid. */
  errors(schema: string, value: Value): string[];
  /** Whether the value violates one keyword of the schema object, independent of the others. */
  breaks(schema: string, keyword: string, value: Value): boolean;
}

/** Keywords whose value is a schema, an array of schemas, or a map of schemas. */
const WITH_SCHEMA = [
  ...['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems', 'propertyNames'],
  ...['items', 'contains', 'not', 'if', 'then', 'else'],
];

const WITH_SCHEMAS = ['prefixItems', 'allOf', 'anyOf', 'oneOf'];

const WITH_SCHEMA_MAP = ['properties', 'patternProperties', 'dependentSchemas'];

const ANNOTATIONS = ['example', 'examples', 'default', 'xml', 'discriminator', 'externalDocs'];

/** Keywords whose schemas apply to the same value as the schema object (JSON Schema core section 10.2). */
const IN_PLACE_APPLICATORS = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'];

const UNSUPPORTED = ['$dynamicRef', '$anchor', '$id', '$defs', '$dynamicAnchor'];

/**
 * Creates an oracle that is independent of the server: it uses another validator, and numbers keep their digits. It rewrites
 * integer formats as bounds, so that they are exact below `anyOf` and `not` too.
 *
 * @throws {Error} on use, if a schema contains a keyword that the oracle does not support
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
    const attempt = `${key} ${print(value)}`;
    const errors = undecided.has(attempt) ? undefined : withinTimeout(judge);
    if (!errors) undecided.add(attempt);
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

/** Patterns in V8 can take time exponential in the length of the text. */
const PATTERN_TIMEOUT_MS = 500;

/** No pattern takes long for a text of this length, in UTF-16 units. */
const SHORT_TEXT_LENGTH = 16;

const script = new Script('judge()');

/** The result of `judge`, or undefined after the timeout. */
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

/** Keywords on which the meaning of another keyword depends. */
const COMPANION_KEYWORDS: Readonly<Record<string, string[]>> = {
  additionalProperties: ['properties', 'patternProperties'],
  unevaluatedProperties: ['properties', 'patternProperties', 'allOf', 'anyOf', 'oneOf', '$ref'],
  items: ['prefixItems'],
  unevaluatedItems: ['prefixItems', 'allOf', 'anyOf', 'oneOf', '$ref'],
  contains: ['minContains', 'maxContains'],
};

/** A schema, or one keyword of it, as a document of its own: `$defs` contains every schema that it refers to. */
function standalone(schemas: Schemas, pointer: string, only?: string): JsonObject {
  const definitions = new Map<string, string>();
  const definitionsByNumber: JsonObject = {};
  const refer = (to: string, elsewhere: readonly string[] = []): string => {
    const name = JSON.stringify([to, elsewhere]);
    const known = definitions.get(name);
    if (known !== undefined) return known;
    const reference = `#/$defs/${definitions.size}`;
    const key = String(definitions.size);
    definitions.set(name, reference);
    definitionsByNumber[key] = true; // A recursive schema refers to it before it is complete.
    // An excluded schema allows no value inside of another one. The root schema is judged all the same.
    const isNested = to !== pointer || elsewhere.length > 0;
    definitionsByNumber[key] =
      isNested && isExcluded(schemas, nodeAt(schemas.json, to))
        ? false
        : rewrite(schemas, nodeAt(schemas.json, to), to, refer, elsewhere);
    return reference;
  };
  if (only === undefined) return { $ref: refer(pointer), $defs: definitionsByNumber };
  const kept = [only, ...(COMPANION_KEYWORDS[only] ?? [])];
  const schema = forDirection(schemas, objectAt(schemas.json, pointer));
  const entries = Object.entries(schema).filter(([keyword]) => kept.includes(keyword));
  const alone = asObject(rewrite(schemas, Object.fromEntries(entries), pointer, refer));
  return { ...alone, $defs: definitionsByNumber };
}

/** @param elsewhere properties that other schemas of the same value exclude */
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
    throw new Error(
      `expected a schema that the oracle supports, got ${unsupported} at ${pointer}: rewrite the schema without it`,
    );
  const rewriteSub = (sub: Json, place: string): Json =>
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
    else if (WITH_SCHEMA.includes(keyword)) copy[keyword] = rewriteSub(value, keyword);
    else if (WITH_SCHEMAS.includes(keyword))
      copy[keyword] = asArray(value).map((sub) => rewriteSub(sub, keyword));
    else if (WITH_SCHEMA_MAP.includes(keyword)) {
      copy[keyword] = Object.fromEntries(
        Object.entries(asObject(value)).map(([name, sub]) => [name, rewriteSub(sub, keyword)]),
      );
    } else copy[keyword] = value;
  }
  const bounds = typeof copy['format'] === 'string' ? INTEGER_FORMATS[copy['format']] : undefined;
  if (bounds) copy['allOf'] = [...asArray(copy['allOf']), bounds];
  return copy;
}
