import { connect, type Socket } from 'node:net';

/** A request as bytes, and what the caller wants to know again when its response has come. */
export interface Request<T> {
  readonly bytes: string;
  readonly about: T;
}

export interface LoadOptions<T> {
  readonly port: number;
  /** Connections, each with one request at a time. */
  readonly connections: number;
  /** Milliseconds between a response and the next request of a client; 0 if none are given. */
  readonly rest?: number;
  /** Makes the next request; a client that gets none rests until the next `start`. */
  readonly next: () => Request<T> | undefined;
  /** Receives each response, and the milliseconds it took; undefined where the connection ended without one. */
  readonly answered: (about: T, response: Buffer | undefined, milliseconds: number) => void;
}

/** Clients that send as fast as responses come. Their connections stay open until `close`. */
export interface Load {
  start(): void;
  /** Resolves when no request is under way any more because there is no next one, or after `pause`. */
  rest(): Promise<void>;
  /** No client sends another request. Resolves as `rest` does. */
  pause(): Promise<void>;
  close(): void;
}

/** Milliseconds to wait after a lost connection or a 503: a server that is down gains nothing by haste. */
const RETRY_DELAY = 5;

export const statusOf = (response: Buffer): number => Number(response.toString('latin1', 9, 12));

export const bodyOf = (response: Buffer): string =>
  response.toString('utf8', response.indexOf('\r\n\r\n') + 4);

/** The bytes of head and body; undefined while the head is not complete. */
function lengthOf(response: Buffer): number | undefined {
  const end = response.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = response.toString('latin1', 0, end);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`expected a response with Content-Length, got ${head}`);
  return end + 4 + Number(length);
}

export function createLoad<T>({ port, connections, rest: pause = 0, next, answered }: LoadOptions<T>): Load {
  let running = false;
  let busy = 0;
  const waiting: (() => void)[] = [];

  function createClient() {
    let socket: Socket | undefined;
    let sent: { readonly about: T; readonly at: number } | undefined;
    let chunks: Buffer[] = [];
    let received = 0;
    let length: number | undefined;

    function open(): Socket {
      const opened = connect({ port, host: '127.0.0.1', noDelay: true });
      return opened
        .on('data', receive)
        .on('error', () => undefined) // `close` follows
        .on('close', () => {
          if (socket !== opened) return;
          socket = undefined;
          if (sent) finish(undefined);
        });
    }

    /** The server closes the connection: the next request opens another one (RFC 9112 section 9.6). */
    function leave(): void {
      socket?.end();
      socket = undefined;
    }

    function send(): void {
      const request = running ? next() : undefined;
      if (!request) {
        if (--busy === 0) for (const resolve of waiting.splice(0)) resolve();
        return;
      }
      sent = { about: request.about, at: performance.now() };
      socket ??= open();
      socket.write(request.bytes);
    }

    function receive(chunk: Buffer): void {
      chunks.push(chunk);
      received += chunk.length;
      length ??= lengthOf(chunks.length === 1 ? chunk : Buffer.concat(chunks));
      if (length !== undefined && received >= length)
        finish(chunks.length === 1 ? chunk : Buffer.concat(chunks));
    }

    function finish(response: Buffer | undefined): void {
      const finished = sent;
      sent = length = undefined;
      chunks = [];
      received = 0;
      if (
        response &&
        /^connection: *close\r$/im.test(response.toString('latin1', 0, response.indexOf('\r\n\r\n') + 1))
      )
        leave();
      if (finished) answered(finished.about, response, performance.now() - finished.at);
      const delay = response && statusOf(response) !== 503 ? pause : Math.max(pause, RETRY_DELAY);
      if (delay === 0) send();
      else setTimeout(send, delay);
    }

    return { send, close: () => socket?.destroy() };
  }

  const clients = Array.from({ length: connections }, createClient);
  const rest = () =>
    new Promise<void>((resolve) => {
      if (busy === 0) resolve();
      else waiting.push(resolve);
    });
  return {
    start() {
      running = true;
      busy = connections;
      for (const { send } of clients) send();
    },
    rest,
    pause() {
      running = false;
      return rest();
    },
    close() {
      running = false;
      for (const { close } of clients) close();
    },
  };
}
