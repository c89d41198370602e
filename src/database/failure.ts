import { setTimeout as sleep } from 'node:timers/promises';
import { ConstraintViolation, StoreUnavailable } from './store';

/** What to do about a failure, by the beginning of the code of its error; the first that fits counts. */
export type Advice = readonly (readonly [code: string, advice: string])[];

/** Which rule a row breaks, by the beginning of the code of the error; the first that fits counts. */
export type Constraints = readonly (readonly [code: string, constraint: ConstraintViolation['constraint']])[];

/** The code that the database, its driver or the operating system has given an error or its cause; empty if none. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  return typeof code === 'string' ? code : codeOf(cause);
}

/** A sentence about `subject` that says what to do, where that is known, and why. */
export function explain(subject: string, error: unknown, advice: Advice): string {
  const code = codeOf(error);
  // Of a host with several addresses Node reports an AggregateError, which has no message.
  const reason = (error as Error).message || code;
  const known = advice.find(([prefix]) => code.startsWith(prefix));
  return `${subject}: ${known ? `${known[1]} (${reason})` : reason}`;
}

/** The error that a store sees for one of a driver. */
export function toStoreError(
  subject: string,
  error: unknown,
  advice: Advice,
  constraints: Constraints,
): StoreUnavailable | ConstraintViolation {
  if (error instanceof StoreUnavailable || error instanceof ConstraintViolation) return error;
  const code = codeOf(error);
  const broken = constraints.find(([prefix]) => code.startsWith(prefix))?.[1];
  const message = explain(subject, error, advice);
  return broken === undefined
    ? new StoreUnavailable(message, { cause: error })
    : new ConstraintViolation(broken, message, { cause: error });
}

/**
 * Repeats an action as long as it fails with a code of something transient, every `interval` milliseconds and until
 * `timeout` milliseconds are over; meanwhile the event loop is free.
 */
export async function retryTransient<T>(
  action: () => T | Promise<T>,
  transient: RegExp,
  timeout: number,
  interval: number,
): Promise<T> {
  const deadline = Date.now() + timeout;
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!transient.test(codeOf(error)) || Date.now() > deadline) throw error;
    }
    await sleep(interval);
  }
}
