import { joinPointer, isObject, members, type OpenApiDocument } from '../document/document';

/** A scope (RFC 6749 section 3.3). */
export const SCOPE = /^[!#-[\]-~]+$/;

/**
 * A message for each invalid scope of a security requirement, and for each scope that no flow of its oauth2 scheme declares
 * (OpenAPI 3.1 section 4.8.30).
 */
export function scopeFaults(document: OpenApiDocument, scheme: string, scopes: readonly string[]): string[] {
  const { type, flows } = document.follow(joinPointer('/components/securitySchemes', scheme)).value;
  if (type !== 'oauth2' && type !== 'openIdConnect') return []; // other types have roles, which no scheme declares
  const declared = new Set(members(flows).flatMap(([, flow]) => scopesOf(flow)));
  return scopes.flatMap((scope) => {
    if (!SCOPE.test(scope)) return [`${JSON.stringify(scope)} is not a scope (RFC 6749 section 3.3)`];
    if (type !== 'oauth2' || declared.has(scope)) return [];
    const known = [...declared].join(', ') || 'none';
    return [`no flow of ${scheme} declares the scope ${scope}; declared are: ${known}`];
  });
}

const scopesOf = (flow: unknown): string[] =>
  isObject(flow) ? members(flow['scopes']).map(([scope]) => scope) : [];
