import type { FileHandle } from 'node:fs/promises';
import { Readable, Stream, Writable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { types } from 'node:util';

/**
 * Receives a failure that no response can report: an error of a function that is called after the response, or of a
 * handler whose request was given up.
 *
 * @param requestId undefined if the failure belongs to no request
 * @param hook the name of the hook that failed; undefined for other functions
 */
export type ReportFault = (error: unknown, requestId?: string, hook?: string) => void;

/** Writes an error to standard error. It never throws. */
export const faultToStderr: ReportFault = (error) => {
  try {
    console.error(error);
  } catch {
    // The error cannot be printed either.
  }
};

/** Creates a `ReportFault` that never throws. If `report` fails, it writes both failures to standard error. */
export function safely(report: (...fault: Parameters<ReportFault>) => unknown): ReportFault {
  return (...given) => {
    attempt(
      () => report(...given),
      (worse) => {
        faultToStderr(given[0]);
        faultToStderr(worse);
      },
    );
  };
}

/**
 * Calls a function of the service.
 *
 * @param failed receives the error that `call` throws, or the reason with which its promise rejects
 */
export function attempt(call: () => unknown, failed: (error: unknown) => void): void {
  try {
    settle(call(), failed);
  } catch (error) {
    failed(error);
  }
}

/** Handles the rejection of a promise in place of another value. Unhandled, it would end the process. */
export function settle(value: unknown, failed: (error: unknown) => void): void {
  if (types.isPromise(value)) value.catch(failed);
}

/** Whether a value is a FileHandle of node:fs/promises, which does not export its class. */
export const isFileHandle = (value: unknown): value is FileHandle =>
  typeof value === 'object' &&
  value !== null &&
  'fd' in value &&
  !(value instanceof Stream) &&
  ['stat', 'read', 'close'].every((name) => name in value);

/** What a handler returns for a body of bytes that it has not read. The server closes a file handle. */
export type FileLike = Blob | FileHandle;

/** Whether a value is a file, a part of one, or bytes of which the memory is elsewhere. */
export const isFileLike = (value: unknown): value is FileLike => value instanceof Blob || isFileHandle(value);

/** How many values settleWithin() visits. */
const MAX_SETTLED = 10_000;

/**
 * Handles the promises and streams in a value that is not sent: an unhandled rejection or stream error would end the
 * process. Ends the streams, and closes the file handles. Calls no getters but those of streams.
 */
export function settleWithin(root: unknown, failed: (error: unknown) => void): void {
  const values = [root];
  const seen = new Set<unknown>();
  const settleValue = (value: unknown): void => {
    settle(value, failed);
    if (isFileHandle(value)) value.close().catch(failed);
    else if (value instanceof Stream) {
      value.on('error', failed);
      if (value instanceof Readable || value instanceof Writable) value.destroy();
    } else if (value instanceof ReadableStream) {
      if (!value.locked) value.cancel().catch(failed);
    } else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
      // What is its own iterator may hold something before its first item, as that of events.on() does.
      if (Symbol.asyncIterator in value && 'return' in value)
        settle((value as AsyncGenerator).return(undefined), failed);
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
      settleValue(value);
    }, failed);
  }
}
