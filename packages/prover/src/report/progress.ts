import type { Progress } from '../case-runner';

/** Milliseconds. A shorter run needs no progress line. */
const QUIET_MS = 2000;

/** Milliseconds between two lines of a log, which nobody can erase. */
const LOG_INTERVAL_MS = 10_000;

/** Milliseconds between two updates of a line on a terminal. */
const TERMINAL_INTERVAL_MS = 100;

interface Output {
  readonly isTTY?: boolean;
  /** The characters of a line of the terminal. */
  readonly columns?: number;
  write(text: string): unknown;
}

/**
 * Shows what a run does once it takes longer than two seconds: one line that changes on a terminal, else a line from time
 * to time.
 *
 * @param now milliseconds
 */
export function createProgress(
  output: Output,
  now: () => number = () => performance.now(),
): { readonly update: (progress: Progress) => void; readonly end: () => void } {
  const isTerminal = output.isTTY === true;
  const began = now();
  let next = began + QUIET_MS;
  let isShown = false;
  return {
    update({ operation, family, requests }) {
      const time = now();
      if (time < next) return;
      next = time + (isTerminal ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS);
      const line = `${Math.round((time - began) / 1000)} s, ${requests} requests, ${operation}: ${family}`;
      output.write(isTerminal ? `\r\u001b[K${line.slice(0, (output.columns ?? 80) - 1)}` : `${line}\n`);
      isShown = true;
    },
    end() {
      if (isTerminal && isShown) output.write('\r\u001b[K');
      next = Infinity;
    },
  };
}
