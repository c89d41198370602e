import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Problem, RequestProblem } from '../problem';
import { append, EMPTY } from './buffers';
import { handedOn } from './collect';
import { Connection } from './connection';
import { attempt, type ReportFault } from './fault';
import type { Uploads } from './uploads';

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

const brokenOff = () => new RequestProblem('malformed', 'the body broke off');

/** What bounds a body. */
export interface BodyBounds {
  /** Bytes. */
  readonly limit: number;
  /** Bytes of one item that is held, of a body that is read item by item. */
  readonly itemLimit: number;
  /**
   * Makes the body a long one: milliseconds in which the next byte must come while the server waits for one. The time of a
   * whole request does not bound it.
   */
  readonly patience: number | undefined;
  /** Receives the number of bytes that are held for each piece, or less than 0 for those that are held no longer. Returns false if the request was abandoned. */
  readonly hold: (bytes: number) => boolean;
}

/**
 * The body of a request. It is read once: as a whole, or piece by piece at the pace of its reader. The client waits while
 * nobody reads.
 */
export class IncomingBody implements AsyncIterable<Buffer> {
  /** Why a reader did not get the whole body; undefined if it did, or if it ended of its own will. */
  failure: Error | undefined;
  private isAsked = false;
  private isInvited = false;
  private isOver = false;
  private detach: (() => void) | undefined;
  private wake: () => void = () => undefined;
  private releases: (() => unknown)[] | undefined;

  /** @param fault receives the errors of `whenOver` */
  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly bounds: BodyBounds,
    private readonly fault: ReportFault,
    /** Where the files of the body lie; undefined in a service that receives none. */
    readonly uploads?: Uploads,
  ) {
    if (bounds.patience !== undefined) this.setLong(true);
  }

  /** @throws {Problem} `tooLarge` if an item of so many bytes is too large to be held */
  assertItem(bytes: number): void {
    const { itemLimit } = this.bounds;
    if (bytes > itemLimit)
      throw new RequestProblem('tooLarge', `an item of the body is larger than ${itemLimit} bytes`);
  }

  /** @throws {Problem} `tooLarge` if the declared length is beyond the limit */
  assertDeclared(): void {
    if (Number(this.request.headers['content-length'] ?? 0) > this.bounds.limit) throw this.tooLarge();
  }

  /**
   * Reads the whole body. Sends 100 Continue if the client asked for it.
   *
   * @returns never settles if the request was abandoned
   * @throws {Problem} `tooLarge`, `malformed` if the body breaks off, `requestTimeout` if a long one stops
   */
  async bytes(): Promise<Buffer> {
    const { request, response } = this;
    const { limit, patience, hold } = this.bounds;
    if (patience !== undefined) return this.collect();
    const rejected = this.ask();
    if (rejected) throw rejected;
    // The parser calls the service at the end of the head. It parses the rest of the bytes that have arrived next.
    if (!request.complete) await Promise.resolve();
    if (request.complete && request.readableLength <= limit) {
      // The whole body has arrived. Reading it at once takes less time. From Node 26 on read() returns a chunk.
      const chunks: Buffer[] = [];
      for (let chunk = read(request); chunk; chunk = request.readableLength > 0 ? read(request) : null)
        chunks.push(chunk);
      return join(chunks);
    }
    return new Promise((resolve, reject) => {
      let held: Buffer = EMPTY;
      let size = 0;
      const onData = (chunk: Buffer) => {
        if (size + chunk.length <= limit && hold(chunk.length)) {
          held = append(held, size, chunk);
          size += chunk.length;
          return;
        }
        held = EMPTY;
        request.off('data', onData);
        if (size + chunk.length <= limit) return; // given up
        request.pause();
        response.shouldKeepAlive = false; // even if the rest of the body has arrived
        reject(this.tooLarge());
      };
      const onClose = () => {
        // Every request emits `close`: create the error, with its stack, only if it is needed.
        if (!request.readableEnded) reject(brokenOff());
      };
      request.on('data', onData).on('close', onClose);
      request.once('end', () => {
        // A connection keeps its last request, and listeners would keep all that belongs to it.
        request.off('data', onData).off('close', onClose);
        resolve(held.subarray(0, size));
      });
    });
  }

  /** The bytes of a long body. */
  private async collect(): Promise<Buffer> {
    let held: Buffer = EMPTY;
    let size = 0;
    for await (const piece of this) {
      held = append(held, size, piece);
      size += piece.length;
    }
    return held.subarray(0, size);
  }

  /**
   * Reads the body piece by piece. The first read asks for the body, if the client waits for 100 Continue. To end early
   * discards the rest. Each piece counts as held in memory until the handler runs, unless `release` says otherwise.
   *
   * @throws {Problem} `tooLarge`, `malformed` or `requestTimeout`, in the middle
   * @throws {Error} the reason for which the request was abandoned
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    const { request } = this;
    if (this.isAsked && !this.failure) throw new TypeError('the body of a request can be read only once');
    this.failure ??= this.ask();
    const pieces: Buffer[] = [];
    let size = 0;
    const onData = (piece: Buffer) => {
      request.pause();
      pieces.push(piece);
      this.wake();
    };
    const onEnd = () => {
      this.wake();
    };
    const onClose = () => {
      if (!request.readableEnded) this.fail(brokenOff());
    };
    const detach = () => {
      if (this.detach !== detach) return;
      this.detach = undefined;
      request.off('data', onData).off('end', onEnd).off('close', onClose).pause();
    };
    this.detach = detach;
    request.on('data', onData).on('end', onEnd).on('close', onClose);
    try {
      for (;;) {
        if (this.failure) throw this.failure;
        const piece = pieces.shift();
        if (piece) {
          size += piece.length;
          if (size > this.bounds.limit) {
            this.response.shouldKeepAlive = false; // even if the rest of the body has arrived
            throw (this.failure = this.tooLarge());
          }
          if (!this.bounds.hold(piece.length))
            throw (this.failure ??= new Error('the request was abandoned'));
          yield piece;
          handedOn(piece);
        } else if (request.readableEnded) {
          this.bounds.hold(0);
          return;
        } else {
          const woken = new Promise<void>((resolve) => {
            this.wake = resolve;
          });
          const timer = this.expectByte();
          request.resume();
          await woken;
          clearTimeout(timer);
        }
      }
    } finally {
      detach();
    }
  }

  /** Says that bytes of pieces are not in memory any longer. */
  release(bytes: number): void {
    this.bounds.hold(-bytes);
  }

  /** Calls `release` when the exchange has ended, however it ends: in time, early or with an error. */
  whenOver(release: () => unknown): void {
    if (this.isOver) attempt(release, this.fault);
    else (this.releases ??= []).push(release);
  }

  /** Sends 100 Continue if the client waits for it. It cannot be sent after the head of a response. */
  invite(): void {
    if (!this.isInvited && expectsContinue(this.request)) this.response.writeContinue();
    this.isInvited = true;
  }

  /** Ends the body for its reader, and releases what belongs to it. What has not arrived is discarded. */
  close(reason = new Error('the exchange has ended, and its body with it')): void {
    this.isOver = true;
    this.setLong(false);
    this.detach?.();
    if (this.isAsked) this.request.resume();
    this.isAsked = true;
    this.fail(reason);
    for (const release of this.releases ?? []) attempt(release, this.fault);
    this.releases = undefined;
  }

  private fail(reason: Error): void {
    this.failure ??= reason;
    this.wake();
  }

  /** Asks for the body. Returns why it cannot be read. */
  private ask(): Problem | undefined {
    const { request } = this;
    this.isAsked = true;
    if (request.destroyed) return brokenOff(); // closed during authentication; `close` is not emitted again
    this.invite();
    return undefined;
  }

  /** Fails a body whose client sends nothing for too long. */
  private expectByte(): NodeJS.Timeout | undefined {
    const { patience } = this.bounds;
    if (patience === undefined) return undefined;
    return setTimeout(() => {
      this.response.shouldKeepAlive = false;
      this.fail(new RequestProblem('requestTimeout', `no byte of the body arrived within ${patience} ms`));
    }, patience);
  }

  private setLong(isLong: boolean): void {
    const connection = Connection.of(this.request.socket);
    if (connection) connection.isLong = isLong;
  }

  private tooLarge(): Problem {
    return new RequestProblem('tooLarge', `the body is larger than ${this.bounds.limit} bytes`);
  }
}

const read = (request: IncomingMessage) => request.read() as Buffer | null;
const join = (chunks: readonly Buffer[]): Buffer =>
  chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);

/**
 * Decodes the bytes of a body.
 *
 * @throws {Problem} `malformed` unless they are UTF-8 without a byte order mark (RFC 8259 section 8.1)
 */
export function decodeText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new RequestProblem('malformed', 'the body is not UTF-8');
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw new RequestProblem('malformed', 'the body starts with a byte order mark');
  }
  return bytes.toString('utf8');
}
