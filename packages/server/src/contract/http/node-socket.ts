/**
 * What the server does with the sockets of node:http beyond what Node documents. Each part says why, and which test notices if
 * another version of Node does otherwise.
 */
import { Socket } from 'node:net';

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

/** What all connections read into: each parses what it has read, or copies it, before the next one reads. */
const SHARED = Buffer.allocUnsafeSlow(65_536);
const symbolOf = (name: string) =>
  Object.getOwnPropertySymbols(new Socket()).find(({ description }) => description === name);
/** Where a socket has the buffer into which it reads, and what it calls then. */
const [BUFFER, RECEIVE] = [symbolOf('kBuffer'), symbolOf('kBufferCb')];

/**
 * Reads a new connection. Node would allocate 64 KiB for each segment, and go on reading after `socket.pause()` until the buffer of
 * the stream is full: each of those bytes postpones the time-out, so that a client could send for hours without reading its response.
 * A socket that reads into a buffer, as those of `net.connect` do with the option `onread`, does neither, but Node has no such option
 * for the sockets of a server. bounds.test.ts ("even if it keeps sending") notices if Node reads on.
 *
 * @param receive must not keep the bytes: the next segment overwrites them
 */
export function readSocket(socket: Socket, receive: (bytes: Buffer) => void): void {
  socket.on('data', receive); // takes the socket from the parser, which otherwise reads it itself
  if (!(socket instanceof Socket) || socket.destroyed) return; // in memory, or closed by another listener
  const handle = Reflect.get(socket, '_handle') as { useUserBuffer?: (buffer: Buffer) => void } | null;
  if (!handle?.useUserBuffer || !BUFFER || !RECEIVE)
    throw new Error('expected a connection that can read into a buffer');
  Reflect.set(socket, BUFFER, SHARED);
  Reflect.set(socket, RECEIVE, (length: number) => {
    receive(SHARED.subarray(0, length));
  });
  handle.useUserBuffer(SHARED);
}
