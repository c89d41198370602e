import { hash, timingSafeEqual } from 'node:crypto';
import type { security } from '../generated/openapi';
import { bearerStrategy, type StrategiesFor, type Verified } from './contract';

/** The client of a request, by security scheme of the document. A handler receives it as `principal`. */
export interface Principals {
  readonly bearerAuth: Client;
}

/** The strategy that verifies the credentials of each scheme. For an API key: `new ApiKeyStrategy(verify)`. */
export const createStrategies = (verify: Verify) =>
  ({ bearerAuth: bearerStrategy(verify) }) satisfies StrategiesFor<security, Principals>;

/** The holder of a token. */
export interface Client {
  /**
   * The first 8 hexadecimal digits of the SHA-256 digest of the token: they identify a client in the log and do not
   * reveal the token. For a JWT: its subject.
   */
  readonly id: string;
  /** The scopes of a JWT. A token of API_TOKENS has none. */
  readonly scopes: readonly string[];
}

/** The id of the authenticated client; undefined for an anonymous request. */
export function clientOf(principals: Readonly<Record<string, unknown>>): string | undefined {
  const named = Object.values(principals).find(
    (principal): principal is Client =>
      typeof principal === 'object' &&
      principal !== null &&
      'id' in principal &&
      typeof principal.id === 'string',
  );
  return named?.id;
}

/** Returns the token's client, or false if the token is refused. */
export type Verify = (token: string) => Verified<Client>;

/** By way of a text of 32 characters: Node takes three times as long to return the digest as a buffer. */
const digest = (token: string) => Buffer.from(hash('sha256', token, 'binary'), 'latin1');

/**
 * Accepts the given tokens and those that `verifyJwt` accepts. Keeps only the SHA-256 digests of the given tokens, and
 * compares them in constant time.
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
    // Compares with every token, so that the time does not depend on which one matches.
    for (const known of clients) if (timingSafeEqual(known.digest, presented)) match = known.client;
    return match ?? verifyJwt(token);
  };
  return {
    verify,
    /** Replaces the accepted tokens. */
    replaceTokens: (list: readonly string[]) => {
      clients = clientsOf(list);
    },
  };
}
