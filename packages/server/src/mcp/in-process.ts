/** Requests that are made in this process. They pass every stage that a request of another client passes. */
import { createServer, type IncomingMessage, request as send } from 'node:http';
import { duplexPair } from 'node:stream';
import type { Middleware } from '../contract';

/** Names and values of header fields. */
export type Fields = readonly (readonly [name: string, value: string])[];

export interface MadeRequest {
  readonly method: string;
  /** The path with its query. */
  readonly url: string;
  readonly headers: Fields;
  readonly body: Buffer | undefined;
}

/** The names and values that `rawHeaders` has in turn. */
export const pairsOf = (raw: readonly string[]): Fields =>
  raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1] ?? ''] as const] : []));

/** Bytes of a head: that of a request has arguments of a body. */
const MAX_HEAD = 1_048_576;
/** What the service sees of the connection of its client. */
const PEER = ['remoteAddress', 'remotePort', 'localAddress', 'localPort', 'encrypted'];

/**
 * Creates what sends requests to a service over a connection in memory. Who has read enough of an answer destroys its socket.
 *
 * @returns `caller` is the request that another is made for, whose client the service sees, and `left` is aborted when it has left
 */
export function createClient(service: Middleware) {
  const server = createServer({ maxHeaderSize: MAX_HEAD, requireHostHeader: false }, (request, response) => {
    service(request, response, () => response.destroy());
  });
  return (
    { method, url: path, headers: fields, body }: MadeRequest,
    caller: IncomingMessage,
    left: AbortSignal,
  ) =>
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
      const length = String(body?.length ?? 0);
      const headers = [...fields.flat(), 'Connection', 'close', 'Content-Length', length];
      send({ method, path, headers, maxHeaderSize: MAX_HEAD, signal: left, createConnection: () => near })
        .on('response', (message) => {
          message.on('error', () => undefined); // whoever reads it has it
          resolve(message);
        })
        .on('error', reject)
        .end(body);
    });
}
