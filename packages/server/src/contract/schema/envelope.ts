import type { JsonObject } from '../document/document';
import type { Parameter } from '../operations/operations';
import type { Schema } from './rewrite';
import type { SchemaSet } from './schema-set';

/** The schemas of the parameters of an envelope, by location: that of an object with all of them, or of the whole query. */
export interface ParameterSchemas {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
}

/** An envelope without parameters. */
export const NO_PARAMETERS: ParameterSchemas = { properties: {}, required: [] };

/** The schemas of parameters, or of the headers of a response. */
export function parameterSchemas(parameters: readonly Parameter[], schemas: SchemaSet): ParameterSchemas {
  const locations: Record<string, Schema> = {};
  const whole = parameters.find((parameter) => parameter.in === 'querystring');
  const named = parameters.filter((parameter) => parameter.in !== 'querystring');
  for (const location of new Set(named.map((parameter) => parameter.in))) {
    const here = named.filter((parameter) => parameter.in === location);
    locations[location] = {
      type: 'object',
      properties: Object.fromEntries(
        here.map(({ name, schemaPointer }) => [
          name,
          schemaPointer === undefined ? true : schemas.at(schemaPointer),
        ]),
      ),
      required: here.filter(({ required }) => required).map(({ name }) => name),
    };
  }
  const required = Object.keys(locations);
  if (!whole) return { properties: locations, required };
  const query = whole.schemaPointer === undefined ? true : schemas.at(whole.schemaPointer);
  return {
    properties: { ...locations, query },
    required: whole.required ? [...required, 'query'] : required,
  };
}

/**
 * The schema of a request or response without its status: its parameters, by location, and its body, if a schema judges
 * it.
 *
 * @param body the pointer of the schema that judges the body
 */
export function envelopeSchema(
  parameters: ParameterSchemas,
  body: string | undefined,
  schemas: SchemaSet,
  bodyRequired: boolean,
): JsonObject {
  return {
    type: 'object',
    properties: { ...parameters.properties, ...(body !== undefined && { body: schemas.body(body) }) },
    required: [...parameters.required, ...(bodyRequired ? ['body'] : [])],
  };
}

/** Adds the schemas of the header fields of parts: of each name, a list of objects. */
export function withParts(
  parameters: ParameterSchemas,
  parts: ReadonlyMap<string, readonly Parameter[]> | undefined,
  schemas: SchemaSet,
): ParameterSchemas {
  if (!parts || parts.size === 0) return parameters;
  const lists = [...parts].map(([name, headers]): [string, JsonObject] => [
    name,
    { type: 'array', items: parameterSchemas(headers, schemas).properties['header'] },
  ]);
  const part = { type: 'object', properties: Object.fromEntries(lists) };
  return { ...parameters, properties: { ...parameters.properties, part } };
}
