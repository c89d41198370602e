import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem } from '../problem';

/** Whether HTTP has no content in responses with this status (RFC 9110 sections 15.3.5, 15.3.6 and 15.4.5). */
export const hasNoContent = (status: number): boolean => status === 204 || status === 205 || status === 304;

/** Whether a request announces a body (RFC 9112 section 6.3). */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether the body of a request is not read to its end. */
export function isUnread(request: IncomingMessage): boolean {
  return !(request.complete && request.readableLength === 0) && announcesBody(request);
}

/** Whether the client waits for 100 Continue, which HTTP/1.0 does not have (RFC 9110 section 10.1.1). */
function expectsContinue({ headers: { expect }, httpVersion }: IncomingMessage): boolean {
  return httpVersion !== '1.0' && expect?.toLowerCase() === '100-continue';
}

/**
 * Reads the body of a request, at most `limit` bytes of it. Sends 100 Continue if the client asked for it.
 *
 * @param hold receives the number of bytes of each chunk; returns false to discard the body
 * @throws {Problem} `tooLarge`, at once if the length is declared; `malformed` if the body breaks off
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
  hold: (bytes: number) => boolean,
): Promise<Buffer> {
  const tooLarge = () => new Problem('tooLarge', `the body is larger than ${limit} bytes`);
  const brokenOff = () => new Problem('malformed', 'the body broke off');
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.reject(tooLarge());
  if (request.destroyed) return Promise.reject(brokenOff()); // closed during authentication; `close` is not emitted again
  if (expectsContinue(request)) response.writeContinue();
  if (request.complete && request.readableLength <= limit) {
    // The whole body has arrived. Reading it at once takes less time. From Node 26 on read() returns a chunk.
    const chunks: Buffer[] = [];
    for (let chunk = read(request); chunk; chunk = request.readableLength > 0 ? read(request) : null)
      chunks.push(chunk);
    return Promise.resolve(join(chunks));
  }
  return new Promise((resolve, reject) => {
    // One buffer for all chunks: each has objects of its own, and a client chooses how many there are.
    let held: Buffer = EMPTY;
    let size = 0;
    const onData = (chunk: Buffer) => {
      if (!hold(chunk.length)) {
        held = EMPTY;
        request.off('data', onData);
        return;
      }
      held = append(held, size, chunk);
      size += chunk.length;
      if (size <= limit) return;
      held = EMPTY;
      request.off('data', onData).pause();
      response.shouldKeepAlive = false; // even if the rest of the body has arrived
      reject(tooLarge());
    };
    request.on('data', onData);
    request.on('end', () => {
      resolve(held.subarray(0, size));
    });
    request.on('close', () => {
      // Every request emits `close`: create the error, with its stack, only if it is needed.
      if (!request.readableEnded) reject(brokenOff());
    });
  });
}

const read = (request: IncomingMessage) => request.read() as Buffer | null;
const join = (chunks: readonly Buffer[]): Buffer =>
  chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);

const EMPTY = Buffer.alloc(0);

/** Appends a chunk to the first `size` bytes of a buffer, which becomes twice as large if need be. */
function append(held: Buffer, size: number, chunk: Buffer): Buffer {
  if (size === 0) return chunk;
  const needed = size + chunk.length;
  const larger = needed > held.length ? Buffer.allocUnsafe(Math.max(needed, 2 * held.length)) : held;
  if (larger !== held) held.copy(larger, 0, 0, size);
  chunk.copy(larger, size);
  return larger;
}

/** Bounds on reading the rest of a body that is discarded. */
const DISCARD_LIMITS = { bytes: 1_048_576, milliseconds: 1_000 };

/** Discards the rest of a body so that the client can read the response. Calls `done` at the end, or at a limit. */
export function discardBody(request: IncomingMessage, done: () => void): void {
  let size = 0;
  const finish = () => {
    clearTimeout(timer);
    request.off('data', onData).off('end', finish).off('close', finish).pause();
    done();
  };
  const onData = ({ length }: Buffer) => {
    size += length;
    if (size > DISCARD_LIMITS.bytes) finish();
  };
  const timer = setTimeout(finish, DISCARD_LIMITS.milliseconds);
  request.on('data', onData).on('end', finish).on('close', finish).resume();
}

/**
 * Decodes the bytes of a body.
 *
 * @throws {Problem} `malformed` unless they are UTF-8 without a byte order mark (RFC 8259 section 8.1)
 */
export function decodeText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Problem('malformed', 'the body is not UTF-8');
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw new Problem('malformed', 'the body starts with a byte order mark');
  }
  return bytes.toString('utf8');
}
