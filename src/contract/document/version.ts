import type { Finding } from './finding';
import type { JsonObject } from './json-pointer';

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
