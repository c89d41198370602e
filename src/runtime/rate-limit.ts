import { hash } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { type Headers, type HookContext, Problem, type ServiceOptions } from '../contract';
import type { OperationalKind } from './errors';

/** The number of requests that a client may send within a window of time. */
export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

/** The parts of a request that decide who sent it. */
interface Counted {
  readonly principals: HookContext['principals'];
  readonly request: { readonly socket: { readonly remoteAddress?: string | undefined } };
}

/** The maximum number of counted clients: authenticated ones, and as many anonymous ones. */
const MAX_CLIENTS = 10_000;
/** Characters. A longer client name is stored as its digest. */
const MAX_NAME = 64;
/** A String of RFC 9651 section 3.3.3: the quotes are part of the syntax. */
const POLICY = '"default"';

/**
 * Limits the requests of each client: a hook that runs after authentication. The responses have the fields `RateLimit`
 * and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers-11. Each process counts separately.
 *
 * A client is the authenticated principal. An anonymous client is its address; for IPv6 its 64-bit network, since one
 * machine has that many addresses. Beyond `maxClients` the remaining clients share one quota: memory is bounded, and
 * every request counts.
 *
 * @param clientOf returns the name of the principal; undefined for an anonymous request
 */
export function createRateLimiter(
  { requests, seconds }: RateLimit,
  clientOf: (principals: HookContext['principals']) => string | undefined,
  maxClients = MAX_CLIENTS,
) {
  const limiter = new RateLimiterMemory({ points: requests, duration: seconds });
  const known = new Names(maxClients, seconds * 1000);
  const anonymous = new Names(maxClients, seconds * 1000);
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

  async function rateLimit({ principals, request }: Counted): Promise<Headers> {
    const client = clientOf(principals);
    const key =
      client === undefined
        ? `anonymous ${anonymous.nameOf(networkOf(request.socket.remoteAddress ?? ''))}`
        : `known ${known.nameOf(client)}`;
    const { remainingPoints, consumedPoints, msBeforeNext } = await limiter
      .consume(key)
      .catch((refused: unknown) => {
        if (refused instanceof RateLimiterRes) return refused;
        throw refused;
      });
    const left = Math.ceil(msBeforeNext / 1000);
    if (consumedPoints > requests) throw refusal(left);
    return fieldsFor(remainingPoints, left);
  }

  return { ownProblems: [refusal(seconds)], afterAuthentication: rateLimit } satisfies Pick<
    ServiceOptions<OperationalKind>,
    'afterAuthentication' | 'ownProblems'
  >;
}

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
    const name = client.length > MAX_NAME ? hash('sha256', client) : client;
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

/** The network of an address: an IPv4 address, or the first 64 bits of an IPv6 address (RFC 4291). */
export function networkOf(address: string): string {
  const end = address.slice(address.lastIndexOf(':') + 1);
  if (end.includes('.')) return end; // IPv4, or IPv4 mapped to IPv6
  const groupsOf = (text: string) => (text === '' ? [] : text.split(':'));
  const [before = '', after] = (address.split('%', 1)[0] ?? '').split('::');
  const [first, last] = [groupsOf(before), groupsOf(after ?? '')];
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  return [...first, ...zeros, ...last].slice(0, 4).join(':');
}
