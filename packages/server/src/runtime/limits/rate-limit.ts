import { hash } from 'node:crypto';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import { type Headers, type HookContext, Problem } from '../../contract';
import { StoreUnavailable } from 'contract-first-database';
import type { OperationalKind } from '../errors';
import { createLimiter, type SharedStore } from './limiter';
import { networkOf } from './network';
import type { RateLimit } from './rate-limit-stores';

/** What becomes of requests that cannot be counted. */
export type WhenAway = 'refuse' | 'allow';

/** The parts of a request that decide who sent it. */
interface Counted {
  readonly principals: HookContext['principals'];
  readonly request: { readonly socket: { readonly remoteAddress?: string | undefined } };
}

/** The maximum number of counted clients: authenticated ones, as many anonymous ones, and as many networks of rejected credentials. */
const MAX_CLIENTS = 10_000;
/** Names that every store keeps as they are. Another is stored as its digest, which is longer. */
const PLAIN_NAME = /^[ -~]{1,63}$/;
/** Seconds. */
const RETRY_AFTER = '1';
/** A String of RFC 9651 section 3.3.3: the quotes are part of the syntax. */
const POLICY = '"default"';

/**
 * Limits the requests of each client: a hook that runs after authentication, and one that runs when credentials are rejected.
 * The responses have the fields `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers-11.
 *
 * A client is the authenticated principal. An anonymous client is its address; for IPv6 its 64-bit network, since one
 * machine has that many addresses. Requests whose credentials are rejected count in a separate quota of their network, so
 * they limit neither anonymous clients nor those whose credentials are accepted. Beyond `maxClients` the remaining clients
 * share one quota: memory is bounded, and every request counts.
 *
 * @param clientOf returns the name of the principal; undefined for an anonymous request
 */
export function createRateLimiter(
  limit: RateLimit,
  clientOf: (principals: HookContext['principals']) => string | undefined,
  store?: SharedStore & { readonly whenAway: WhenAway },
  maxClients = MAX_CLIENTS,
) {
  const { requests, seconds } = limit;
  const limiter = createLimiter(limit, store && { ...store, service: shortName(store.service) });
  const known = new Names(maxClients, seconds * 1000);
  const anonymous = new Names(maxClients, seconds * 1000);
  const rejected = new Names(maxClients, seconds * 1000);
  // The clocks of servers differ.
  const secondsOf = ({ msBeforeNext }: RateLimiterRes) =>
    Math.min(seconds, Math.max(1, Math.ceil(msBeforeNext / 1000)));
  const fieldsFor = (remaining: number, left: number): Headers => ({
    'RateLimit-Policy': `${POLICY};q=${requests};w=${seconds}`,
    RateLimit: `${POLICY};r=${remaining};t=${left}`,
  });
  const refusal = (left: number) =>
    new Problem<OperationalKind>(
      'rateLimited',
      `expected at most ${requests} requests within ${seconds} seconds, got more: try again in ${left} seconds`,
      { ...fieldsFor(0, left), 'Retry-After': String(left) },
    );

  /** @returns undefined if it cannot be counted now */
  async function count(key: string): Promise<RateLimiterRes | undefined> {
    const counted = await limiter.consume(key).catch((error: unknown) => {
      if (!(error instanceof StoreUnavailable)) throw error;
      return undefined;
    });
    if (counted && counted.consumedPoints > requests) throw refusal(secondsOf(counted));
    return counted;
  }

  const networkIn = ({ request }: Counted) => networkOf(request.socket.remoteAddress ?? '');

  async function rateLimit(context: Counted): Promise<Headers> {
    const client = clientOf(context.principals);
    const key =
      client === undefined
        ? `anonymous ${anonymous.nameOf(networkIn(context))}`
        : `known ${known.nameOf(client)}`;
    const counted = await count(key);
    if (counted) return fieldsFor(counted.remainingPoints, secondsOf(counted));
    if (store?.whenAway === 'allow') return {};
    throw UNCOUNTED;
  }

  async function rateLimitRejected(context: Counted): Promise<void> {
    await count(`rejected ${rejected.nameOf(networkIn(context))}`);
  }

  return {
    ownProblems: [refusal(seconds)],
    afterAuthentication: rateLimit,
    afterRejection: rateLimitRejected,
    close: () => limiter.close(),
  };
}

const UNCOUNTED = new Problem(
  'unavailable',
  'requests cannot be counted now and are rejected: try again later',
  { 'Retry-After': RETRY_AFTER },
);

/** A name of at most 64 ASCII characters; no two names have the same. */
const shortName = (name: string): string => (PLAIN_NAME.test(name) ? name : hash('sha256', name));

/** The names of the clients that are counted now, at most `most`. */
class Names {
  /** The end of each client's window, in order of time. */
  private readonly ends = new Map<string, number>();

  /** @param window milliseconds */
  constructor(
    private readonly most: number,
    private readonly window: number,
  ) {}

  /** The name to count a client by. Beyond `most` clients: the empty name, which all others share. */
  nameOf(client: string): string {
    const name = shortName(client);
    const now = Date.now();
    for (const [other, end] of this.ends) {
      if (end > now) break;
      this.ends.delete(other);
    }
    if (this.ends.has(name)) return name;
    if (this.ends.size >= this.most) return '';
    this.ends.set(name, now + this.window);
    return name;
  }
}
