import { isObject, OBJECTS, unicodePattern, walk } from 'contract-first-server/tools';
import { describeItems } from './item-schemas';

type Mutable = Record<string, unknown>;

/** The number of schemas that each kind of change affects. */
type Counts = Map<string, number>;

const KEYWORDS = OBJECTS.get('Schema')?.keywords;

/**
 * Converts an OpenAPI 3.0 document to 3.1, in place (https://learn.openapis.org/upgrading/v3.0-to-v3.1.html). Keywords
 * that 3.1 still supports, such as `example` and `format: byte`, stay unchanged. What documents of 3.1 often keep of 3.0 is
 * converted in them too: `nullable`, patterns without the syntax of the u flag, and the schemas of streams.
 *
 * openapi-format converts too, but treats all nodes alike: it mistakes a property named `nullable` for the keyword,
 * removes `format: binary`, and writes integers beyond 2^53 as doubles.
 *
 * @param locate the place of a JSON pointer in the sources
 * @returns one sentence about the changes, and one for each `nullable` without effect
 */
export function convertTo31(document: Mutable, locate: (pointer: string) => string): string[] {
  const { openapi: version } = document;
  if (typeof version !== 'string' || !/^3\.[0-2]\.\d+/.test(version)) return [];
  const isOld = version.startsWith('3.0.');
  const counts: Counts = new Map();
  const count = (change: string) => counts.set(change, (counts.get(change) ?? 0) + 1);
  const schemas = new Map<string, Mutable>();
  const mediaTypes = new Map<string, Mutable>();
  walk({ pointer: '', value: document, expected: 'OpenAPI', documented: false }, (walked) => {
    if (walked.expected === 'Schema') schemas.set(walked.pointer, walked.value);
    if (walked.kind === 'MediaType') mediaTypes.set(walked.pointer, walked.value);
  });
  if (isOld) {
    for (const schema of schemas.values()) {
      ignoreSiblings(schema, count);
      convertBounds(schema, count);
    }
    markProperties(schemas, count);
    document['openapi'] = '3.1.0';
  }
  for (const schema of schemas.values()) convertPatterns(schema, count);
  const nullable = [...schemas].filter(([, schema]) => convertNullable(schema, count));
  const admits = (value: unknown) => admitsNull(value, schemas, new Set());
  // What a union refers to may have a type, which is converted first.
  for (const [, schema] of nullable) if (!admits(schema)) admitNull(schema, admits);
  const rejected = nullable.flatMap(([pointer, schema]) => {
    if (admits(schema)) return [];
    const what = 'enum' in schema ? 'its enum has no null' : 'the schemas beside it do not admit null';
    return [`${locate(pointer)}: #${pointer}: nullable has no effect: ${what}, so null is rejected`];
  });
  for (const [pointer, media] of mediaTypes) {
    const described = describeItems(pointer, media, (schema) => targetOf(schema, schemas));
    if (described !== undefined) count(described);
  }
  const changes = [...counts].map(([change, schemas]) => `${change} (${schemas})`).join(', ');
  const what = isOld ? `OpenAPI ${version} is converted to 3.1.0` : `OpenAPI ${version} is read`;
  if (changes === '') return isOld ? [what] : [];
  return [`${what}${isOld ? '' : ' with changes'}: ${changes}`, ...rejected];
}

type Count = (change: string) => void;

/** OpenAPI 3.0.3 section 4.7.23: members beside a $ref are ignored. */
function ignoreSiblings(schema: Mutable, count: Count): void {
  if (!('$ref' in schema)) return;
  if (schema['nullable'] === true)
    count('nullable beside a $ref, which 3.0 ignores, is removed: null is rejected');
  const ignored = Object.keys(schema).filter(
    (name) => name !== '$ref' && KEYWORDS?.get(name)?.support !== 'documented',
  );
  for (const name of ignored) Reflect.deleteProperty(schema, name);
  if (ignored.some((name) => name !== 'nullable'))
    count('keywords beside a $ref, which 3.0 ignores, are removed');
}

function convertBounds(schema: Mutable, count: Count): void {
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof schema[exclusive] !== 'boolean') continue;
    if (schema[exclusive] && bound in schema) {
      schema[exclusive] = schema[bound];
      Reflect.deleteProperty(schema, bound);
    } else Reflect.deleteProperty(schema, exclusive);
    count(`${exclusive} is a number`);
  }
}

/** Leaves `readOnly` and `writeOnly` to properties: on anything else they have no meaning (OpenAPI 3.0.3 section 4.7.24.2). */
function markProperties(schemas: ReadonlyMap<string, Mutable>, count: Count): void {
  const properties = new Set(
    [...schemas].flatMap(([pointer, schema]) => {
      const [, holder] = /^(.*)\/(?:properties\/[^/]*|additionalProperties)$/.exec(pointer) ?? [];
      return holder !== undefined && schemas.has(holder) ? [schema] : [];
    }),
  );
  for (const keyword of ['readOnly', 'writeOnly']) {
    const marked = [...properties].filter((property) =>
      conjuncts(property, schemas).some((schema) => schema[keyword] === true),
    );
    for (const schema of schemas.values()) {
      if (schema[keyword] !== true || properties.has(schema)) continue;
      Reflect.deleteProperty(schema, keyword);
      count(`${keyword} of a schema that is not a property, which 3.0 ignores, is removed`);
    }
    for (const property of marked) property[keyword] = true;
  }
}

const targetOf = (schema: Mutable, schemas: ReadonlyMap<string, Mutable>): Mutable | undefined =>
  schemas.get(String(schema['$ref']).slice(1));

/** A schema, and those that always apply with it. */
function conjuncts(schema: Mutable, schemas: ReadonlyMap<string, Mutable>): Mutable[] {
  const found = new Set([schema]);
  for (const one of found) {
    const target = targetOf(one, schemas);
    if (target) found.add(target);
    for (const part of [one['allOf'] ?? []].flat()) if (isObject(part)) found.add(part);
  }
  return [...found];
}

function convertPatterns(schema: Mutable, count: Count): void {
  const { pattern, patternProperties } = schema;
  const convert = (given: string): string => {
    const converted = unicodePattern(given) ?? given; // what has no syntax at all is a finding at start
    if (converted !== given) count('patterns have the syntax of the u flag');
    return converted;
  };
  if (typeof pattern === 'string') schema['pattern'] = convert(pattern);
  if (!isObject(patternProperties)) return;
  const converted = Object.entries(patternProperties).map(([name, value]) => [convert(name), value] as const);
  const byName = Map.groupBy(converted, ([name]) => name);
  schema['patternProperties'] = Object.fromEntries(
    [...byName].map(([name, [first, ...others]]) => [
      name,
      others.length === 0 ? first?.[1] : { allOf: [first, ...others].map((one) => one?.[1]) },
    ]),
  );
}

/** Removes `nullable`, and adds null to the type. Returns whether null is to be admitted. */
function convertNullable(schema: Mutable, count: Count): boolean {
  const { nullable, type } = schema;
  if (typeof nullable !== 'boolean') return false;
  Reflect.deleteProperty(schema, 'nullable');
  count('nullable becomes the type null');
  if (nullable && type !== undefined && !('$ref' in schema))
    schema['type'] = [...new Set([type, 'null'].flat())];
  return nullable;
}

/** Adds a branch for null, where the schema has branches or refers to another one. */
function admitNull(schema: Mutable, admits: (value: unknown) => boolean): void {
  const null_ = { type: 'null' };
  if ('$ref' in schema) {
    // Annotations stay, and so does what lists the values.
    const moved = Object.entries(schema).filter(([name]) => {
      const support = KEYWORDS?.get(name)?.support;
      return name === '$ref' || (support === 'enforced' && !STAYING.includes(name));
    });
    for (const [name] of moved) Reflect.deleteProperty(schema, name);
    schema['anyOf'] = [Object.fromEntries(moved), null_];
    return;
  }
  if ('type' in schema) return; // as in 3.0, it concerns the type of its own schema
  for (const keyword of ['oneOf', 'anyOf']) {
    const branches = schema[keyword];
    if (Array.isArray(branches) && !branches.some(admits))
      schema[keyword] = [...(branches as unknown[]), null_];
  }
  const { oneOf, anyOf, allOf } = schema;
  if (!Array.isArray(allOf) || oneOf !== undefined || anyOf !== undefined) return;
  Reflect.deleteProperty(schema, 'allOf');
  schema['anyOf'] = [allOf.length === 1 ? (allOf[0] as unknown) : { allOf }, null_];
}

const STAYING = ['enum', 'const', 'default', 'readOnly', 'writeOnly', '$defs', '$anchor'];

/** Whether null conforms to a schema, by the keywords that are about its type. */
function admitsNull(schema: unknown, schemas: ReadonlyMap<string, Mutable>, seen: Set<unknown>): boolean {
  if (!isObject(schema) || seen.has(schema)) return schema !== false;
  const within = new Set(seen).add(schema);
  const admits = (one: unknown) => admitsNull(one, schemas, within);
  const { type, enum: values, const: value = null, allOf, anyOf, oneOf } = schema;
  return (
    (type === undefined || [type].flat().includes('null')) &&
    (!Array.isArray(values) || values.includes(null)) &&
    value === null &&
    admits(targetOf(schema, schemas)) &&
    (!Array.isArray(allOf) || allOf.every(admits)) &&
    (!Array.isArray(anyOf) || anyOf.some(admits)) &&
    (!Array.isArray(oneOf) || oneOf.filter(admits).length === 1)
  );
}
