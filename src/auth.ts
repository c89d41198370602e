import { hash, timingSafeEqual } from 'node:crypto';
import type { security } from '../generated/openapi';
import { bearerStrategy, type StrategiesFor, type Verified } from './contract';

/** Who a request is from, by the security schemes of the document; a handler sees it as `principal`. */
export interface Principals {
  readonly bearerAuth: Client;
}

/** What verifies the credentials of each of them; for an API key that is `new ApiKeyStrategy(verify)`. */
export const createStrategies = (verify: Verify) =>
  ({ bearerAuth: bearerStrategy(verify) }) satisfies StrategiesFor<security, Principals>;

/** Whoever holds one of the tokens. */
export interface Client {
  /**
   * The first digits of the SHA-256 digest of the token: enough to tell clients apart in a log, useless to a thief. Of a
   * JWT, its subject.
   */
  readonly id: string;
  /** Those of a JWT. A token of API_TOKENS holds none. */
  readonly scopes: readonly string[];
}

/** The client that has authenticated; undefined for the anonymous. */
export function clientOf(principals: Readonly<Record<string, unknown>>): string | undefined {
  const { bearerAuth } = principals as Partial<Principals>;
  return bearerAuth?.id;
}

/** Whose a token is, or false if it is refused. */
export type Verify = (token: string) => Verified<Client>;

/** By way of a text of 32 bytes: Node takes three times as long to return a buffer of its own. */
const digest = (token: string) => Buffer.from(hash('sha256', token, 'binary'), 'latin1');

/**
 * Accepts the given tokens, and those that `verifyJwt` does. Of the given ones only SHA-256 digests are kept, and compared
 * in constant time.
 */
export function tokenVerifier(tokens: readonly string[], verifyJwt: Verify = () => false) {
  const clientsOf = (list: readonly string[]) =>
    list.map((token) => ({
      digest: digest(token),
      client: { id: digest(token).toString('hex', 0, 4), scopes: [] },
    }));
  let clients = clientsOf(tokens);
  const verify: Verify = (token) => {
    const presented = digest(token);
    let match: Client | undefined;
    // Every token is compared, so that the time does not tell which one was close.
    for (const known of clients) if (timingSafeEqual(known.digest, presented)) match = known.client;
    return match ?? verifyJwt(token);
  };
  return {
    verify,
    /** From now on, these tokens are accepted and no others. */
    replaceTokens: (list: readonly string[]) => {
      clients = clientsOf(list);
    },
  };
}
