import { OpenAPISchemaValidator } from 'express-openapi-validator/dist/framework/openapi.schema.validator';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types';
import { joinPointer, lastStep } from './json-pointer';
import { versionFinding } from './version';

let openApiSchema: OpenAPISchemaValidator | undefined;

const NO_COMPONENT =
  'is not the name of a component: expected letters of ASCII, digits, ".", "-" and "_" (OpenAPI 3.1.1 section 4.8.7)';

/** The violations of the OpenAPI 3.1 schema by a document. */
export function documentErrors(root: object): { pointer: string; message: string }[] {
  const version = versionFinding({ ...root });
  if (version) return [version];
  // Its `validateApiSpec` would validate the schema of OpenAPI itself, a constant. That took a sixth of the time to start.
  openApiSchema ??= new OpenAPISchemaValidator({ version: '3.1.0', validateApiSpec: false });
  const { errors } = openApiSchema.validate(withDoubles(root) as OpenAPIV3.DocumentV3_1);
  // `if` and `oneOf` only repeat errors below them. The table of keywords has the fields, not unevaluatedProperties.
  const repeated = ['if', 'oneOf', 'unevaluatedProperties'];
  const own = (errors ?? []).filter(
    ({ keyword, propertyName }) => !repeated.includes(keyword) && propertyName === undefined,
  );
  return own.flatMap(({ instancePath: pointer, keyword, params, message = 'is not valid' }) => {
    if (keyword === 'propertyNames')
      return [{ pointer: joinPointer(pointer, String(params['propertyName'])), message: NO_COMPONENT }];
    if (!String(params['format']).startsWith('uri')) return { pointer, message };
    // OpenAPI 3.1.1 section 4.6: each may be relative. Its schema demands a scheme.
    return isUriReference(valueAt(root, pointer))
      ? []
      : { pointer, message: 'is not a URI reference (RFC 3986)' };
  });
}

/** The characters of URI references (RFC 3986 section 2). */
const isUriReference = (value: unknown): boolean =>
  typeof value === 'string' && /^(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\da-f]{2})*$/i.test(value);

function valueAt(root: object, pointer: string): unknown {
  let value: unknown = root;
  for (const step of pointer.split('/').slice(1))
    value = typeof value === 'object' && value !== null ? Reflect.get(value, lastStep(step)) : undefined;
  return value;
}

/**
 * Replaces bigints by doubles: ajv has no other numbers, and these schemas only require a number. Copies no more than what
 * holds one: a large document has few.
 */
export function withDoubles(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  let changed: Map<string, unknown> | undefined;
  for (const [name, item] of Object.entries(value) as [string, unknown][]) {
    const replaced = withDoubles(item);
    if (replaced !== item) (changed ??= new Map<string, unknown>()).set(name, replaced);
  }
  if (!changed) return value;
  if (Array.isArray(value)) return value.map((item: unknown, i) => changed.get(String(i)) ?? item);
  return { ...value, ...Object.fromEntries(changed) };
}
