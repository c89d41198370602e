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
 * @param render puts what Node refuses before there is a request into the error body of the contract
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

  const server = createServer(
    { ...limits, connectionsCheckingInterval: 1_000, IncomingMessage: Request, ServerResponse: Response },
    app,
  );
  // Without these listeners Node itself would ask for the body, or refuse, before the credentials are known.
  server.on('checkContinue', app);
  server.on('checkExpectation', app);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuse(socket, render(problemOf(error)));
  });
  return server;
}

/** What Node's parser and timers refuse, by the code of the error (https://nodejs.org/api/http.html#event-clienterror). */
function problemOf({ code }: NodeJS.ErrnoException): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Problem('tooSlow', 'the request did not arrive in time');
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Problem('headersTooLarge', 'the headers of the request are too large');
  return new Problem('malformed', 'the request is not well-formed HTTP');
}

/** Answers on a connection that has no request, and closes it. */
function refuse(socket: Duplex, { status, body }: Answer): void {
  // Something may have been sent already for an earlier request on this connection: then only closing it is safe.
  const response = '_httpMessage' in socket ? socket._httpMessage : undefined;
  if (!socket.writable || response instanceof ServerResponse) {
    socket.destroy();
    return;
  }
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}
