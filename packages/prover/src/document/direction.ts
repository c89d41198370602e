import { type Json, type JsonObject, asArray, asObject, asStrings, objectAt, pointerOf } from '../json/tree';

/** The schemas of a document for one direction: a `readOnly` property is no part of a request. */
export interface Schemas {
  readonly json: JsonObject;
  readonly direction: 'request' | 'response';
}

/**
 * The schema objects that every valid value of a schema satisfies: the schema itself first, then those that it reaches
 * by `$ref` and `allOf`.
 */
export function conjuncts(json: JsonObject, schema: JsonObject): JsonObject[] {
  const found = new Set<JsonObject>();
  const visit = (node: JsonObject): void => {
    if (found.has(node)) return;
    found.add(node);
    if (typeof node['$ref'] === 'string') visit(objectAt(json, pointerOf(node['$ref'])));
    asArray(node['allOf']).map(asObject).forEach(visit);
  };
  visit(schema);
  return [...found];
}

const ONE_WAY_KEYWORDS = ['readOnly', 'writeOnly'];

/** The keyword that excludes a property from this direction. */
export const excludingKeyword = ({ direction }: Schemas): 'readOnly' | 'writeOnly' =>
  direction === 'request' ? 'readOnly' : 'writeOnly';

/** The properties of a schema object that this direction excludes. */
export const excludedNames = (schemas: Schemas, schema: JsonObject): string[] =>
  Object.entries(asObject(schema['properties'])).flatMap(([name, property]) =>
    isExcluded(schemas, property) ? [name] : [],
  );

/** Whether a schema, or one that it includes by `$ref` or `allOf`, is excluded from this direction. */
export const isExcluded = ({ json, direction }: Schemas, schema: Json): boolean =>
  conjuncts(json, asObject(schema)).some((node) => node[excludingKeyword({ json, direction })] === true);

/**
 * The properties that a schema object, or one that it includes by `$ref` or `allOf`, excludes; sorted.
 *
 * @param elsewhere properties that other schemas of the same value exclude
 */
export function allExcludedNames(
  schemas: Schemas,
  schema: JsonObject,
  elsewhere: readonly string[] = [],
): string[] {
  const names = conjuncts(schemas.json, schema).flatMap((node) => excludedNames(schemas, node));
  return [...new Set([...elsewhere, ...names])].sort();
}

/**
 * The schema object without `readOnly` and `writeOnly`: an excluded property has the schema `false` and is not
 * required.
 *
 * @param elsewhere properties that other schemas of the same value exclude
 * @see https://json-schema.org/draft/2020-12/json-schema-validation#section-9.4
 */
export function forDirection(
  schemas: Schemas,
  annotated: JsonObject,
  elsewhere: readonly string[] = [],
): JsonObject {
  const schema = Object.fromEntries(
    Object.entries(annotated).filter(([keyword]) => !ONE_WAY_KEYWORDS.includes(keyword)),
  );
  const names = excludedNames(schemas, annotated);
  const required = asStrings(schema['required']).filter((name) => ![...names, ...elsewhere].includes(name));
  const absent = Object.fromEntries(names.map((name) => [name, false]));
  return {
    ...schema,
    ...(names.length > 0 && { properties: { ...asObject(schema['properties']), ...absent } }),
    ...(schema['required'] !== undefined && { required }),
  };
}
