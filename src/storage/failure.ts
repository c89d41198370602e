import { setTimeout as sleep } from 'node:timers/promises';

/** What to do about a failure, by the beginning of the code of its error; the first that fits counts. */
export type Advice = readonly (readonly [code: string, advice: string])[];

/** The code that the database, its driver or the operating system has given an error; empty if none. */
export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

/** A sentence about `subject` that says what to do, where that is known, and why. */
export function explain(subject: string, error: unknown, advice: Advice): string {
  const code = codeOf(error);
  // Of a host with several addresses Node reports an AggregateError, which has no message.
  const reason = (error as Error).message || code;
  const known = advice.find(([prefix]) => code.startsWith(prefix));
  return `${subject}: ${known ? `${known[1]} (${reason})` : reason}`;
}

/**
 * Repeats an action as long as it fails with a code that tells of something passing, every `interval` milliseconds and
 * until `timeout` milliseconds are over; meanwhile the event loop is free.
 */
export async function patiently<T>(
  action: () => T | Promise<T>,
  passing: RegExp,
  timeout: number,
  interval: number,
): Promise<T> {
  const deadline = Date.now() + timeout;
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!passing.test(codeOf(error)) || Date.now() > deadline) throw error;
    }
    await sleep(interval);
  }
}
