/** The rate limit, whose package is loaded on demand: that takes some 20 ms, and most services have no limit. */
import { createRequire } from 'node:module';
import type * as Limiters from './limiter';
import type * as RateLimits from './rate-limit';

const onDemand = createRequire(__filename);

/** The hook that limits the requests of each client. */
export function limitRequests(
  ...given: Parameters<typeof RateLimits.createRateLimiter>
): ReturnType<typeof RateLimits.createRateLimiter> {
  const { createRateLimiter } = onDemand('./rate-limit') as typeof RateLimits;
  return createRateLimiter(...given);
}

/** In the primary: counts the requests of all workers. */
export function countForWorkers(): void {
  (onDemand('./limiter') as typeof Limiters).countForWorkers();
}
