import type { JsonObject } from '../document/document';

/** How a client presents the credentials of a security scheme: as a bearer token, as user and password, or as an API key. */
export type SchemeKind = 'bearer' | 'basic' | 'apiKey';

/** The kind of a Security Scheme Object (OpenAPI 3.1 section 4.8.27); undefined if it cannot be served. */
export function schemeKind({ type, scheme }: JsonObject): SchemeKind | undefined {
  if (type === 'apiKey') return type;
  if (type === 'oauth2' || type === 'openIdConnect') return 'bearer';
  const name = type === 'http' ? String(scheme).toLowerCase() : ''; // RFC 9110 section 11.1
  return name === 'bearer' || name === 'basic' ? name : undefined;
}
