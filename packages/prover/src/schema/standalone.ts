import {
  conjuncts,
  allExcludedNames,
  excludedNames,
  forDirection,
  isExcluded,
  type Schemas,
} from '../document/direction';
import {
  asArray,
  asObject,
  asString,
  type Json,
  type JsonObject,
  nodeAt,
  objectAt,
  pointerOf,
} from '../json/tree';
import { Untestable } from '../untestable';
import { APPLICATORS, mapSchemas } from './applicators';
import { FORMAT_PATTERNS, INTEGER_FORMATS, isKnownFormat } from './known-formats';

/** Keywords that the validator would misread: an `example` may contain `$ref` or `id`. */
const ANNOTATIONS = ['example', 'examples', 'default', 'xml', 'discriminator', 'externalDocs'];

/** Keywords without effect of their own: references to their schemas are pointers. */
const DEFINITIONS = ['$defs', 'definitions', '$schema', '$comment', '$vocabulary'];

/** Keywords on which the meaning of another keyword depends. */
const COMPANION_KEYWORDS: ReadonlyMap<string, string[]> = new Map(
  Object.entries({
    additionalProperties: ['properties', 'patternProperties'],
    unevaluatedProperties: ['properties', 'patternProperties', 'allOf', 'anyOf', 'oneOf', '$ref'],
    items: ['prefixItems'],
    unevaluatedItems: ['prefixItems', 'allOf', 'anyOf', 'oneOf', '$ref'],
    contains: ['minContains', 'maxContains'],
  }),
);

/**
 * A schema, or one keyword of it, as a document of its own: `$defs` contains every schema that it refers to.
 *
 * @param only the keyword
 * @throws {Error} if a schema contains a keyword that is not supported
 */
export function standalone(schemas: Schemas, pointer: string, only?: string): JsonObject {
  const references = new Map<string, string>();
  const definitions: JsonObject = {};
  const refer = (to: string, elsewhere: readonly string[] = []): string => {
    const name = JSON.stringify([to, elsewhere]);
    const known = references.get(name);
    if (known !== undefined) return known;
    const reference = `#/$defs/${references.size}`;
    const key = String(references.size);
    references.set(name, reference);
    definitions[key] = true; // A recursive schema refers to it before it is complete.
    // An excluded schema allows no value inside of another one. The root schema is judged all the same.
    const isNested = to !== pointer || elsewhere.length > 0;
    definitions[key] =
      isNested && isExcluded(schemas, nodeAt(schemas.json, to))
        ? false
        : rewrite(schemas, nodeAt(schemas.json, to), to, refer, elsewhere);
    return reference;
  };
  if (only === undefined) return { $ref: refer(pointer), $defs: definitions };
  const kept = [only, ...(COMPANION_KEYWORDS.get(only) ?? [])];
  const schema = forDirection(schemas, objectAt(schemas.json, pointer));
  const entries = Object.entries(schema).filter(([keyword]) => kept.includes(keyword));
  const alone = asObject(rewrite(schemas, Object.fromEntries(entries), pointer, refer));
  return { ...alone, $defs: definitions };
}

/**
 * Rewrites a schema for its direction: removes annotations, replaces references, and adds the bounds of integer
 * formats.
 *
 * @param elsewhere properties that other schemas of the same value exclude
 */
function rewrite(
  schemas: Schemas,
  json: Json,
  pointer: string,
  refer: (pointer: string, elsewhere: readonly string[]) => string,
  elsewhere: readonly string[] = [],
): Json {
  if (typeof json === 'boolean') return json;
  const absent = allExcludedNames(schemas, asObject(json), elsewhere);
  const schema = forDirection(schemas, asObject(json), absent);
  if (schema['$dynamicRef'] !== undefined)
    throw new Untestable(
      `expected a schema that the oracle supports, got $dynamicRef at ${pointer}: rewrite the schema without it`,
    );
  const rewritten = (keyword: string, value: Json): Json => {
    const excluded = APPLICATORS.get(keyword)?.to === 'itself' ? absent : [];
    if (keyword === '$ref') return refer(pointerOf(asString(value)), absent);
    if (!APPLICATORS.has(keyword)) return value;
    return mapSchemas(keyword, value, (sub) =>
      isExcluded(schemas, sub) ? false : rewrite(schemas, sub, `${pointer}/${keyword}`, refer, excluded),
    );
  };
  // An assignment to `__proto__` would make keywords of its value.
  const copy: JsonObject = Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !ANNOTATIONS.includes(keyword) && !DEFINITIONS.includes(keyword))
      .map(([keyword, value]) => [keyword, rewritten(keyword, value)]),
  );
  for (const branch of markedBranches(schemas, schema))
    copy['allOf'] = [...asArray(copy['allOf']), { not: rewrite(schemas, branch, pointer, refer) }];
  const { format } = copy;
  if (typeof format !== 'string') return copy;
  const pattern = FORMAT_PATTERNS.get(format);
  const meaning = INTEGER_FORMATS.get(format) ?? (pattern === undefined ? undefined : { pattern });
  if (meaning) copy['allOf'] = [...asArray(copy['allOf']), meaning];
  // The validator asserts formats that are annotations for the prover.
  if (!isKnownFormat(format)) Reflect.deleteProperty(copy, 'format');
  return copy;
}

/**
 * The values of a request that a branch of `anyOf` or `oneOf` admits, but for its mark `readOnly`: another branch may admit
 * them, too, and the mark counts all the same.
 */
function markedBranches(schemas: Schemas, schema: JsonObject): JsonObject[] {
  if (schemas.direction === 'response') return [];
  return [...asArray(schema['anyOf']), ...asArray(schema['oneOf'])].flatMap((branch) => {
    const parts = conjuncts(schemas.json, asObject(branch));
    const names = [...new Set(parts.flatMap((part) => excludedNames(schemas, part)))];
    const isMarked = isExcluded(schemas, branch);
    if (!isMarked && names.length === 0) return [];
    const unmarked = parts.map((part): JsonObject => {
      const own = Object.entries(part).filter(
        ([keyword]) => !['$ref', 'allOf', 'readOnly'].includes(keyword),
      );
      const free = excludedNames(schemas, part).map((name): [string, Json] => [name, true]);
      const properties = { ...asObject(part['properties']), ...Object.fromEntries(free) };
      return { ...Object.fromEntries(own), ...(free.length > 0 && { properties }) };
    });
    const present = isMarked ? [] : [{ anyOf: names.map((name) => ({ required: [name] })) }];
    return [{ allOf: [...unmarked, ...present] }];
  });
}
