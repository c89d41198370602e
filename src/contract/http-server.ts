import {
  createServer,
  IncomingMessage,
  type Server,
  type ServerOptions,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import { attempt, faultToStderr, type ReportFault, safely, settleWithin } from './http/fault';
import { judgeHead } from './http/head';
import { fieldValue, headerEntries } from './http/header-field';
import { stringifyJson } from './json/stringify';
import { type Answer, isFinalStatus, Problem } from './problem';

/**
 * Timeouts in milliseconds and the size of the headers in bytes
 * (https://nodejs.org/api/http.html#httpcreateserveroptions-requestlistener).
 */
export type ServerLimits = Pick<
  ServerOptions,
  'headersTimeout' | 'requestTimeout' | 'keepAliveTimeout' | 'maxHeaderSize'
>;

interface Connection {
  readonly socket: Socket;
  /** The response to the latest request. */
  last: ServerResponse | undefined;
}

/** Milliseconds from the start of a shutdown until idle connections are closed. */
const IDLE_GRACE = 500;
/** Milliseconds that a client has to read the last response and to close its side of the connection. */
const LINGER = 1_000;

/**
 * Creates an HTTP server for an Express application. The server does not listen yet.
 *
 * @param render encodes the requests that Node refuses as the error body of the contract
 * @param limits timeouts in milliseconds, the size of the headers in bytes
 * @param stopping starts the shutdown: the server accepts no connections, and closes each open one after the response to
 *   its last request; it emits `close` after the last of them
 * @param reportFault receives errors that `app` and `render` throw; the connection is closed then
 */
export function createHttpServer(
  app: Express,
  render: (problem: Problem) => Answer,
  limits: ServerLimits,
  stopping?: AbortSignal,
  reportFault: ReportFault = faultToStderr,
): Server {
  const fault = safely(reportFault);
  // Express sets the prototype of every request and response, which makes V8 slow (expressjs/express#5998). Objects that
  // are created with that prototype stay unchanged.
  const latest = new WeakMap<Socket, IncomingMessage>();
  class Request extends IncomingMessage {
    constructor(socket: Socket) {
      super(socket);
      latest.set(socket, this);
    }
  }
  class Response extends ServerResponse {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  Object.assign(app, { request: Request.prototype, response: Response.prototype });

  const connections = new Map<Duplex, Connection>();
  let ending = false;
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(request.socket);
    if (connection) {
      if (ending) endAfter(response, connection.last);
      connection.last = response;
    }
    try {
      app(request, response);
    } catch (error) {
      fault(error);
      request.socket.destroy();
    }
  };
  const server = createServer(
    {
      ...limits,
      connectionsCheckingInterval: 1_000,
      requireHostHeader: false, // the service checks it, and sends an error body
      IncomingMessage: Request,
      ServerResponse: Response,
    },
    listener,
  );
  // Without these listeners Node sends 100 Continue or 417 before the service verifies the credentials.
  server.on('checkContinue', listener);
  server.on('checkExpectation', listener);
  server.on('connection', (socket) => {
    connections.set(socket, { socket, last: undefined });
    socket.once('close', () => connections.delete(socket));
    judgeHeads(socket, latest, (problem) => {
      refuseSafely(problem, socket);
    });
  });
  server.maxHeadersCount = 0; // Node silently drops headers beyond a count; maxHeaderSize bounds their size
  const refuseSafely = (error: NodeJS.ErrnoException | Problem, socket: Duplex) => {
    attempt(
      () => {
        refuse(error, socket, connections.get(socket)?.last, render, fault);
      },
      (worse) => {
        fault(worse);
        socket.destroy();
      },
    );
  };
  server.on('clientError', refuseSafely);
  server.on('connect', ({ socket }) => {
    refuseSafely(new Error('this server is not a proxy'), socket);
  });
  // Closes connections of clients that do not read their responses. A client may wait for a response.
  server.setTimeout(limits.requestTimeout, (socket) => {
    if (socket.writableLength > 0 || connections.get(socket)?.last?.writableFinished === true)
      socket.destroy();
  });
  stopping?.addEventListener('abort', () => {
    ending = true;
    drain(server, connections);
  });
  return server;
}

/** Judges the bytes that follow a complete request before Node parses them. */
function judgeHeads(
  socket: Socket,
  latest: WeakMap<Socket, IncomingMessage>,
  refuseHead: (problem: Problem) => void,
): void {
  const [parse] = socket.listeners('data');
  socket.removeAllListeners('data');
  let head = '';
  let refused = false;
  socket.on('data', (bytes: Buffer) => {
    if (latest.get(socket)?.complete !== false) head += bytes.toString('latin1');
    head = head.replace(/^(?:\r\n)+/, ''); // RFC 9112 section 2.2
    const end = head.indexOf('\r\n\r\n');
    const problem = end < 0 ? undefined : judgeHead(head.slice(0, end + 4));
    if (end >= 0) head = '';
    if (problem && !refused) refuseHead(problem);
    refused ||= problem !== undefined;
    if (!refused) parse?.call(socket, bytes);
  });
}

/** Closes a connection after this response, and not after an earlier one that is still pending. */
function endAfter(response: ServerResponse, earlier: ServerResponse | undefined): void {
  if (earlier?.headersSent === false) earlier.shouldKeepAlive = true;
  response.shouldKeepAlive = false;
}

/**
 * Stops listening, and closes idle connections after `IDLE_GRACE`: a request may already be on its way.
 */
function drain(server: Server, connections: ReadonlyMap<Duplex, Connection>): void {
  // server.close() of node:http closes idle connections at once, even with unread requests in their buffers.
  NetServer.prototype.close.call(server);
  for (const { last } of connections.values()) if (last) endAfter(last, undefined);
  const closeIdle = () => {
    server.closeIdleConnections();
    for (const { socket } of connections.values()) if (socket.bytesRead === 0) socket.destroy(); // Node counts it as busy
  };
  const timer = setTimeout(() => setImmediate(closeIdle), IDLE_GRACE); // setImmediate: read received requests first
  server.once('close', () => {
    clearTimeout(timer);
  });
}

/**
 * Starts to listen. Resolves with the URL of the server once it accepts connections; rejects with the error of Node.
 *
 * @param port 0 for any free port
 */
export function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      const actual = typeof address === 'object' && address !== null ? address.port : port;
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${actual}`);
    });
  });
}

/** Maps the error codes of Node's parser and timers (https://nodejs.org/api/http.html#event-clienterror). */
function problemOf(error: NodeJS.ErrnoException | Problem): Problem {
  if (error instanceof Problem) return error;
  const { code } = error;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Problem('requestTimeout', 'the request did not arrive in time');
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new Problem('headersTooLarge', 'the headers of the request are too large');
  }
  return new Problem('malformed', 'the request is not well-formed HTTP');
}

function refuse(
  error: NodeJS.ErrnoException | Problem,
  socket: Duplex,
  last: ServerResponse | undefined,
  render: (problem: Problem) => Answer,
  fault: ReportFault,
): void {
  const pending = last?.writableEnded === false ? last : undefined;
  if (!socket.writable || ('code' in error && error.code === 'ECONNRESET')) {
    socket.destroy();
    return;
  }
  if (pending?.headersSent === true) {
    endSoon(socket);
    return;
  }
  if (pending?.req.complete === true) {
    // The fault follows a complete request: answer that one, then close the connection.
    pending.shouldKeepAlive = false;
    return;
  }
  if (!pending && last?.writableFinished === false) {
    // The response to the complete request waits for an earlier one.
    last.once('finish', () => {
      endSoon(socket);
    });
    return;
  }
  const rendered = render(problemOf(error));
  const { status, headers: own, contentType = 'application/json', body } = rendered;
  settleWithin([rendered, status, own, contentType, body], fault);
  if (!isFinalStatus(status)) throw new TypeError(`expected a status from 200 to 599, got ${status}`);
  const text = stringifyJson(body);
  const given = [...headerEntries(own), ['Content-Type', contentType] as const];
  const headers = {
    ...Object.fromEntries(given.map(([name, value]) => [name, fieldValue(name, value)])),
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  };
  if (pending) {
    // Once the response ends, Node emits neither `end` nor `close` on the request: destroy it for its readers.
    pending.writeHead(status, headers).end(text, () => pending.req.destroy());
  } else {
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const reason = STATUS_CODES[status] ?? '';
    endSoon(socket, `HTTP/1.1 ${status} ${reason}\r\n${fields.join('')}\r\n${text}`);
  }
}

/** Writes `text` and ends the connection. Closes it after `LINGER` if the client does not. */
function endSoon(socket: Duplex, text = ''): void {
  const timer = setTimeout(() => socket.destroy(), LINGER);
  socket.once('close', () => {
    clearTimeout(timer);
  });
  socket.end(text);
}
