import { SCOPE } from '../operations/declared-scopes';
import type { SecurityAlternative } from '../operations/operations';

/**
 * Whether a principal holds all demanded scopes, by its property `scopes`. Without that property it holds none.
 *
 * @throws {TypeError} if `scopes` is not an array: `includes` of a string would accept parts of a scope
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
 * Returns the demanded and the held scopes of accepted credentials.
 *
 * @param security the alternatives of the operation, of which the first that the principals satisfy counts
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

/** The longest list of scopes in a challenge, in characters: clients bound the size of a head. */
const MAX_SCOPE = 1_000;

/** The parameters of a challenge to credentials that lack scopes (RFC 6750 section 3.1). */
export function insufficientScope(demanded: readonly string[]): string {
  // Names of roles are arbitrary: a header cannot carry all of them.
  const scope = demanded.join(' ');
  const isSendable = scope.length <= MAX_SCOPE && demanded.every((one) => SCOPE.test(one));
  return `error="insufficient_scope"${isSendable ? `, scope="${scope}"` : ''}`;
}
