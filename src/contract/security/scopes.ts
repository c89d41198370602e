import { SCOPE } from '../operations/declared-scopes';
import type { SecurityAlternative } from '../operations/operations';

/**
 * Whether a principal holds all of some scopes, by its property `scopes`. Without one it holds none.
 *
 * @throws {TypeError} if `scopes` is something else than an array: a string would contain parts of its scopes, too
 */
export function holds(principal: object, demanded: readonly string[]): boolean {
  if (demanded.length === 0) return true;
  const held = heldBy(principal);
  return held !== undefined && demanded.every((scope) => held.includes(scope));
}

function heldBy(principal: object): readonly string[] | undefined {
  const held: unknown = 'scopes' in principal ? principal.scopes : undefined;
  if (held === undefined) return undefined;
  if (Array.isArray(held)) return held as string[];
  throw new TypeError(`expected the scopes of a principal to be an array of strings, got ${typeof held}`);
}

/** The scopes of credentials, by security scheme. */
export type Scopes = Readonly<
  Record<string, { readonly demanded: readonly string[]; readonly held: readonly string[] }>
>;

/**
 * What an operation demanded of the credentials that it accepted, and what their principals hold.
 *
 * @param security the alternatives of the operation; the first that the principals satisfy is the one that counted
 */
export function scopesOf(
  security: readonly SecurityAlternative[],
  principals: Readonly<Record<string, unknown>>,
): Scopes {
  const principalOf = (scheme: string): object => Object(principals[scheme]) as object;
  const satisfied = security.find(
    (schemes) =>
      schemes.length === Object.keys(principals).length &&
      schemes.every(({ scheme, scopes }) => scheme in principals && holds(principalOf(scheme), scopes)),
  );
  return Object.fromEntries(
    (satisfied ?? []).map(({ scheme, scopes }) => [
      scheme,
      { demanded: scopes, held: heldBy(principalOf(scheme)) ?? [] },
    ]),
  );
}

/** What a challenge says of credentials that lack scopes (RFC 6750 section 3.1). */
export function insufficientScope(demanded: readonly string[]): string {
  // The names of roles are free, and not all of them can be told in a header.
  const listed = demanded.every((scope) => SCOPE.test(scope)) ? `, scope="${demanded.join(' ')}"` : '';
  return `error="insufficient_scope"${listed}`;
}
