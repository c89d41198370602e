import { type Json, type JsonObject, asObject, escapeToken } from '../json/tree';

/** How a keyword applies schemas (JSON Schema core section 10). */
interface Applicator {
  /** To which value: that of the schema object, or its items and members. */
  readonly to: 'itself' | 'parts';
  /** Which values of the schema object must satisfy them. */
  readonly binds: 'all' | 'some' | 'none';
  /** Whether the value of the keyword is an object of schemas. */
  readonly isMap?: true;
}

export const APPLICATORS: ReadonlyMap<string, Applicator> = new Map(
  Object.entries({
    allOf: { to: 'itself', binds: 'all' },
    anyOf: { to: 'itself', binds: 'some' },
    oneOf: { to: 'itself', binds: 'some' },
    if: { to: 'itself', binds: 'none' },
    then: { to: 'itself', binds: 'some' },
    else: { to: 'itself', binds: 'some' },
    not: { to: 'itself', binds: 'none' },
    prefixItems: { to: 'parts', binds: 'all' },
    properties: { to: 'parts', binds: 'all', isMap: true },
    patternProperties: { to: 'parts', binds: 'all', isMap: true },
    items: { to: 'parts', binds: 'all' },
    additionalProperties: { to: 'parts', binds: 'all' },
    unevaluatedProperties: { to: 'parts', binds: 'all' },
    unevaluatedItems: { to: 'parts', binds: 'none' },
    contains: { to: 'parts', binds: 'none' },
    propertyNames: { to: 'parts', binds: 'none' },
    dependentSchemas: { to: 'itself', binds: 'some', isMap: true },
  }),
);

/** The value of an applicator, with each of its schemas replaced. */
export function mapSchemas(keyword: string, value: Json, replace: (schema: Json) => Json): Json {
  if (Array.isArray(value)) return value.map(replace);
  if (!APPLICATORS.get(keyword)?.isMap) return replace(value);
  return Object.fromEntries(Object.entries(asObject(value)).map(([name, sub]) => [name, replace(sub)]));
}

/** The pointers of the schemas of an applicator, relative to the schema object, with their names. */
export function schemaPaths(keyword: string, schema: JsonObject): { path: string; name?: string }[] {
  const value = schema[keyword];
  if (value === undefined) return [];
  if (Array.isArray(value)) return [...value.keys()].map((index) => ({ path: `/${keyword}/${index}` }));
  if (!APPLICATORS.get(keyword)?.isMap) return [{ path: `/${keyword}` }];
  return Object.keys(asObject(value)).map((name) => ({ path: `/${keyword}/${escapeToken(name)}`, name }));
}
