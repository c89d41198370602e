import { type Json, type JsonObject, asArray, asObject, asStrings } from '../json/json';
import { nodeAt, pointerOf } from '../json/pointer';

/** The schemas of a document as they read one way: a `readOnly` property is no part of a request. */
export interface Schemas {
  readonly json: JsonObject;
  readonly direction: 'request' | 'response';
}

const ONE_WAY_KEYWORDS = ['readOnly', 'writeOnly'];

/** What the properties are marked with that do not go this way. */
export const excludingKeyword = ({ direction }: Schemas): 'readOnly' | 'writeOnly' =>
  direction === 'request' ? 'readOnly' : 'writeOnly';

/** The names of those properties of a schema object that do not go this way. */
export const excludedNames = (schemas: Schemas, schema: JsonObject): string[] =>
  Object.entries(asObject(schema['properties'])).flatMap(([name, property]) =>
    isExcluded(schemas, property) ? [name] : [],
  );

/** Whether no value of a schema goes this way: it is marked, or what it refers to, or a part of its `allOf`. */
export function isExcluded(schemas: Schemas, schema: Json): boolean {
  const seen = new Set<Json>();
  const visit = (node: JsonObject): boolean => {
    if (seen.has(node)) return false;
    seen.add(node);
    if (node[excludingKeyword(schemas)] === true) return true;
    const reference = typeof node['$ref'] === 'string' ? [nodeAt(schemas.json, pointerOf(node['$ref']))] : [];
    return [...reference, ...asArray(node['allOf'])].map(asObject).some(visit);
  };
  return visit(asObject(schema));
}

/** The same names, those included that schemas exclude which the schema object is certainly made of; sorted. */
export function excludedNamesThroughAllOf(schemas: Schemas, schema: JsonObject): string[] {
  const seen = new Set<JsonObject>();
  const visit = (node: JsonObject): string[] => {
    if (seen.has(node)) return [];
    seen.add(node);
    const reference = typeof node['$ref'] === 'string' ? [nodeAt(schemas.json, pointerOf(node['$ref']))] : [];
    const parts = [...reference, ...asArray(node['allOf'])].map(asObject);
    return [...excludedNames(schemas, node), ...parts.flatMap(visit)];
  };
  return [...new Set(visit(schema))].sort();
}

/**
 * The schema object in plain JSON Schema: what does not go this way is `false`, and `required` does not ask for it.
 * Marks say nothing beyond that.
 *
 * @param elsewhere names that other schemas of the same value exclude
 * @see https://json-schema.org/draft/2020-12/json-schema-validation#section-9.4
 */
export function forDirection(
  schemas: Schemas,
  marked: JsonObject,
  elsewhere: readonly string[] = [],
): JsonObject {
  const schema = Object.fromEntries(
    Object.entries(marked).filter(([keyword]) => !ONE_WAY_KEYWORDS.includes(keyword)),
  );
  const names = excludedNames(schemas, marked);
  const required = asStrings(schema['required']).filter((name) => ![...names, ...elsewhere].includes(name));
  const absent = Object.fromEntries(names.map((name) => [name, false]));
  return {
    ...schema,
    ...(names.length > 0 && { properties: { ...asObject(schema['properties']), ...absent } }),
    ...(schema['required'] !== undefined && { required }),
  };
}
