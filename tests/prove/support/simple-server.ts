import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../../scripts/prove/json/json';
import type { Server, Target } from '../../../scripts/prove/target';

/** The answer of a server under test. */
export interface Reply {
  status: number;
  body?: string;
  headers?: Record<string, string>;
  /** Whether the service answers, and not the layer before it. */
  own?: boolean;
}

/** `PUT /number` accepts an integer from 0 to 1,000,000 and answers 204. Its documented 409 never occurs. */
const DOCUMENT: JsonObject = {
  openapi: '3.1.0',
  info: { title: 'Numbers', version: '1.0.0' },
  paths: {
    '/number': {
      put: {
        operationId: 'putNumber',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { type: 'integer', minimum: 0, maximum: 1_000_000 } } },
        },
        responses: {
          204: { description: 'stored' },
          400: { description: 'invalid' },
          409: { description: 'conflict' },
        },
      },
    },
  },
};

/** Bytes. */
const LIMIT = 2000;

/** A correct server. */
export function correctServer(request: IncomingMessage, body: string): Reply {
  const [path, query] = (request.url ?? '').split('?');
  if (path !== '/number') return { status: 404 };
  if (request.method !== 'PUT') return { status: 405, headers: { Allow: 'PUT' } };
  if (query !== undefined) return { status: 400 };
  const type = request.headers['content-type'] ?? '';
  if (body !== '' && !/^application\/json *(; *charset="?utf-8"?)?$/i.test(type)) return { status: 415 };
  if (request.headers['content-encoding'] !== undefined) return { status: 415 };
  if (Number(request.headers['content-length'] ?? body.length) > LIMIT || body.length > LIMIT)
    return { status: 413 };
  if (!/^\s*-?(0|[1-9]\d*)(\.0+)?\s*$/.test(body)) return { status: 400 };
  return { status: Number(body) >= 0 && Number(body) <= 1_000_000 ? 204 : 400 };
}

/** Starts a server that answers with `answer`. */
export function serve(
  answer: (request: IncomingMessage, body: string) => Reply,
  reset = (): void => undefined,
): () => Promise<Server> {
  return async () => {
    let entered = 0;
    const server = createServer((request, response) => {
      let body = '';
      const finish = (): void => {
        const { status, headers = {}, body: text = '', own = status === 204 } = answer(request, body);
        if (own) entered += 1;
        response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(text) }).end(text);
      };
      if (Number(request.headers['content-length'] ?? 0) > LIMIT) finish();
      else
        request
          .setEncoding('latin1')
          .on('data', (chunk) => (body += String(chunk)))
          .on('end', finish);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
      host: '127.0.0.1',
      port: (server.address() as AddressInfo).port,
      entered: () => entered,
      reset,
      close: async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  };
}

/** A target whose server answers with `answer`. */
export const target = (answer: Parameters<typeof serve>[0], waivers: Target['waivers'] = []): Target => ({
  document: DOCUMENT,
  start: serve(answer),
  credentials: {},
  bodyLimit: LIMIT,
  refusals: {
    'not found': { status: 404 },
    'method not allowed': { status: 405 },
    'missing credentials': { status: 401 },
    'invalid credentials': { status: 401 },
    'insufficient scope': { status: 403 },
    'unsupported media type': { status: 415 },
    'content too large': { status: 413 },
    malformed: { status: 400 },
    'invalid request': { status: 400 },
  },
  situations: {},
  waivers,
});
