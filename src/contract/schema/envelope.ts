import type { JsonObject } from '../document/document';
import type { Parameter } from '../operations/operations';
import type { SchemaSet } from './schema-set';

/** For each location that has parameters, the schema of an object with all of them. */
export function parameterSchemas(
  parameters: readonly Parameter[],
  schemas: SchemaSet,
): Record<string, JsonObject> {
  const locations: Record<string, JsonObject> = {};
  for (const location of new Set(parameters.map((parameter) => parameter.in))) {
    const here = parameters.filter((parameter) => parameter.in === location);
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
  return locations;
}

/**
 * The schema of a request or response without its status: its parameters, by location, and its body, if a schema judges
 * it.
 *
 * @param body the pointer of the schema that judges the body
 */
export function envelopeSchema(
  parameters: Readonly<Record<string, JsonObject>>,
  body: string | undefined,
  schemas: SchemaSet,
  bodyRequired: boolean,
): JsonObject {
  return {
    type: 'object',
    properties: { ...parameters, ...(body !== undefined && { body: schemas.body(body) }) },
    required: [...Object.keys(parameters), ...(bodyRequired ? ['body'] : [])],
  };
}
