/** Requests that are made in this process. They pass every stage that a request of another client passes. */
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, request as send } from 'node:http';
import { duplexPair } from 'node:stream';
import type { Middleware } from '../contract';

export interface MadeRequest {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer | undefined;
}

/** Bytes of a head: that of a request has arguments of a body. */
const MAX_HEAD = 1_048_576;
/** What the service sees of the connection of its client. */
const PEER = ['remoteAddress', 'remotePort', 'localAddress', 'localPort', 'encrypted'];

/**
 * Creates what sends requests to a service over a connection in memory. Who has read enough of an answer destroys its socket.
 *
 * @returns `caller` is the request that another is made for, whose client the service sees, and `signal` is aborted when it has left
 */
export function createClient(service: Middleware) {
  const server = createServer({ maxHeaderSize: MAX_HEAD, requireHostHeader: false }, (request, response) => {
    service(request, response, () => response.destroy());
  });
  return ({ body, ...made }: MadeRequest, caller: IncomingMessage, signal: AbortSignal) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const [near, far] = duplexPair();
      for (const name of PEER)
        if (name in caller.socket)
          Object.defineProperty(far, name, { value: Reflect.get(caller.socket, name) as unknown });
      Object.assign(far, { destroySoon: () => far.end(() => far.destroy()) });
      near.once('close', () => far.destroy());
      far.once('close', () => near.destroy());
      server.emit('connection', far);
      // Without a length, Node would announce a body.
      const headers = { ...made.headers, connection: 'close', 'content-length': body?.length ?? 0 };
      const options = { maxHeaderSize: MAX_HEAD, setHost: false, signal, createConnection: () => near };
      send({ ...made, ...options, headers })
        .on('response', (message) => {
          message.on('error', () => undefined); // whoever reads it has it
          resolve(message);
        })
        .on('error', reject)
        .end(body);
    });
}
