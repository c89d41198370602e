import { dereference, validate, type OutputUnit, type Schema } from '@cfworker/json-schema';
import { directed, excludedInAll, isMarked, type Schemas } from './direction';
import { target } from './document';
import { at, list, object, toPlain, word, type Json, type JsonObject, type Value } from './json';

/** Says whether a value fits the schema at a pointer of the document: the judge of one direction. */
export interface Oracle {
  valid(schema: string, value: Value): boolean;
  /** What does not fit, in words, innermost first; empty if the value fits. */
  errors(schema: string, value: Value): string[];
  /** Whether the value breaks this one keyword of the schema object, whatever it does to the others. */
  breaks(schema: string, keyword: string, value: Value): boolean;
}

const SCHEMA = ['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems', 'propertyNames'];
const IN_PLACE = ['items', 'contains', 'not', 'if', 'then', 'else'];
const SCHEMAS = ['prefixItems', 'allOf', 'anyOf', 'oneOf'];
const SCHEMA_MAPS = ['properties', 'patternProperties', 'dependentSchemas'];
const ANNOTATIONS = ['example', 'examples', 'default', 'xml', 'discriminator', 'externalDocs'];
/** Keywords whose schemas speak about the same value as the schema that they stand in. */
const SAME = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'];
const UNSUPPORTED = ['$dynamicRef', '$anchor', '$id', '$defs', '$dynamicAnchor'];

/** Bounds of the integer formats as doubles that {@link toPlain} never steps over. */
export const INTEGER_FORMATS: Readonly<Record<string, JsonObject>> = {
  int32: { minimum: -(2 ** 31), exclusiveMaximum: 2 ** 31 },
  int64: { minimum: -(2 ** 63), exclusiveMaximum: 2 ** 63 },
};

/**
 * An oracle that shares nothing with the server: another validator than the server's, over numbers read without loss.
 * Integer formats become bounds inside the schema, so that they are exact below `anyOf`, `not` and the like too.
 */
export function createOracle(schemas: Schemas): Oracle {
  const compiled = new Map<string, { schema: Schema; lookup: ReturnType<typeof dereference> }>();
  const check = (pointer: string, value: Value, only?: string): OutputUnit[] => {
    const key = `${pointer} ${only ?? ''}`;
    let entry = compiled.get(key);
    if (!entry) {
      const schema = standalone(schemas, pointer, only) as Schema;
      entry = { schema, lookup: dereference(schema) };
      compiled.set(key, entry);
    }
    return validate(toPlain(value), entry.schema, '2020-12', entry.lookup, false).errors;
  };
  return {
    breaks: (schema, keyword, value) => check(schema, value, keyword).length > 0,
    valid: (schema, value) => check(schema, value).length === 0,
    errors: (schema, value) =>
      check(schema, value)
        .map((unit) => `${unit.instanceLocation} ${unit.error}`)
        .reverse(),
  };
}

/** Keywords that mean nothing without their neighbours. */
const COMPANIONS: Readonly<Record<string, string[]>> = {
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
      isPart && isMarked(schemas, at(schemas.json, to))
        ? false
        : rewrite(schemas, at(schemas.json, to), to, refer, elsewhere);
    return reference;
  };
  if (only === undefined) return { $ref: refer(pointer), $defs: made };
  const kept = [only, ...(COMPANIONS[only] ?? [])];
  const schema = directed(schemas, object(at(schemas.json, pointer)));
  const entries = Object.entries(schema).filter(([keyword]) => kept.includes(keyword));
  const alone = object(rewrite(schemas, Object.fromEntries(entries), pointer, refer));
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
  const absent = [...new Set([...elsewhere, ...excludedInAll(schemas, object(json))])].sort();
  const schema = directed(schemas, object(json), absent);
  const unsupported = UNSUPPORTED.find((keyword) => schema[keyword] !== undefined);
  if (unsupported)
    throw new Error(`the oracle cannot judge ${unsupported} at ${pointer}; write the schema without`);
  const again = (sub: Json, place: string): Json =>
    isMarked(schemas, sub)
      ? false
      : rewrite(schemas, sub, `${pointer}/${place}`, refer, SAME.includes(place) ? absent : []);
  const copy: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (ANNOTATIONS.includes(keyword)) continue;
    if (keyword === '$ref') copy[keyword] = refer(target(word(value)), absent);
    else if (SCHEMA.includes(keyword) || IN_PLACE.includes(keyword)) copy[keyword] = again(value, keyword);
    else if (SCHEMAS.includes(keyword)) copy[keyword] = list(value).map((sub) => again(sub, keyword));
    else if (SCHEMA_MAPS.includes(keyword)) {
      copy[keyword] = Object.fromEntries(
        Object.entries(object(value)).map(([name, sub]) => [name, again(sub, keyword)]),
      );
    } else copy[keyword] = value;
  }
  const bounds = typeof copy['format'] === 'string' ? INTEGER_FORMATS[copy['format']] : undefined;
  if (bounds) copy['allOf'] = [...list(copy['allOf']), bounds];
  return copy;
}
