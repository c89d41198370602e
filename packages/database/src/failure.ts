import { setTimeout as sleep } from 'node:timers/promises';
import { getSystemErrorMap } from 'node:util';
import { isBeyondInt64, type Rendered } from './sql';
import { ConstraintViolation, InvalidValue, StatementError, StoreUnavailable } from './store';

/**
 * What an error of a database means:
 * - `away`: the database cannot do its work now. Later the same statement may succeed.
 * - `value`: a value of the statement cannot be kept, or compared with what is kept.
 * - `statement`: the statement or the program is wrong. To repeat it is useless.
 * - the others: a row breaks a rule of its table.
 */
type Kind = 'away' | 'value' | 'statement' | ConstraintViolation['constraint'];

/** What to do about a failure, by the beginning of its code, or of its message without one; the first that fits counts. */
export type Advice = readonly (readonly [beginning: string, advice: string])[];

/** What the errors of an engine mean. */
export interface Faults {
  /** Kinds by code or by its beginning; the longest beginning counts. A code that is missing is of the kind `statement`. */
  readonly kinds: Readonly<Record<string, Kind>>;
  readonly advice: Advice;
  /** Messages of errors without a code that mean that the database is away. */
  readonly away?: RegExp;
  /** Codes, and messages of errors without one, of what passes by itself soon. A start waits for that. */
  readonly passing: RegExp;
}

/** One kind for many codes. */
export const all = (kind: Kind, codes: string): Faults['kinds'] =>
  Object.fromEntries(codes.split(/\s+/).map((code) => [code, kind]));

/** Errors of the operating system, by the names that Node gives them (https://nodejs.org/api/errors.html#common-system-errors). */
const SYSTEM = new Set([...getSystemErrorMap().values()].map(([name]) => name));
/** Errors of TLS: of Node (https://nodejs.org/api/errors.html), and of certificates (https://nodejs.org/api/tls.html). */
const TLS =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERROR_IN_|PATH_LENGTH_|INVALID_CA|HOSTNAME_MISMATCH)/;

/** UTF-16 code units of a statement in the log; a table of many rows has many parameters. */
const MAX_STATEMENT = 1000;

/** The code that the database, its driver or the operating system has given an error or its cause; empty if none. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  return typeof code === 'string' ? code : codeOf(cause);
}

/** Whether a start waits for the end of what an error means. */
export function passes({ passing }: Pick<Faults, 'passing'>, error: unknown): boolean {
  const { message, cause } = error instanceof Error ? error : new Error();
  return passing.test(codeOf(error) || message) || (cause !== undefined && passes({ passing }, cause));
}

function kindOf({ kinds, away }: Faults, code: string, message: string): Kind {
  if (SYSTEM.has(code) || TLS.test(code) || (code === '' && away?.test(message))) return 'away';
  for (let length = code.length; length > 1; length--) {
    const kind = kinds[code.slice(0, length)];
    if (kind) return kind;
  }
  return 'statement';
}

/** A sentence about `subject` that says what to do, where that is known, and why. */
export function explain(subject: string, error: unknown, advice: Advice): string {
  const code = codeOf(error);
  // Of a host with several addresses Node reports an AggregateError, which has no message.
  const reason = (error as Error).message || code;
  const known = advice.find(([beginning]) => (code || reason).startsWith(beginning));
  return `${subject}: ${known ? `${known[1]} (${reason})` : reason}`;
}

/** The error that a store sees for one of a driver. */
export function toStoreError(faults: Faults, subject: string, error: unknown, failed?: Rendered): Error {
  if ([ConstraintViolation, InvalidValue, StatementError].some((known) => error instanceof known))
    return error as Error;
  const message = explain(subject, error, faults.advice);
  const options = { cause: error };
  if (error instanceof StoreUnavailable) return new StoreUnavailable(message, options);
  const code = codeOf(error);
  const kind = kindOf(faults, code, (error as Error).message);
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
function suspects(failed: Rendered | undefined, { message }: Error): readonly unknown[] {
  const values = failed?.values.flat() ?? [];
  const candidates = [
    values.filter((value) => message.includes(`"${String(value)}"`)),
    values.filter(isBeyondInt64),
    values,
  ];
  return candidates.find(({ length }) => length > 0) ?? [];
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
