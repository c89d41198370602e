import { below, isObject, members, type OpenApiDocument } from '../document/document';

/** RFC 6749 section 3.3. */
const SCOPE = /^[!#-[\]-~]+$/;

/**
 * Adds a finding for each scope of a security requirement that no credentials can hold: an oauth2 scheme declares its
 * scopes (OpenAPI 3.1 section 4.8.30), in any of its flows.
 *
 * @param pointer of the scheme in the security requirement
 */
export function checkScopes(
  document: OpenApiDocument,
  pointer: string,
  scheme: string,
  scopes: readonly string[],
): void {
  const { type, flows } = document.follow(below('/components/securitySchemes', scheme)).value;
  if (type !== 'oauth2' && type !== 'openIdConnect') return; // roles, which are declared nowhere
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

/**
 * Whether a principal holds all of some scopes, by its property `scopes`. Without one it holds none.
 *
 * @throws {TypeError} if `scopes` is something else than an array: a string would contain parts of its scopes, too
 */
export function holds(principal: object, demanded: readonly string[]): boolean {
  if (demanded.length === 0) return true;
  const held: unknown = 'scopes' in principal ? principal.scopes : undefined;
  if (held === undefined) return false;
  if (Array.isArray(held)) return demanded.every((scope) => held.includes(scope));
  throw new TypeError(`expected the scopes of a principal to be an array of strings, got ${typeof held}`);
}

/** What a challenge says of credentials that lack scopes (RFC 6750 section 3.1). */
export function insufficientScope(demanded: readonly string[]): string {
  // The names of roles are free, and not all of them can be told in a header.
  const listed = demanded.every((scope) => SCOPE.test(scope)) ? `, scope="${demanded.join(' ')}"` : '';
  return `error="insufficient_scope"${listed}`;
}
