/**
 * Imported before others, it makes the time of this process pass faster for them: libraries keep the timers that they find.
 * What takes 500 ms in a test is then short, and each limit of time is reached after the same number of requests.
 */
export const SCALE = 40;

const [realSetTimeout, realNow] = [setTimeout, Date.now];

/** Resolves after milliseconds of the quick time. */
export const pass = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    realSetTimeout(resolve, ms / SCALE);
  });

globalThis.setTimeout = Object.assign(
  (callback: () => void, ms = 0) => realSetTimeout(callback, ms / SCALE),
  realSetTimeout,
);
Date.now = () => realNow() * SCALE;

/** Makes the time pass as usual. */
export function endQuickTime(): void {
  globalThis.setTimeout = realSetTimeout;
  Date.now = realNow;
}
