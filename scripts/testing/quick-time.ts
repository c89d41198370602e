/**
 * Imported before others, it makes the time of this process pass faster for them: libraries keep the timers that they find.
 * What takes 500 ms in a test is then short, and each limit of time is reached after the same number of requests. A
 * timer counts turns of the event loop, each of at least a millisecond: a machine that is busy delays all alike.
 */
export const SCALE = 40;

const [realSetTimeout, realNow] = [setTimeout, Date.now];

function quickSetTimeout(callback: () => void, ms = 0): NodeJS.Timeout {
  let turns = Math.ceil(ms / SCALE);
  const timer = realSetTimeout(() => {
    turns -= 1;
    if (turns <= 0) callback();
    else setImmediate(() => timer.refresh()); // what has arrived is read first
  }, 1);
  return timer;
}

/** Resolves after milliseconds of the quick time. */
export const pass = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    quickSetTimeout(resolve, ms);
  });

globalThis.setTimeout = Object.assign(quickSetTimeout, realSetTimeout);
Date.now = () => realNow() * SCALE;

/** Makes the time pass as usual. */
export function endQuickTime(): void {
  globalThis.setTimeout = realSetTimeout;
  Date.now = realNow;
}
