import { SCOPE } from '../operations/declared-scopes';

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
