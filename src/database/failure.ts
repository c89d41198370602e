import { setTimeout as sleep } from 'node:timers/promises';
import { type Kinds, kindOf } from './codes';
import { isBeyondInt64 } from './sql';
import { ConstraintViolation, InvalidValue, StatementError, StoreUnavailable } from './store';

/** What to do about a failure, by the beginning of the code of its error; the first that fits counts. */
export type Advice = readonly (readonly [code: string, advice: string])[];

/** What explains the errors of a database. */
export interface Faults {
  /** Begins each message: which database it is. */
  readonly subject: string;
  readonly kinds: Kinds;
  readonly advice: Advice;
  /** Messages of the driver's own errors without a code that mean that the database is away. */
  readonly away?: RegExp;
}

/** UTF-16 code units of a statement in the log; a table of many rows has many parameters. */
const MAX_STATEMENT = 1000;

/** A statement that has failed. */
export interface Failed {
  readonly text: string;
  readonly values: readonly unknown[];
}

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
export function toStoreError(faults: Faults, error: unknown, failed?: Failed): Error {
  const { subject, kinds, advice, away } = faults;
  if (
    error instanceof ConstraintViolation ||
    error instanceof InvalidValue ||
    error instanceof StatementError
  )
    return error;
  const message = explain(subject, error, advice);
  if (error instanceof StoreUnavailable)
    return error.message.startsWith(subject) ? error : new StoreUnavailable(message, { cause: error });
  const code = codeOf(error);
  const kind = code === '' && away?.test((error as Error).message) ? 'away' : kindOf(code, kinds);
  const options = { cause: error };
  if (kind === 'away') return new StoreUnavailable(message, options);
  const at = { statement: failed?.text.replace(/\s+/g, ' ').trim().slice(0, MAX_STATEMENT) ?? '', code };
  if (kind === 'statement') return new StatementError(message, at, options);
  if (kind === 'value') return new InvalidValue(message, suspects(failed, error as Error), at, options);
  return new ConstraintViolation(kind, message, options);
}

/**
 * The values that may be it: those that the message of the database quotes, whatever its language; those that are no
 * int64; or all.
 */
function suspects(failed: Failed | undefined, { message }: Error): readonly unknown[] {
  const values = failed?.values.flat() ?? [];
  const all = [
    values.filter((value) => message.includes(`"${String(value)}"`)),
    values.filter(isBeyondInt64),
    values,
  ];
  return all.find(({ length }) => length > 0) ?? [];
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
