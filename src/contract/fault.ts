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
