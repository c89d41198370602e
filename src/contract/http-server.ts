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
import { fieldValue, headerEntries } from './http/header-field';
import { type Answer, isFinalStatus, Problem } from './problem';

/** What bounds a server (https://nodejs.org/api/http.html#httpcreateserveroptions-requestlistener). */
export type ServerLimits = Pick<
  ServerOptions,
  'headersTimeout' | 'requestTimeout' | 'keepAliveTimeout' | 'maxHeaderSize'
>;

interface Connection {
  readonly socket: Socket;
  /** The response last begun. */
  last: ServerResponse | undefined;
}

/** Milliseconds after which a connection on which nothing was asked since the server began to stop is closed. */
const IDLE_GRACE = 500;
/** Milliseconds that a client is given to read why its connection ends, and to end it from its side too. */
const LINGER = 1_000;

/**
 * An HTTP server for an application of Express, not yet listening.
 *
 * @param render puts what Node refuses, before or instead of the application, into the error body of the contract
 * @param stopping begins the end: no new connections, and each open one ends with the answer to its last request; the
 * server emits `close` after the last of them
 * @param reportFault receives what `app` and `render` throw: the connection is closed then
 */
export function createHttpServer(
  app: Express,
  render: (problem: Problem) => Answer,
  limits: ServerLimits,
  stopping?: AbortSignal,
  reportFault: ReportFault = faultToStderr,
): Server {
  const fault = safely(reportFault);
  // Express changes the prototype of every request and response to its own, which takes them off V8's fast path.
  // Created with that prototype, there is nothing to change (expressjs/express#5998).
  class Request extends IncomingMessage {}
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
      requireHostHeader: false, // the service checks it, and answers with an error body
      IncomingMessage: Request,
      ServerResponse: Response,
    },
    listener,
  );
  // Without these listeners Node would ask for a body, or refuse, before the credentials are known.
  server.on('checkContinue', listener);
  server.on('checkExpectation', listener);
  server.on('connection', (socket) => {
    connections.set(socket, { socket, last: undefined });
    socket.once('close', () => connections.delete(socket));
  });
  server.maxHeadersCount = 0; // beyond one Node would pass headers over in silence; maxHeaderSize bounds them all
  const refuseSafely = (error: NodeJS.ErrnoException, socket: Duplex) => {
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
    refuseSafely(new Error('this server is no proxy'), socket);
  });
  // A client that does not take its answers would keep its connection for good. One whose answer is not there yet waits.
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

/** Lets a connection end with this response, and not with an earlier one that is still owed. */
function endAfter(response: ServerResponse, earlier: ServerResponse | undefined): void {
  if (earlier?.headersSent === false) earlier.shouldKeepAlive = true;
  response.shouldKeepAlive = false;
}

/**
 * Stops listening, and closes what is idle: not at once, because a request may be on its way, but after its client has had
 * the time to send it.
 */
function drain(server: Server, connections: ReadonlyMap<Duplex, Connection>): void {
  // Not `server.close()`: that of node:http closes idle connections at once, requests unread in their buffers or not.
  NetServer.prototype.close.call(server);
  for (const { last } of connections.values()) if (last) endAfter(last, undefined);
  const closeIdle = () => {
    server.closeIdleConnections();
    for (const { socket } of connections.values()) if (socket.bytesRead === 0) socket.destroy(); // to Node, it is busy
  };
  const timer = setTimeout(() => setImmediate(closeIdle), IDLE_GRACE); // immediately after what has come is read
  server.once('close', () => {
    clearTimeout(timer);
  });
}

/** Resolves with the address as a URL, once connections are accepted; rejects if that cannot be. */
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

/** What Node's parser and timers refuse, by the code of the error (https://nodejs.org/api/http.html#event-clienterror). */
function problemOf({ code }: NodeJS.ErrnoException): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Problem('requestTimeout', 'the request did not arrive in time');
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new Problem('headersTooLarge', 'the headers of the request are too large');
  }
  return new Problem('malformed', 'the request is not well-formed HTTP');
}

function refuse(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  last: ServerResponse | undefined,
  render: (problem: Problem) => Answer,
  fault: ReportFault,
): void {
  const pending = last?.writableEnded === false ? last : undefined;
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  if (pending?.headersSent === true) {
    endSoon(socket);
    return;
  }
  if (pending?.req.complete === true) {
    // The bytes behind a whole request are at fault: that one is answered, then the connection ends.
    pending.shouldKeepAlive = false;
    return;
  }
  if (!pending && last?.writableFinished === false) {
    // So too where it is answered already, but not sent: the answer to one before it is still owed.
    last.once('finish', () => {
      endSoon(socket);
    });
    return;
  }
  const rendered = render(problemOf(error));
  const { status, headers: own, contentType = 'application/json', body } = rendered;
  settleWithin([rendered, status, own, contentType, body], fault);
  if (!isFinalStatus(status)) throw new TypeError(`expected a status from 200 to 599, got ${status}`);
  const text = JSON.stringify(body);
  const given = [...headerEntries(own), ['Content-Type', contentType] as const];
  const headers = {
    ...Object.fromEntries(given.map(([name, value]) => [name, fieldValue(name, value)])),
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  };
  if (pending) {
    // Whoever reads the request waits for its end or its close; once it is answered, Node tells of neither.
    pending.writeHead(status, headers).end(text, () => pending.req.destroy());
  } else {
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const reason = STATUS_CODES[status] ?? '';
    endSoon(socket, `HTTP/1.1 ${status} ${reason}\r\n${fields.join('')}\r\n${text}`);
  }
}

/** Ends a connection after what has been written and this; a client that does not end its side is cut off. */
function endSoon(socket: Duplex, text = ''): void {
  const timer = setTimeout(() => socket.destroy(), LINGER);
  socket.once('close', () => {
    clearTimeout(timer);
  });
  socket.end(text);
}
