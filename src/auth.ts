import { hash, timingSafeEqual } from 'node:crypto';
import type { Strategy } from 'passport';
import { Problem } from './contract/problem';
import { bearerStrategy } from './contract/strategies';

/** Who a request is from, by the security schemes of the document; a handler sees it as `principal`. */
export interface Principals {
  readonly bearerAuth: Client;
}

/** What verifies the credentials of each of them; for an API key that is `new ApiKeyStrategy(verify)`. */
export const createStrategies = (verify: Verify) =>
  ({ bearerAuth: bearerStrategy(verify) }) satisfies Record<keyof Principals, Strategy>;

/** Whoever holds one of the tokens. */
export interface Client {
  /**
   * The first digits of the SHA-256 digest of the token: enough to tell clients apart in a log, useless to a thief. Of a
   * JWT, its subject.
   */
  readonly id: string;
}

/** Whose a token is: false if it is refused. */
export type Verify = (token: string) => Client | false | Promise<Client | false>;

const digest = (token: string) => hash('sha256', token, 'buffer');

/**
 * Accepts the given tokens, and those that `verifyJwt` does. Of the given ones only SHA-256 digests are kept, and compared
 * in constant time.
 */
export function tokenVerifier(tokens: readonly string[], verifyJwt?: Verify) {
  const clientsOf = (list: readonly string[]) =>
    list.map((token) => ({ digest: digest(token), client: { id: digest(token).toString('hex', 0, 4) } }));
  let clients = clientsOf(tokens);
  const verify: Verify = (token) => {
    const presented = digest(token);
    let match: Client | undefined;
    // Every token is compared, so that the time does not tell which one was close.
    for (const known of clients) if (timingSafeEqual(known.digest, presented)) match = known.client;
    return match ?? verifyJwt?.(token) ?? false;
  };
  return {
    verify,
    /** From now on, these tokens are accepted and no others. */
    replaceTokens: (list: readonly string[]) => {
      clients = clientsOf(list);
    },
  };
}

export interface JwtIssuer {
  /** Where its public keys are (RFC 7517). */
  readonly jwksUrl: URL;
  readonly issuer: string;
  /** This service, as the issuer calls it. */
  readonly audience: string;
}

/** Seconds that the clocks of the issuer and of this machine may be apart. */
const CLOCK_TOLERANCE = 5;
/** What makes a token bad, by the codes of jose; anything else means that the keys cannot be had. */
const REFUSED = /^ERR_(JWT|JWS|JWKS_NO_MATCHING_KEY|JWKS_MULTIPLE|JOSE_ALG|JOSE_NOT_SUPPORTED)/;

/**
 * Verifies JWTs (RFC 7519) that an issuer has signed for this service and that tell their subject and their expiry. The
 * keys are fetched when they are needed, and again at most every 30 seconds for one that is unknown. The promise rejects
 * with a `Problem` (`unavailable`) where they cannot be had.
 */
export async function jwtVerifier({ jwksUrl, issuer, audience }: JwtIssuer): Promise<Verify> {
  const { createRemoteJWKSet, jwtVerify } = await import('jose'); // an ES module, loaded only where it is used
  const keys = createRemoteJWKSet(jwksUrl);
  const options = { issuer, audience, requiredClaims: ['sub', 'exp'], clockTolerance: CLOCK_TOLERANCE };
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, keys, options);
      return { id: String(payload.sub) };
    } catch (error) {
      if (REFUSED.test((error as NodeJS.ErrnoException).code ?? '')) return false;
      const retry = { 'Retry-After': '1' };
      throw new Problem('unavailable', 'tokens cannot be verified now', retry, { cause: error });
    }
  };
}
