import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../problem';
import { MessageFraming, type Part } from './message-framing';

/** Bytes behind the current request beyond which the server stops reading. Until then it notices that the client leaves. */
const READ_AHEAD = 16_384;
/**
 * Milliseconds without a byte for the client that remain once one side is closed: for each response if the client has closed
 * its side, since it may have left; for the client to read the last response and to close its side, if the server has.
 */
const LINGER = 1_000;
/**
 * Milliseconds, without those in which the server was busy. A client that closes its side so soon behind its last bytes
 * waits for the responses. One that closes it later, while it waits for a response, has left.
 */
const TOGETHER = 10;
/**
 * Fills the read buffer of a paused socket. Until it is full Node goes on reading, and each byte postpones the time-out of the
 * socket.
 */
const FILLER = Buffer.alloc(65_536);
/** Bytes. Buffers of this length share their memory with no others, and to free it is worth its time. */
const LARGE = 49_152;
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
  private paused = false;
  /** Bytes of `FILLER` in front of what the socket reads next. Node may join it with what follows. */
  private filler = 0;
  private over = false;
  private awaited: ServerResponse | undefined;
  private grace: NodeJS.Timeout | undefined;
  /** Bytes that were written when `grace` began. */
  private written = 0;
  /** The `idleTime` when the last bytes arrived. */
  private readAt = 0;
  private readonly parse: (bytes: Buffer) => void;
  private readonly parseEnd: () => void;

  /**
   * Takes the place of the listeners that Node has added to the socket.
   *
   * @param reject responds to a head that is not well-formed, and closes the connection
   */
  constructor(
    readonly socket: Socket,
    private readonly reject: (problem: Problem) => void,
  ) {
    (socket as Parsed)[CONNECTION] = this;
    const [parse] = socket.listeners('data');
    const parseEnd = socket.listeners('end').at(-1); // net.Socket has one before it
    if (!parse || !parseEnd) throw new Error('expected a connection that Node parses');
    this.parse = parse as typeof this.parse;
    this.parseEnd = parseEnd as typeof this.parseEnd;
    socket.on('data', (received: Buffer) => {
      const filler = Math.min(this.filler, received.length);
      this.filler -= filler;
      if (filler === received.length) return;
      const bytes = filler > 0 ? received.subarray(filler) : received;
      if (this.over) {
        this.restrain();
        return;
      }
      this.readAt = idleTime();
      if (this.next) this.waiting.push(bytes);
      else this.next = bytes;
      this.unparsed += bytes.length;
      this.advance();
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
      clearTimeout(this.grace);
    });
    // Node calls this after the last response. To close a connection with unread bytes resets it, and the client may lose
    // the response (RFC 9112 section 9.6).
    socket.destroySoon = () => {
      this.end();
    };
    socket.off('data', parse as typeof this.parse).off('end', parseEnd as typeof this.parseEnd);
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

  /** Writes `text` and ends the connection. Closes it after `LINGER` if the client does not. */
  end(text = ''): void {
    this.stop();
    this.grace = this.grace?.refresh() ?? setTimeout(this.leave, LINGER);
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
    else if (this.paused) {
      this.paused = false;
      this.socket.resume();
    }
    if (this.ended && this.unparsed === 0 && this.isReady) {
      this.over = true;
      this.parseEnd();
    } else if (this.ended || this.unparsed > 0) this.awaitResponse();
  };

  /** Stops reading if too much waits, or a response: what its client sends must not postpone `sendTimeout`. */
  private restrain(): void {
    if (this.unparsed <= READ_AHEAD && this.socket.writableLength === 0) return;
    this.paused = true;
    this.socket.pause();
    if (this.ended || this.socket.readableLength > 0) return;
    this.filler = FILLER.length;
    this.socket.unshift(FILLER);
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
    if (part.length > 0) this.parse(part); // sets `response` at the end of a head
    const { response } = this;
    if (isBody && taken.length === taken.buffer.byteLength) free(taken);
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
    if (this.ended) this.grace = this.grace?.refresh() ?? setTimeout(this.leave, LINGER);
    if (!this.response || this.awaited === this.response) return;
    this.awaited = this.response;
    this.response.once('finish', () => setImmediate(this.advance));
  }

  private readonly leave = (): void => {
    const { bytesWritten, writableLength } = this.socket;
    if (!this.isReady && writableLength === 0 && bytesWritten === this.written) this.socket.destroy();
    else this.grace?.refresh();
    this.written = bytesWritten;
  };
}

/**
 * Frees the memory of bytes that are parsed: the parser has copied them. A large body would otherwise leave tens of megabytes to
 * the next collection.
 */
function free({ length, buffer }: Buffer): void {
  if (length >= LARGE && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

const UNPARSED = new Problem('malformed', 'the request is not well-formed HTTP');

let idle: number | undefined;

/** Milliseconds in which the event loop had nothing to do. They do not change within one turn of it. */
function idleTime(): number {
  if (idle === undefined) {
    idle = performance.eventLoopUtilization().idle;
    setImmediate(() => {
      idle = undefined;
    });
  }
  return idle;
}
