/**
 * What the server does with the sockets of node:http beyond what Node documents. Each part says why, and which test notices if
 * another version of Node does otherwise.
 */
import type { Socket } from 'node:net';
import { getDefaultHighWaterMark } from 'node:stream';

/** Node's parser of the requests of a socket. */
interface Parser {
  readonly parse: (bytes: Buffer) => void;
  /** The client has closed its side. */
  readonly end: () => void;
}

/**
 * Takes the parser of a new connection from its socket. Node gives every segment to it at once, and has no function to feed it: it is
 * the listener of `data`, and the last one of `end`, behind that of net.Socket. Without them this throws, and every test fails.
 */
export function takeParser(socket: Socket): Parser {
  const [parse] = socket.listeners('data') as Parser['parse'][];
  const end = socket.listeners('end').at(-1) as Parser['end'] | undefined;
  if (!parse || !end) throw new Error('expected a connection that Node parses');
  socket.off('data', parse).off('end', end);
  return { parse, end };
}

/**
 * Ends a connection after its last response by `end`. Node calls `destroySoon()` there, which closes both sides. If bytes of the
 * client are unread then, that resets the connection, and the client may lose the response (RFC 9112 section 9.6).
 * connection.test.ts notices if Node calls something else.
 */
export function replaceLastClose(socket: Socket, end: () => void): void {
  socket.destroySoon = end;
}

/** As many bytes as the buffer of a socket holds before Node stops reading. */
const FILLER = Buffer.alloc(getDefaultHighWaterMark(false));

/**
 * Stops and resumes the reading of a socket. After `socket.pause()` Node goes on until the buffer of the socket is full, and each byte
 * postpones its time-out: a client could send for hours without reading its response. So a filler takes the place of what Node
 * would read, and is skipped afterwards. bounds.test.ts ("even if it keeps sending") notices if Node reads on.
 */
export class Reading {
  /** Bytes of the filler in front of what the socket reads next. Node may join it with what follows. */
  filler = 0;
  isPaused = false;

  constructor(private readonly socket: Socket) {}

  pause(): void {
    this.isPaused = true;
    this.socket.pause();
    if (this.socket.readableEnded || this.socket.readableLength > 0) return;
    this.filler = FILLER.length;
    this.socket.unshift(FILLER);
  }

  resume(): void {
    this.isPaused = false;
    this.socket.resume();
  }

  /** What was received, without the filler. */
  skipFiller(received: Buffer): Buffer {
    const skipped = Math.min(this.filler, received.length);
    this.filler -= skipped;
    return received.subarray(skipped);
  }
}
