import { OpenAPISchemaValidator } from 'express-openapi-validator/dist/framework/openapi.schema.validator';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types';
import type { Finding } from './finding';
import { joinPointer, type JsonObject } from './json-pointer';

interface Document {
  readonly root: JsonObject;
  at(pointer: string): unknown;
}

/** The finding, with advice, for a document of another version than OpenAPI 3.1; undefined for any patch of 3.1. */
export function versionFinding({ openapi, swagger }: JsonObject): Finding | undefined {
  if (typeof openapi === 'string' && /^3\.1\.\d+/.test(openapi)) return undefined;
  if (openapi === undefined && swagger !== undefined) {
    const message =
      `expected an OpenAPI 3.1 document, got Swagger ${text(swagger)}: convert it to OpenAPI 3.0 or 3.1 first, ` +
      'for example with swagger2openapi or in Swagger Editor';
    return { pointer: '/swagger', message };
  }
  const expected = `expected the version of an OpenAPI 3.1 document, got ${text(openapi)}`;
  return { pointer: '/openapi', message: expected + adviceFor(text(openapi)) };
}

function adviceFor(version: string): string {
  if (/^3\.0\.\d+/.test(version)) return ': `make mock` and `make generate` convert it to 3.1';
  if (/^3\.[2-9]/.test(version)) {
    return ': later versions are not served yet; leave out what they add, and set openapi to 3.1.1';
  }
  return version === '3.1' || version === '3.0' ? ': write it in full and in quotes, such as "3.1.1"' : '';
}

const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number'
    ? String(value)
    : value === undefined
      ? 'none'
      : 'another value';

let openApiSchema: OpenAPISchemaValidator | undefined;

const NO_COMPONENT =
  'is not the name of a component: expected letters of ASCII, digits, ".", "-" and "_" (OpenAPI 3.1.1 section 4.8.7)';

/** The violations of the OpenAPI 3.1 schema by a document. */
export function documentErrors(document: Document): { pointer: string; message: string }[] {
  const { root } = document;
  const version = versionFinding(root);
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
    return isUriReference(document.at(pointer))
      ? []
      : { pointer, message: 'is not a URI reference (RFC 3986)' };
  });
}

/** The characters of URI references (RFC 3986 section 2). */
const isUriReference = (value: unknown): boolean =>
  typeof value === 'string' && /^(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\da-f]{2})*$/i.test(value);

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
