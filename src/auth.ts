import { hash, timingSafeEqual } from 'node:crypto';
import { Strategy as BearerStrategy } from 'passport-http-bearer';
import type { Strategies } from './contract/security';

/** Who a request is from, by security scheme; a handler sees it as `principal`. */
export interface Principals {
  readonly bearerAuth: Client;
}

/** Whoever holds one of the tokens. */
export interface Client {
  /** The first digits of the SHA-256 digest of the token: enough to tell clients apart in a log, useless to a thief. */
  readonly id: string;
}

type Done = (error: unknown, client?: Client | false) => void;

const digest = (token: string) => hash('sha256', token, 'buffer');

/** Accepts the given tokens. Of these, only SHA-256 digests are kept, and compared in constant time. */
export function bearerStrategies(tokens: readonly string[]): Strategies {
  const clients = tokens.map((token) => ({
    digest: digest(token),
    client: { id: digest(token).toString('hex', 0, 4) },
  }));
  const bearerAuth = new BearerStrategy({ realm: 'api' }, (token: string, done: Done) => {
    const presented = digest(token);
    // Every token is compared, so that the time does not tell which one was close.
    const [match] = clients.filter((known) => timingSafeEqual(known.digest, presented));
    done(null, match?.client ?? false);
  });
  return { bearerAuth };
}
