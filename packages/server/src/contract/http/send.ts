import type { IncomingMessage, ServerResponse } from 'node:http';
import { isErrored, isReadable, Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { isUnread } from './body';
import { free } from './buffers';
import { Connection } from './connection';
import { attempt, type ReportFault, settleWithin } from './fault';
import type { Fields } from './header-field';

/** Bytes: the first size that V8 keeps among its large objects, and the default of M_MMAP_THRESHOLD (mallopt(3)). */
const LONG_TEXT = 131_072;

/**
 * Sends a response whose body is known at once.
 *
 * @param fields all but the Content-Length
 * @param limit bytes of an unread body up to which the connection stays open
 * @param failed receives an error that is thrown after this function returns
 */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  fields: Fields,
  body: string | Uint8Array | undefined,
  limit: number,
  failed: (error: unknown) => void,
): void {
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  const isUnmeasured = status === 204 || status === 304; // RFC 9110 section 8.6
  if (!isUnmeasured) fields.push('Content-Length', length);
  // A text of as many bytes as UTF-16 code units is ASCII. Node writes it, with the head before it, faster as latin1, unless it
  // is so long that V8 and malloc map memory for each copy of it. Of another text the socket would count the code units that
  // wait, and not the bytes.
  const encoding = body?.length === length ? 'latin1' : 'utf8';
  const isShortText = encoding === 'latin1' && length < LONG_TEXT;
  const bytes = typeof body === 'string' && !isShortText ? Buffer.from(body, encoding) : body;
  // The garbage collection would free many of them at once. The process would give back their memory, and ask for it again. A
  // middleware that wraps the response may keep them.
  const isWrapped = Object.hasOwn(response, 'end') || Object.hasOwn(response, 'write');
  if (bytes !== body && bytes instanceof Buffer && length >= LONG_TEXT && !isWrapped)
    response.once('finish', () => {
      free(bytes);
    });
  const { expect, 'content-length': declared = Infinity } = request.headers;
  const isShort = Number(declared) <= limit && !Connection.of(request.socket)?.isOverdue;
  if (!isUnread(request) || (isShort && expect === undefined)) {
    response.writeHead(status, fields).end(bytes, 'latin1');
    return;
  }
  // Closing a connection with unread bytes resets it, and the client may lose the response: discard them first.
  response.writeHead(status, [...fields, 'Connection', 'close']);
  response.write(bytes ?? '');
  discardBody(request, () => {
    attempt(() => response.end(), failed);
  });
}

/** Bounds on reading the rest of a body that is discarded. */
const DISCARD_LIMITS = { bytes: 1_048_576, milliseconds: 1_000 };

/** Discards the rest of a body so that the client can read the response. Calls `done` at the end, or at a limit. */
function discardBody(request: IncomingMessage, done: () => void): void {
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

/** What a handler returns for a body that is made while it is sent. */
export type Streamed = AsyncIterable<unknown> | ReadableStream<unknown>;

/** Whether a value is a stream. */
export function isStreamed(value: unknown): value is Streamed {
  if (typeof value !== 'object' || value === null) return false;
  return typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === 'function';
}

/** Whether nobody reads a stream yet, and it has not failed, been ended or been read to its end. */
export function isUntouched(value: Streamed): boolean {
  const stream = value as Readable; // the types of these functions lack the streams of the web
  // A ReadableStream that was created without any item is closed, too.
  const mayBeOver = value instanceof Readable || Readable.isDisturbed(stream);
  return (
    !(mayBeOver && isReadable(stream) === false) &&
    !isErrored(stream) &&
    !(value instanceof ReadableStream && value.locked)
  );
}

type PieceStream = AsyncIterable<string | Uint8Array>;
type Pieces = AsyncIterator<string | Uint8Array, unknown, undefined>;

/** What a stream does besides sending its items. */
export interface StreamEnds {
  /** A piece that says nothing, to be sent while no item comes; undefined: there is none. */
  readonly heartbeat?: string;
  /**
   * When the server stops, the stream ends at once: between two items as if it were complete (`end`), or so that the client
   * notices that it is not (`break`). Undefined: it may go on until the time of the shutdown is over.
   */
  readonly atStop?: 'end' | 'break';
}

/** A body that is made while it is sent, at the pace of the client. Its items begin with `pieces`, and not before. */
export class OutgoingBody {
  /** The items that were taken from the stream. */
  private taken = 0;
  private source: { next(): Promise<IteratorResult<unknown>>; return(): unknown } | undefined;
  private made: Pieces | undefined;
  private isOver = false;
  /** Receives the errors of the stream after its release. */
  private late: ReportFault | undefined;

  /**
   * @param encode makes the pieces of the items; it may stop early. Untyped code may return a promise.
   * @param writeItem makes the piece of one item; undefined if its pieces are not those of its items
   */
  constructor(
    private readonly value: Streamed,
    private readonly encode: (items: AsyncIterable<unknown>) => PieceStream | Promise<PieceStream>,
    readonly ends: StreamEnds = {},
    readonly writeItem?: (item: unknown, index: number) => string,
  ) {
    // An error of a stream that nobody reads yet would end the process. Its reader gets it.
    if (value instanceof Readable) value.on('error', (error) => this.late?.(error));
  }

  /** Bytes; undefined if nobody knows them before the end. */
  get length(): number | undefined {
    return undefined;
  }

  /** Begins the stream. */
  async begin(): Promise<Pieces> {
    const source = (this.source = sourceOf(this.value));
    const next = async () => {
      try {
        const step = await source.next();
        if (step.done === true) this.isOver = true;
        else await turnAfter(++this.taken);
        return step;
      } catch (error) {
        this.isOver = true;
        if (!(this.value instanceof Readable)) this.late?.(error); // release() destroys a Readable, which is an error, too
        throw error;
      }
    };
    const made = await this.encode({ [Symbol.asyncIterator]: () => ({ next }) });
    if (!isStreamed(made)) throw new TypeError('encode() did not return an AsyncIterable');
    return (this.made = made[Symbol.asyncIterator]());
  }

  /** The index of the item that was taken last, from 0; -1 before the first. */
  get index(): number {
    return this.taken - 1;
  }

  /** Ends the stream, unless it has ended. */
  release(fault: ReportFault): void {
    const { source, made } = this;
    this.late = fault;
    if (!source) settleWithin(this.value, fault);
    else if (!this.isOver) attempt(() => source.return(), fault);
    this.isOver = true;
    if (made) attempt(() => made.return?.(), fault);
  }
}

function sourceOf(value: Streamed) {
  if (value instanceof ReadableStream) {
    const reader = value.getReader();
    // reader.cancel() ends a read that is pending; return() of its iterator would wait for it.
    return { next: () => reader.read() as Promise<IteratorResult<unknown>>, return: () => reader.cancel() };
  }
  const iterator = value[Symbol.asyncIterator]();
  return {
    next: () => iterator.next(),
    return: () => (value instanceof Readable ? value.destroy() : iterator.return?.()),
  };
}

/** How many items or pieces that are ready at once keep the event loop busy. */
const TURN = 128;

/** Gives other requests their turn after some items or pieces: those of a stream may all be ready at once. */
export function turnAfter(count: number): Promise<void> | undefined {
  return count % TURN === 0 ? new Promise((resolve) => setImmediate(resolve)) : undefined;
}

/**
 * The bytes of what `encode()` of a codec has made.
 *
 * @throws {TypeError} if it is something else, or a text that UTF-8 cannot say
 */
export function bytesOf(encoded: unknown): Uint8Array {
  if (encoded instanceof Uint8Array) return encoded;
  if (typeof encoded === 'string' && encoded.isWellFormed()) return Buffer.from(encoded);
  settleWithin(encoded, () => undefined);
  throw new TypeError('encode() returned neither well-formed text nor a Uint8Array');
}

/** Bounds on streams, in milliseconds. */
export interface StreamTimes {
  /** In which each piece must come. */
  readonly itemTimeout: number;
  /** Without a piece, after which a heartbeat is sent; 0: none is. */
  readonly heartbeat: number;
}

/**
 * Sends a response whose body is made meanwhile. Resolves after its last piece was written. HEAD does not begin the body.
 *
 * @param signal aborted when the client leaves
 * @throws the reason of the signal, or the error of the stream
 */
export async function sendStream(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  fields: Fields,
  body: OutgoingBody,
  signal: AbortSignal,
  { itemTimeout, heartbeat }: StreamTimes,
): Promise<void> {
  const closes = isUnread(request);
  if (body.length !== undefined) fields.push('Content-Length', body.length);
  response.writeHead(status, closes ? [...fields, 'Connection', 'close'] : fields).flushHeaders();
  if (request.method === 'HEAD') return;
  const beat = beats(response, body.ends.heartbeat, heartbeat);
  try {
    const pieces = await within(body.begin(), signal, itemTimeout);
    for (let count = 1; ; count++) {
      // Untyped code may return no promise.
      const { done, value } = await within(Promise.resolve(pieces.next()), signal, itemTimeout);
      signal.throwIfAborted();
      if (done === true) break;
      await turnAfter(count);
      beat?.refresh();
      if (response.write(bytesOf(value))) continue;
      const drained = new Promise<void>((resolve) => response.once('drain', resolve));
      await within(drained, signal); // the server gives up a client that does not read
    }
  } finally {
    clearTimeout(beat);
  }
}

/** Writes heartbeats between the pieces of a response, unless its client does not read. */
function beats(response: ServerResponse, text: string | undefined, milliseconds: number) {
  if (text === undefined || milliseconds === 0) return undefined;
  const timer = setTimeout(() => {
    if (response.writableLength === 0) response.write(text);
    timer.refresh();
  }, milliseconds);
  return timer;
}

/** Ends the response to `sendStream`. Nobody reads the body of its request any more. */
export async function endStream(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (isUnread(request))
    await new Promise<void>((resolve) => {
      discardBody(request, resolve);
    });
  response.end();
}

/** Resolves with a step, unless the signal is aborted first, or the time is over. */
function within<T>(step: Promise<T>, signal: AbortSignal, milliseconds?: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
    const abort = () => {
      end();
      reject(signal.reason as Error);
    };
    const late = () => {
      end();
      reject(new Error(`the next piece of the body did not arrive within ${milliseconds} ms`));
    };
    const timer = milliseconds === undefined ? undefined : setTimeout(late, milliseconds);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    step.finally(end).then(resolve, reject);
  });
}

/**
 * Ends a connection in the middle of a response, so that the client notices. It gets what was written before: the missing
 * last chunk, or a length, says that the response is incomplete (RFC 9112 section 8).
 */
export function breakOff({ socket, httpVersion }: IncomingMessage): void {
  if (httpVersion !== '1.0') {
    socket.destroySoon();
    return;
  }
  // The end of the connection is that of the response: only a reset, which only TCP has, says that more was to come.
  attempt(
    () => socket.resetAndDestroy(),
    () => socket.destroy(),
  );
}

/** Whether HTTP defines the status for final responses (RFC 9110 section 15); 1xx are interim. */
export function isFinalStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 200 && status <= 599;
}
