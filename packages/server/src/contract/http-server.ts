import {
  createServer,
  IncomingMessage,
  type Server,
  type ServerOptions,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { type ListenOptions, Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import { canHappen, SHORT_MESSAGE } from './exchange/server-problems';
import { UndocumentedResponse } from './exchange/write-response';
import type { ServedOperation } from './exchange/served-operation';
import { Connection } from './http/connection';
import { attempt, faultToStderr, type ReportFault, safely, settleWithin } from './http/fault';
import { fieldValue, headerEntries } from './http/header-field';
import { breakOff, isFinalStatus, OutgoingBody } from './http/send';
import { Unsent } from './http/unsent';
import { stringifyJson } from './json/stringify';
import type { Operation } from './operations/operations';
import { type Answer, type Headers, Problem } from './problem';

/** Encodes a problem; `operation` is undefined if it is not known yet. */
type Render = (problem: Problem, operation?: Operation) => Answer;

/** Timeouts in milliseconds and the size of the headers in bytes. */
export interface ServerLimits extends Pick<
  ServerOptions, // https://nodejs.org/api/http.html#httpcreateserveroptions-requestlistener
  'headersTimeout' | 'requestTimeout' | 'keepAliveTimeout' | 'maxHeaderSize'
> {
  /** How long a response may wait without progress for its client to read. 30,000 by default. */
  readonly sendTimeout?: number | undefined;
  /**
   * How long a server that stops keeps idle connections: the response to a request that comes meanwhile announces the end of its
   * connection, whereas one that is on its way when its connection is closed gets none. 500 by default.
   */
  readonly idleGrace?: number | undefined;
}

/** `timeout`: nothing was read within `sendTimeout`. `memory`: the responses that wait for all clients are too large. */
export type Unread = 'timeout' | 'memory';
export type ReportUnread = (reason: Unread) => void;

/** Called after bytes were handed to the operating system. */
type Sent = (error?: Error | null) => void;

/** Milliseconds. */
const SEND_TIMEOUT = 30_000;
/** Connections that the operating system accepts before the server does: the default of Node. */
const BACKLOG = 511;
/** Milliseconds without a new connection after which a server that stops has all that the operating system has accepted. */
const QUIET = 2;
/** Milliseconds between the times at which a server that stops closes its idle connections: a request may be on its way. */
const IDLE_GRACE = 500;

/**
 * Creates an HTTP server for an Express application. The server does not listen yet.
 *
 * @param render encodes the requests that are not well-formed HTTP as the error body of the contract
 * @param limits timeouts in milliseconds, the size of the headers in bytes
 * @param stopping starts the shutdown: the server accepts no connections, and closes each open one after the response to
 *   its last request; it emits `close` after the last of them
 * @param reportFault receives errors that `app`, `render` and `reportUnread` throw; the connection is closed then
 * @param reportUnread called for each connection that is closed because its client does not read its response
 */
export function createHttpServer(
  app: Express,
  render: Render,
  { sendTimeout = SEND_TIMEOUT, idleGrace = IDLE_GRACE, ...limits }: ServerLimits,
  stopping?: AbortSignal,
  reportFault: ReportFault = faultToStderr,
  reportUnread: ReportUnread = () => undefined,
): Server {
  const fault = safely(reportFault);
  const connections = new Map<Duplex, Connection>();
  const unread = (reason: Unread) => {
    attempt(() => {
      reportUnread(reason);
    }, fault);
  };
  const unsent = new Unsent(connections, () => {
    unread('memory');
  });
  const begin = (response: ServerResponse) => {
    const connection = Connection.of(response.req.socket);
    if (connection) connection.response = response;
    return connection;
  };
  // Express sets the prototype of every request and response, which makes V8 slow (expressjs/express#5998). Objects that
  // are created with that prototype stay unchanged.
  class Request extends IncomingMessage {}
  class Response<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {
    /** Undefined too in the responses of another server with the same application, to which Express gives this prototype. */
    private readonly receiver = begin(this);

    /** Announces the end of the connection with the response to its last request. */
    override writeHead(...head: [status: number, ...fields: never[]]): this {
      const { receiver } = this;
      if (receiver && (ending || receiver.ended) && !receiver.hasMore) this.shouldKeepAlive = false;
      return super.writeHead(...head);
    }

    override write(chunk: unknown, encoding?: BufferEncoding | Sent, sent?: Sent): boolean {
      const { socket } = this.req;
      const waited = socket.writableLength;
      const isRead = super.write(chunk, encoding as BufferEncoding, sent);
      if (socket.writableLength > waited) unsent.wrote(socket.writableLength - waited);
      return isRead;
    }

    override end(chunk?: unknown, encoding?: BufferEncoding | Sent, sent?: Sent): this {
      const { socket } = this.req;
      const waited = socket.writableLength;
      super.end(chunk, encoding as BufferEncoding, sent);
      if (socket.writableLength > waited) unsent.wrote(socket.writableLength - waited);
      return this;
    }
  }
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  Object.assign(app, { request: Request.prototype, response: Response.prototype });

  let ending = false;
  const listener = (request: IncomingMessage, response: ServerResponse) => {
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
  const rejectSafely = (error: NodeJS.ErrnoException | Problem, socket: Duplex) => {
    attempt(
      () => {
        const connection = connections.get(socket);
        if (!connection) socket.destroy();
        else if (isLate(error) && connection.isLong && connection.response?.req.complete === false)
          connection.isOverdue = true; // Node says so once for each request
        else reject(error, connection, render, fault);
      },
      (worse) => {
        fault(worse);
        socket.destroy();
      },
    );
  };
  server.on('connection', (socket) => {
    const connection = new Connection(socket, (problem) => {
      rejectSafely(problem, socket);
    });
    connections.set(socket, connection);
    socket.once('close', () => connections.delete(socket));
  });
  server.maxHeadersCount = 0; // Node rejects a head of some 1,000 fields before it is judged; maxHeaderSize bounds it
  server.on('clientError', rejectSafely);
  // A client may wait for a response, but not with one that it does not read.
  server.setTimeout(sendTimeout, (socket) => {
    if (socket.writableLength > 0) unread('timeout');
    else if (connections.get(socket)?.isIdle !== true) return;
    socket.destroy();
  });
  stopping?.addEventListener('abort', () => {
    ending = true;
    drain(server, connections, idleGrace);
  });
  return server;
}

/** Stops listening, and closes idle connections, the first after `idleGrace`. */
function drain(server: Server, connections: ReadonlyMap<Duplex, Connection>, idleGrace: number): void {
  const closeIdle = () => {
    for (const { isIdle, socket } of connections.values())
      if (isIdle || socket.bytesRead === 0) socket.destroy();
  };
  stopListening(server, () => {
    const timer = setInterval(() => setImmediate(closeIdle), idleGrace); // setImmediate: read received requests first
    server.once('close', () => {
      clearInterval(timer);
    });
  });
}

/**
 * Closes the listener once it has the connections that the operating system has accepted: to close it resets those. None of them
 * is read before that, or clients that wait for their responses would go on to open others. If they come without a pause, it takes
 * all of `IDLE_GRACE`, and at least as many as had been accepted before.
 */
function stopListening(server: Server, then: () => void): void {
  const accepted: Socket[] = [];
  const end = performance.now() + IDLE_GRACE;
  let [left, seen] = [BACKLOG + 1, NaN]; // Linux accepts one more
  const accept = (socket?: Socket) => {
    left--;
    if (socket instanceof Socket) accepted.push(socket.pause());
  };
  const close = () => {
    if (left !== seen && (left > 0 || performance.now() < end)) {
      seen = left;
      setTimeout(() => setImmediate(close), QUIET); // setImmediate: a busy server may have accepted none meanwhile
      return;
    }
    server.off('connection', accept).off('drop', accept);
    // server.close() of node:http closes idle connections at once, even with unread requests in their buffers.
    NetServer.prototype.close.call(server);
    for (const socket of accepted) socket.resume();
    then();
  };
  server.on('connection', accept).on('drop', accept);
  close();
}

/**
 * Starts to listen. Resolves with the URL of the server once it accepts connections; rejects with the error of Node.
 *
 * @param port 0 for any free port
 * @param options those of Node, of processes that share the port
 */
export function listen(
  server: Server,
  host: string,
  port: number,
  options: Pick<ListenOptions, 'exclusive' | 'reusePort'> = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen({ ...options, port, host, backlog: BACKLOG }, () => {
      server.off('error', reject);
      const address = server.address();
      const actual = typeof address === 'object' && address !== null ? address.port : port;
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${actual}`);
    });
  });
}

const isLate = (error: object): boolean => 'code' in error && error.code === 'ERR_HTTP_REQUEST_TIMEOUT';

const MALFORMED = new Problem('malformed', 'the request is not well-formed HTTP');

/** Maps the error codes of Node's parser and timers (https://nodejs.org/api/http.html#event-clienterror). */
function problemOf(error: NodeJS.ErrnoException): Problem | undefined {
  if (isLate(error)) return new Problem('requestTimeout', 'the request did not arrive in time');
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    return new Problem('headersTooLarge', 'the headers of the request are too large');
  }
  return undefined;
}

/** Responds to a request that Node or `judgeHead` rejects, unless it has a response, and closes the connection. */
function reject(
  error: NodeJS.ErrnoException | Problem,
  connection: Connection,
  render: Render,
  fault: ReportFault,
): void {
  const { response, socket } = connection;
  const problem =
    error instanceof Problem ? error : (problemOf(error) ?? connection.judgeRejected() ?? MALFORMED);
  connection.stop();
  if (!socket.writable || ('code' in error && error.code === 'ECONNRESET')) {
    socket.destroy();
    return;
  }
  if (response?.headersSent === true && (response.socket !== null || !response.req.complete)) {
    if (response.writableEnded)
      connection.end(); // the request has its response
    else breakOff(response.req);
    return;
  }
  const served =
    response?.headersSent === false ? (connection.served as ServedOperation | undefined) : undefined;
  // An operation documents the kinds that can happen to it.
  const own =
    !served || canHappen(problem.kind, served.operation)
      ? problem
      : new Problem('malformed', problem.message);
  let rendered = render(own, served?.operation);
  let documented = served && writeDocumented(served, rendered, fault);
  if (served && !documented) {
    // The message may be longer than the document allows.
    rendered = render(new Problem(own.kind, SHORT_MESSAGE), served.operation);
    documented = writeDocumented(served, rendered, fault);
  }
  const { status, headers: given, contentType = 'application/json', body } = rendered;
  settleWithin([rendered, status, given, contentType, body], fault);
  if (!isFinalStatus(status)) throw new TypeError(`expected a status from 200 to 599, got ${status}`);
  const text = documented?.body ?? (body === undefined ? '' : stringifyJson(body));
  const headers = {
    ...(documented?.headers ?? {
      ...fieldsOf(given),
      'Content-Type': fieldValue('Content-Type', contentType),
    }),
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  };
  if (response?.headersSent === false) {
    // Once the response ends, Node emits neither `end` nor `close` on the request: destroy it for its readers.
    socket.once('close', () => response.req.destroy());
    response.writeHead(status, headers).end(text);
  } else {
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
    const reason = STATUS_CODES[status] ?? '';
    connection.end(`HTTP/1.1 ${status} ${reason}\r\n${fields.join('')}\r\n${text.toString()}`);
  }
}

/** The fields of headers, with values that HTTP can carry. */
const fieldsOf = (headers: Answer['headers']): Headers =>
  Object.fromEntries(headerEntries(headers).map(([name, value]) => [name, fieldValue(name, value)]));

/** An error response as the operation documents it; undefined if it does not. */
function writeDocumented({ responses }: ServedOperation, rendered: Answer, fault: ReportFault) {
  const { status, headers, contentType, body } = rendered;
  try {
    const written = responses.write({ status, contentType, body }, fieldsOf(headers));
    return written.body instanceof OutgoingBody
      ? undefined
      : { headers: written.headers, body: written.body ?? '' };
  } catch (error) {
    if (!(error instanceof UndocumentedResponse)) throw error;
    settleWithin([rendered, body], fault);
    return undefined;
  }
}
