import type { Logger } from 'pino';

/** Milliseconds within which a probe is answered: less than the timeouts of the probes in scripts/deploy/. */
const TIMEOUT = 4_000;

/** Settles as the promise does. Rejects after TIMEOUT. */
export async function inTime<T>(promise: Promise<T>, name: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`${name} did not answer within ${TIMEOUT} ms`));
    }, TIMEOUT);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Milliseconds for which an answer holds: the check writes, and anybody may ask. */
const HOLDS = 1_000;

/**
 * Checks whether the server can do its work, at most once a second; all who ask meanwhile share the check. The log gets
 * the reason when it changes, because the response of the probe does not show it.
 *
 * @param ready rejects with the reason
 */
export function watchReadiness(
  ready: () => Promise<void>,
  log: Pick<Logger, 'info' | 'warn'>,
): () => Promise<void> {
  let probing: Promise<void> | undefined;
  let isRunning = false;
  let began = 0;
  let reason = '';
  const probe = async () => {
    try {
      await inTime(ready(), 'the store');
      if (reason !== '') log.info('ready again');
      reason = '';
    } catch (error) {
      const now = error instanceof Error ? error.message : String(error);
      if (now !== reason) log.warn({ err: error }, `not ready: ${now}`);
      reason = now;
      throw error;
    } finally {
      isRunning = false;
    }
  };
  return () => {
    if (!probing || (!isRunning && performance.now() - began >= HOLDS)) {
      isRunning = true;
      began = performance.now();
      probing = probe();
    }
    return probing;
  };
}
