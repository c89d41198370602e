import { hash } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { type Headers, type HookContext, Problem, type ServiceOptions } from '../contract';
import type { OwnKind } from '../errors';

/** How many requests a client may send within a window of time. */
export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

/** Clients that are counted at once, of those with credentials and of the anonymous each. */
const MAX_CLIENTS = 10_000;
/** Characters of a client's name that are kept as they are: a longer one is kept as its digest. */
const MAX_NAME = 64;
/** Quotes are part of its syntax: a String of RFC 9651 section 3.3.3. */
const POLICY = '"default"';

/**
 * Limits how many requests each client may send: a hook of the service, after its authentication. The answers have the
 * fields `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers-11. Only this process counts: of
 * several, each has a quota of its own.
 *
 * A client is the principal of its credentials, or for the anonymous its address: of IPv6 the network of 64 bits, since
 * one machine has as many addresses. Beyond `maxClients` the others share one quota, so that memory is bounded and none
 * of them is let through uncounted.
 *
 * @param clientOf the name of a principal; undefined for the anonymous
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
    new Problem<OwnKind>(
      'rateLimited',
      `expected at most ${requests} requests within ${seconds} seconds, got more: try again in ${left} seconds`,
      { ...fieldsFor(0, left), 'Retry-After': String(left) },
    );

  return {
    ownProblems: [refusal(seconds)],
    async afterAuthentication({ principals, request }) {
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
    },
  } satisfies Pick<ServiceOptions<OwnKind>, 'afterAuthentication' | 'ownProblems'>;
}

/** The names of the clients that are counted now, at most so many. */
class Names {
  /** When the window of each ends, the first to end first. */
  private readonly ends = new Map<string, number>();

  /** @param window milliseconds */
  constructor(
    private readonly most: number,
    private readonly window: number,
  ) {}

  /** The name by which a client is counted: the empty one, shared with others, where there are too many. */
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

/** The network that a client is counted by: an address of IPv4, or the first 64 bits of one of IPv6 (RFC 4291). */
export function networkOf(address: string): string {
  const end = address.slice(address.lastIndexOf(':') + 1);
  if (end.includes('.')) return end; // IPv4, also where it is mapped into IPv6
  const groupsOf = (text: string) => (text === '' ? [] : text.split(':'));
  const [before = '', after] = (address.split('%', 1)[0] ?? '').split('::');
  const [first, last] = [groupsOf(before), groupsOf(after ?? '')];
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  return [...first, ...zeros, ...last].slice(0, 4).join(':');
}
