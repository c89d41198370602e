import { type Json, type JsonObject, list, object, strings } from '../json/json';
import { at, target } from '../json/pointer';

/** The schemas of a document as they read one way: a `readOnly` property is no part of a request. */
export interface Schemas {
  readonly json: JsonObject;
  readonly direction: 'request' | 'response';
}

const MARKS = ['readOnly', 'writeOnly'];

/** What the properties are marked with that do not go this way. */
export const markOf = ({ direction }: Schemas): 'readOnly' | 'writeOnly' =>
  direction === 'request' ? 'readOnly' : 'writeOnly';

/** The names of those properties of a schema object that do not go this way. */
export const excluded = (schemas: Schemas, schema: JsonObject): string[] =>
  Object.entries(object(schema['properties'])).flatMap(([name, property]) =>
    isMarked(schemas, property) ? [name] : [],
  );

/** Whether no value of a schema goes this way: it is marked, or what it refers to, or a part of its `allOf`. */
export function isMarked(schemas: Schemas, schema: Json): boolean {
  const seen = new Set<Json>();
  const visit = (node: JsonObject): boolean => {
    if (seen.has(node)) return false;
    seen.add(node);
    if (node[markOf(schemas)] === true) return true;
    const reference = typeof node['$ref'] === 'string' ? [at(schemas.json, target(node['$ref']))] : [];
    return [...reference, ...list(node['allOf'])].map(object).some(visit);
  };
  return visit(object(schema));
}

/** The same names, those included that schemas exclude which the schema object is certainly made of; sorted. */
export function excludedInAll(schemas: Schemas, schema: JsonObject): string[] {
  const seen = new Set<JsonObject>();
  const visit = (node: JsonObject): string[] => {
    if (seen.has(node)) return [];
    seen.add(node);
    const reference = typeof node['$ref'] === 'string' ? [at(schemas.json, target(node['$ref']))] : [];
    const parts = [...reference, ...list(node['allOf'])].map(object);
    return [...excluded(schemas, node), ...parts.flatMap(visit)];
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
export function directed(
  schemas: Schemas,
  marked: JsonObject,
  elsewhere: readonly string[] = [],
): JsonObject {
  const schema = Object.fromEntries(Object.entries(marked).filter(([keyword]) => !MARKS.includes(keyword)));
  const names = excluded(schemas, marked);
  const required = strings(schema['required']).filter((name) => ![...names, ...elsewhere].includes(name));
  const absent = Object.fromEntries(names.map((name) => [name, false]));
  return {
    ...schema,
    ...(names.length > 0 && { properties: { ...object(schema['properties']), ...absent } }),
    ...(schema['required'] !== undefined && { required }),
  };
}
