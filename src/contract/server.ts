import { createServer, IncomingMessage, type Server, ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import { type Answer, Problem } from './problem';

/** What bounds a server; all times are in milliseconds. */
export interface ServerLimits {
  /** For the head of a request. */
  readonly headersTimeout: number;
  /** For a whole request. */
  readonly requestTimeout: number;
  /** Between two requests on one connection. */
  readonly keepAliveTimeout: number;
}

/**
 * An HTTP server for an application of Express, not yet listening.
 *
 * @param render puts what Node refuses, before or instead of the application, into the error body of the contract
 */
export function createHttpServer(
  app: Express,
  render: (problem: Problem) => Answer,
  limits: ServerLimits,
): Server {
  // Express changes the prototype of every request and response to its own, which takes them off V8's fast path.
  // Created with that prototype, there is nothing to change (expressjs/express#5998).
  class Request extends IncomingMessage {}
  class Response extends ServerResponse {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  Object.assign(app, { request: Request.prototype, response: Response.prototype });

  /** The response last begun on each connection. */
  const responses = new WeakMap<Duplex, ServerResponse>();
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    responses.set(request.socket, response);
    app(request, response);
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
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuse(error, socket, responses.get(socket), render);
  });
  return server;
}

/** What Node's parser and timers refuse, by the code of the error (https://nodejs.org/api/http.html#event-clienterror). */
function problemOf({ code }: NodeJS.ErrnoException): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Problem('tooSlow', 'the request did not arrive in time');
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
): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, body } = render(problemOf(error));
  const text = JSON.stringify(body);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  };
  const pending = last && !last.writableEnded ? last : undefined;
  if (pending?.req.complete === true) {
    // The bytes behind a whole request are at fault: that one is answered, then the connection ends.
    pending.shouldKeepAlive = false;
  } else if (pending?.headersSent === true) socket.destroy();
  else if (pending) pending.writeHead(status, headers).end(text);
  else {
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${fields.join('')}\r\n${text}`);
  }
}
