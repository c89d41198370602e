import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from './json';
import type { Server, Target } from './target';

/** What a server under test answers. */
export interface Reply {
  status: number;
  body?: string;
  headers?: Record<string, string>;
  /** Not by what stands before the service, but by itself. */
  own?: boolean;
}

/** `PUT /number` takes an integer from 0 to a million and answers 204; it documents a 409 that it never gives. */
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
          204: { description: 'kept' },
          400: { description: 'wrong' },
          409: { description: 'taken' },
        },
      },
    },
  },
};

const LIMIT = 2000;

/** What a sound server says, in the fewest lines that pass every case. */
export function sound(request: IncomingMessage, body: string): Reply {
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

export function serve(
  answer: (request: IncomingMessage, body: string) => Reply,
  reset = (): void => undefined,
): () => Promise<Server> {
  return async () => {
    let entered = 0;
    const server = createServer((request, response) => {
      let body = '';
      const finish = (): void => {
        const { status, headers = {}, body: said = '', own = status === 204 } = answer(request, body);
        if (own) entered += 1;
        response.writeHead(status, { ...headers, 'Content-Length': said.length }).end(said);
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

/** As the engine sees a server that answers so. */
export const target = (answer: Parameters<typeof serve>[0], waivers: Target['waivers'] = []): Target => ({
  document: DOCUMENT,
  start: serve(answer),
  credentials: {},
  bodyLimit: LIMIT,
  refusals: {
    'unknown path': { status: 404 },
    'unknown method': { status: 405 },
    'no credentials': { status: 401 },
    'bad credentials': { status: 401 },
    'insufficient scope': { status: 403 },
    'unsupported media type': { status: 415 },
    'too large': { status: 413 },
    malformed: { status: 400 },
    'invalid request': { status: 400 },
  },
  situations: {},
  waivers,
});
