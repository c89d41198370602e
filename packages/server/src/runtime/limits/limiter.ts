import type { Logger } from 'pino';
import {
  RateLimiterCluster,
  RateLimiterClusterMaster,
  RateLimiterMemory,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { StoreUnavailable } from 'contract-first-database';
import { inTime } from '../observe/probes';
import { openLimiterStore, type RateLimit, STORE_TIMEOUT } from './rate-limit-stores';

/** Counts the requests of clients. */
export interface Limiter {
  /**
   * Counts a request of a client, by the key of the client. It is over the quota if its `consumedPoints` are.
   *
   * @throws {StoreUnavailable} if nobody can count now
   */
  consume(client: string): Promise<RateLimiterRes>;
  close(): Promise<void>;
}

/** Where several servers count together. */
export interface SharedStore {
  /** `redis://`, `rediss://` or `postgres://`. */
  readonly url: string;
  /** The name of the service: others may count in the same store. */
  readonly service: string;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Called for each request that the store could not count. */
  readonly uncounted: () => void;
}

/** Decides who counts: all servers with the same store together, all workers of this machine, or this process alone. */
export function createLimiter(limit: RateLimit, store: SharedStore | undefined): Limiter {
  if (store) return sharedLimiter(limit, store);
  const options = { points: limit.requests, duration: limit.seconds, keyPrefix: 'requests' };
  const close = () => Promise.resolve();
  if (limit.byPrimary !== true) {
    const limiter = new RateLimiterMemory(options);
    return { consume: (client) => counted(limiter.consume(client)), close };
  }
  const limiter = new RateLimiterCluster({ ...options, timeoutMs: STORE_TIMEOUT });
  const consume = (client: string) =>
    counted(limiter.consume(client)).catch((error: unknown) => {
      throw away(error); // the primary is late
    });
  return { consume, close };
}

/** In the primary: counts for the limiters of all workers. */
export const countForWorkers = () => new RateLimiterClusterMaster();

/** The package rejects with the count of a request that is over the quota. */
const counted = (request: Promise<RateLimiterRes>): Promise<RateLimiterRes> =>
  request.catch((error: unknown) => {
    if (error instanceof RateLimiterRes) return error;
    throw error;
  });

/** Milliseconds for which the store is left alone after a failure. */
const PAUSE = 1000;
/** Clients over their quota that are remembered, so that their requests cost the store nothing. */
const MAX_REFUSED = 30_000;

/**
 * A limiter of which all servers of a service with the same store are a part. After a failure the store is left alone for a
 * second; then one attempt in the background tells whether it counts again. So a silent store delays the requests under way
 * by a second, and no later one. The log has each change.
 *
 * @returns its `consume` rejects with `StoreUnavailable` while the store does not count
 */
function sharedLimiter(limit: RateLimit, { url, service, log, uncounted }: SharedStore): Limiter {
  const { limiter, failed, close } = openLimiterStore(url, limit, service);
  /**
   * The end of the window of a client over its quota. `inMemoryBlockOnConsumed` of the package has no bound of clients, and refuses
   * one for as long as the store says.
   */
  const refused = new Map<string, number>();
  /** When the store failed last; undefined while it counts. */
  let failedAt: number | undefined;
  let isTrying = false;
  let isClosed = false;

  async function inTimeOrAway(request: Promise<RateLimiterRes>): Promise<RateLimiterRes> {
    try {
      return checked(await inTime(request, 'the store of the rate limit', STORE_TIMEOUT));
    } catch (error) {
      failed();
      if (failedAt === undefined && !isClosed)
        log.warn({ err: error }, 'RATE_LIMIT_STORE does not count requests');
      failedAt = performance.now();
      throw away(error);
    }
  }

  function tryAgain(): void {
    if (isTrying || performance.now() - (failedAt ?? -Infinity) < PAUSE) return;
    isTrying = true;
    inTimeOrAway(limiter.penalty('attempt')) // nobody's request
      .then(() => {
        if (failedAt !== undefined) log.info('RATE_LIMIT_STORE counts requests again');
        failedAt = undefined;
      })
      .catch(() => undefined)
      .finally(() => (isTrying = false));
  }

  tryAgain(); // an operator learns at the start that the store is away
  return {
    async consume(client) {
      const left = (refused.get(client) ?? 0) - performance.now();
      if (left > 0) return new RateLimiterRes(0, left, limit.requests + 1);
      try {
        if (failedAt !== undefined) throw away();
        const result = await inTimeOrAway(counted(limiter.consume(client)));
        if (result.consumedPoints > limit.requests) {
          if (refused.size >= MAX_REFUSED) refused.clear();
          refused.set(client, performance.now() + Math.min(result.msBeforeNext, limit.seconds * 1000));
        }
        return result;
      } catch (error) {
        tryAgain();
        uncounted();
        throw error;
      }
    },
    close() {
      isClosed = true; // what is under way fails, and that concerns nobody
      return close();
    },
  };
}

/** @throws {Error} unless the store has counted, for a time that ends: what it answers comes from elsewhere */
function checked(result: RateLimiterRes): RateLimiterRes {
  const { consumedPoints, msBeforeNext } = result;
  if (
    Number.isSafeInteger(consumedPoints) &&
    consumedPoints > 0 &&
    Number.isFinite(msBeforeNext) &&
    msBeforeNext >= 0
  )
    return result;
  throw new Error(
    `expected a count and the milliseconds that are left, received ${consumedPoints} and ${msBeforeNext}`,
  );
}

const away = (cause?: unknown) =>
  new StoreUnavailable('the store of the rate limit does not count requests now', { cause });
