import { OpenAPISchemaValidator } from 'express-openapi-validator/dist/framework/openapi.schema.validator';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types';
import { members } from './json-pointer';
import { versionFinding } from './version';

let openApiSchema: OpenAPISchemaValidator | undefined;

/** The violations of the OpenAPI 3.1 schema by a document. */
export function documentErrors(root: object): { pointer: string; message: string }[] {
  const version = versionFinding({ ...root });
  if (version) return [version];
  // Its `validateApiSpec` would validate the schema of OpenAPI itself, a constant. That took a sixth of the time to start.
  openApiSchema ??= new OpenAPISchemaValidator({ version: '3.1.0', validateApiSpec: false });
  const { errors } = openApiSchema.validate(withDoubles(root) as OpenAPIV3.DocumentV3_1);
  // `if` and `oneOf` only repeat errors below them. The table of words has the fields, not unevaluatedProperties.
  const repeated = ['if', 'oneOf', 'unevaluatedProperties'];
  const own = (errors ?? []).filter(({ keyword }) => !repeated.includes(keyword));
  return own.map(({ instancePath, message }) => ({
    pointer: instancePath,
    message: message ?? 'is not valid',
  }));
}

/** Replaces bigints by doubles: ajv has no other numbers, and these schemas only require a number. */
export function withDoubles(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (!hasBigInt(value)) return value; // a large document has few
  if (Array.isArray(value)) return value.map(withDoubles);
  return Object.fromEntries(members(value).map(([name, item]) => [name, withDoubles(item)]));
}

/** Whether a value has an integer that no double represents. */
export function hasBigInt(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint';
  for (const item of Object.values(value)) if (hasBigInt(item)) return true;
  return false;
}
