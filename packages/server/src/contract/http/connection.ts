import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../problem';
import { free } from './buffers';
import { Linger } from './linger';
import { MessageFraming, type Part } from './message-framing';
import { readSocket, replaceLastClose, takeParser } from './node-socket';

/** Bytes behind the current request beyond which the server stops reading. Until then it notices that the client leaves. */
const READ_AHEAD = 16_384;
/**
 * Milliseconds, without those in which the server was busy. A client that closes its side so soon behind its last bytes
 * waits for the responses. One that closes it later, while it waits for a response, has left.
 */
const TOGETHER = 100;
/** The property of a socket that has its connection. To read it takes less time than a map, and every response does. */
const CONNECTION = Symbol('connection');
type Parsed = Socket & { [CONNECTION]?: Connection };

/**
 * One exchange at a time on a connection. Node parses every request of a segment at once, thousands of them, and would
 * create their responses. Here its parser gets the bytes up to the end of one request. Those behind it wait, unparsed,
 * until the response to that request has been sent. So the parser loses none if the request asks for another protocol.
 */
export class Connection {
  /** The connection of a socket; undefined if another server has accepted it. */
  static of(socket: Socket): Connection | undefined {
    return (socket as Parsed)[CONNECTION];
  }

  /** The response to the current request. It stays here until the next request begins. */
  response: ServerResponse | undefined;
  /** The ServedOperation of the current request, once it is found. */
  served: object | undefined;
  /** Whether the body of the current request is long: its reader bounds its time, and not that of a whole request. */
  isLong = false;
  /** Whether the current request has taken longer than a whole request may. */
  isOverdue = false;
  /** Whether the client has closed its side. */
  ended = false;
  /** The first bytes that are not parsed. */
  private next: Buffer | undefined;
  /** Those behind them. Most requests come in one segment, and an array that is filled again and again takes more time. */
  private readonly waiting: Buffer[] = [];
  private unparsed = 0;
  private readonly framing = new MessageFraming();
  private over = false;
  private awaited: ServerResponse | undefined;
  /** The `idleTime` when the last bytes arrived, or when reading went on: the end of the client may have waited unread. */
  private readAt = 0;
  /** Whether this stops the reading. Node does, too: for a body that nobody reads. */
  private isPaused = false;
  private readonly parser: ReturnType<typeof takeParser>;
  private readonly linger: Linger;

  /** @param reject responds to a head that is not well-formed, and closes the connection */
  constructor(
    readonly socket: Socket,
    private readonly reject: (problem: Problem) => void,
  ) {
    (socket as Parsed)[CONNECTION] = this;
    this.parser = takeParser(socket);
    this.linger = new Linger(socket, () => this.isReady);
    readSocket(socket, (bytes) => {
      if (this.over) {
        this.restrain();
        return;
      }
      this.readAt = idleTime();
      this.unparsed += bytes.length;
      if (this.next) this.waiting.push(Buffer.from(bytes));
      else this.next = bytes;
      this.advance();
      this.keepNext(bytes);
    });
    socket.on('resume', () => {
      this.readAt = idleTime();
    });
    socket.on('end', () => {
      this.ended = true;
      const { response } = this;
      const isAwaited = response?.req.complete === true && !response.headersSent;
      if (isAwaited && idleTime() - this.readAt > TOGETHER) socket.destroy();
      else this.advance();
    });
    socket.on('close', () => {
      this.stop();
      this.linger.cancel();
    });
    replaceLastClose(socket, () => {
      this.end();
    });
  }

  /** Whether the current request is answered, and no part of the next one has arrived. */
  get isIdle(): boolean {
    return !this.over && this.response?.socket === null && this.response.req.complete && !this.hasMore;
  }

  /** Whether bytes of a further request have arrived. */
  get hasMore(): boolean {
    return this.unparsed > 0 || this.framing.isInHead;
  }

  /** Discards everything that follows. */
  stop(): void {
    this.over = true;
    this.next = undefined;
    this.waiting.length = this.unparsed = 0;
  }

  /** Writes `text` and closes the side of the server. */
  end(text = ''): void {
    this.stop();
    this.linger.begin();
    this.socket.end(text, () => this.socket.resume());
  }

  /** What is wrong with the head that the parser has rejected; undefined if that is not known. */
  judgeRejected(): Problem | undefined {
    return this.framing.judgeRejected();
  }

  /** Parses what may be parsed now: the current request, or the next one if the current one is answered. */
  private readonly advance = (): void => {
    for (let bytes = this.next; bytes && this.isReady; bytes = this.next) {
      if (this.response?.req.complete) {
        this.response = this.served = undefined;
        this.isLong = this.isOverdue = false;
      }
      this.parsePart(bytes, this.response ? this.framing.ofBody(bytes) : this.framing.ofHead(bytes));
    }
    if (this.over) return;
    if (this.unparsed > 0) this.restrain();
    else if (this.isPaused) {
      this.isPaused = false;
      this.socket.resume();
    }
    if (this.ended && this.unparsed === 0 && this.isReady) {
      this.over = true;
      this.parser.end();
    } else if (this.ended || this.unparsed > 0) this.awaitResponse();
  };

  /** Copies what is not parsed of the bytes that were read: the next ones overwrite them. */
  private keepNext({ buffer }: Buffer): void {
    if (this.next?.buffer === buffer) this.next = Buffer.from(this.next);
  }

  /** Stops reading if too much waits, or a response: what its client sends must not postpone `sendTimeout`. */
  private restrain(): void {
    if (this.unparsed > READ_AHEAD || this.socket.writableLength > 0) {
      this.isPaused = true;
      this.socket.pause();
    }
  }

  /** Whether the parser may get more: no request, a part of one, or one whose response has been sent. */
  private get isReady(): boolean {
    if (this.over || this.socket.destroyed) return false;
    return !this.response?.req.complete || this.response.socket === null;
  }

  private parsePart(bytes: Buffer, { length, joined, head, problem }: Part): void {
    if (problem) {
      this.reject(problem);
      return;
    }
    const taken = this.take(bytes, length);
    const part = joined ?? taken;
    const isBody = this.response !== undefined;
    if (part.length > 0) this.parser.parse(part); // sets `response` at the end of a head
    const { response } = this;
    // The parser has copied them.
    if (isBody && joined) free(joined);
    if (head !== undefined) {
      const request = response?.req;
      this.framing.endHead(request?.complete === false ? request.headers : undefined, length - head);
      if (!request && !this.over) this.reject(UNPARSED);
    }
    if (response?.req.complete) this.framing.endBody();
  }

  /** Removes bytes from `next`. */
  private take(bytes: Buffer, length: number): Buffer {
    this.unparsed -= length;
    if (length === bytes.length) {
      this.next = this.waiting.length > 0 ? this.waiting.shift() : undefined;
      return bytes;
    }
    this.next = bytes.subarray(length);
    return bytes.subarray(0, length);
  }

  /** Continues after the current response. The turn of another connection comes first. */
  private awaitResponse(): void {
    if (this.ended) this.linger.begin();
    if (!this.response || this.awaited === this.response) return;
    this.awaited = this.response;
    this.response.once('finish', () => setImmediate(this.advance));
  }
}

const UNPARSED = new Problem('malformed', 'the request is not well-formed HTTP');

let [idle, readIdle] = [0, -Infinity];

/** Milliseconds in which the event loop had nothing to do, give or take one: to read them takes longer than to read a clock. */
function idleTime(): number {
  const now = performance.now();
  if (now - readIdle > 1) {
    idle = performance.eventLoopUtilization().idle;
    readIdle = now;
  }
  return idle;
}
