import { Readable, Stream, Writable } from 'node:stream';
import { types } from 'node:util';

/**
 * Receives a failure that no answer can report: of a function of the service that is called after the answer, of a
 * handler whose request was given up.
 *
 * @param requestId undefined if the failure belongs to no request
 */
export type ReportFault = (error: unknown, requestId?: string) => void;

/** Writes to standard error; the last resort, so it never throws. */
export const faultToStderr: ReportFault = (error) => {
  try {
    console.error(error);
  } catch {
    // An error that cannot even be printed: nowhere is left to report it.
  }
};

/** Makes a `ReportFault` that never throws: if `report` fails, both failures go to standard error. */
export function safely(report: (...fault: Parameters<ReportFault>) => unknown): ReportFault {
  return (error, requestId) => {
    attempt(
      () => report(error, requestId),
      (worse) => {
        faultToStderr(error);
        faultToStderr(worse);
      },
    );
  };
}

/** Calls a function of the service. `failed` gets what it throws, or what the promise that it returns rejects with. */
export function attempt(call: () => unknown, failed: (error: unknown) => void): void {
  try {
    settle(call(), failed);
  } catch (error) {
    failed(error);
  }
}

/** Handles the rejection of a promise that stands where none is expected, which would end the process. */
export function settle(value: unknown, failed: (error: unknown) => void): void {
  if (types.isPromise(value)) value.catch(failed);
}

/** Values that are looked at in one that is not sent. */
const MAX_SETTLED = 10_000;

/**
 * Ends what a value that cannot be sent has begun: the rejection of a promise and the error of a stream in it would end
 * the process, since nobody waits for them. Getters are not called.
 */
export function settleWithin(root: unknown, failed: (error: unknown) => void): void {
  const values = [root];
  const seen = new Set<unknown>();
  const look = (value: unknown): void => {
    settle(value, failed);
    if (value instanceof Stream) {
      value.on('error', failed);
      if (value instanceof Readable || value instanceof Writable) value.destroy();
    } else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
      for (const key of Object.keys(value)) {
        if (values.length >= MAX_SETTLED) break;
        values.push(Object.getOwnPropertyDescriptor(value, key)?.value);
      }
    }
  };
  for (const value of values) {
    if (seen.has(value)) continue;
    seen.add(value);
    attempt(() => {
      look(value);
    }, failed);
  }
}
