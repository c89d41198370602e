import { joinPointer, isObject, members, type OpenApiDocument } from '../document/document';

/** A scope (RFC 6749 section 3.3). */
export const SCOPE = /^[!#-[\]-~]+$/;

/**
 * Adds a finding for each invalid scope of a security requirement, and for each scope that no flow of its oauth2 scheme
 * declares (OpenAPI 3.1 section 4.8.30).
 *
 * @param pointer to the scheme in the security requirement
 */
export function checkScopes(
  document: OpenApiDocument,
  pointer: string,
  scheme: string,
  scopes: readonly string[],
): void {
  const { type, flows } = document.follow(joinPointer('/components/securitySchemes', scheme)).value;
  if (type !== 'oauth2' && type !== 'openIdConnect') return; // other types have roles, which no scheme declares
  const declared = new Set(members(flows).flatMap(([, flow]) => scopesOf(flow)));
  for (const scope of scopes) {
    if (!SCOPE.test(scope)) {
      document.addFinding(pointer, `${JSON.stringify(scope)} is not a scope (RFC 6749 section 3.3)`);
    } else if (type === 'oauth2' && !declared.has(scope)) {
      const known = [...declared].join(', ') || 'none';
      document.addFinding(
        pointer,
        `no flow of ${scheme} declares the scope ${scope}; declared are: ${known}`,
      );
    }
  }
}

const scopesOf = (flow: unknown): string[] =>
  isObject(flow) ? members(flow['scopes']).map(([scope]) => scope) : [];
