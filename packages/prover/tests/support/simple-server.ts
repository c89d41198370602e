import { createServer, type IncomingMessage } from 'node:http';
import { openServer } from '../../src/service/listen';
import type { Server, Target } from '../../src/target';
import { documentOfPaths } from './document';
import { type JsonObject, objectAt } from '../../src/json/tree';

/** The answer of a server under test. */
export interface Reply {
  status: number;
  body?: string;
  headers?: Record<string, string>;
  /** Whether the service answers, and not the layer before it. */
  own?: boolean;
}

/** How a server answers. */
export type Answer = (request: IncomingMessage, body: string) => Reply;

/** Answers a request: gets the encoded values of the parameters of its path, and the body. */
export type Route = (
  parameters: Readonly<Record<string, string>>,
  body: string,
  request: IncomingMessage,
) => Reply;

/** A server that answers by method and path template, such as `GET /things/{id}`, else with 404, or 405 and Allow. HEAD is GET. It lists no query, so it refuses each. */
export const routed =
  (routes: Readonly<Record<string, Route>>): Answer =>
  (request, body) => {
    const [path = '', query] = (request.url ?? '').split('?');
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const matching = Object.entries(routes).flatMap(([route, answer]) => {
      const [allowed = '', template = ''] = route.split(' ');
      const match = new RegExp(`^${template.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(path);
      return match ? [{ allowed, answer, parameters: match.groups ?? {} }] : [];
    });
    if (matching.length === 0) return { status: 404 };
    const found = matching.find(({ allowed }) => allowed === method);
    const headers = { Allow: matching.map(({ allowed }) => allowed).join(', ') };
    if (!found) return { status: 405, headers };
    return query === undefined ? found.answer(found.parameters, body, request) : { status: 400 };
  };

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
          '4XX': { description: 'another refusal' },
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

/**
 * Starts a server that answers with `answer`.
 *
 * @param largest the size of a body, in bytes; it reads none of one that announces more
 */
export function serve(
  answer: Answer,
  reset = (): void => undefined,
  largest: (request: IncomingMessage) => number = () => LIMIT,
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
      if (Number(request.headers['content-length'] ?? 0) > largest(request)) finish();
      else
        request
          .setEncoding('latin1')
          .on('data', (chunk) => (body += String(chunk)))
          .on('end', finish);
    });
    return { host: '127.0.0.1', ...(await openServer(server)), entered: () => entered, reset };
  };
}

/** A target whose server answers with `answer`. Its refusals are those of RFC 9110. */
export const target = (answer: Answer, waivers: Target['waivers'] = []): Target => ({
  document: DOCUMENT,
  start: serve(answer),
  credentials: {},
  bodyLimit: LIMIT,
  waivers,
});

/** {@link target} with changes of its document, in most cases of its only operation. */
export function numbers(
  change: (operation: JsonObject, document: JsonObject) => void,
  answer: Answer = correctServer,
  changed: Partial<Target> = {},
): Target {
  const document = structuredClone(DOCUMENT);
  change(objectAt(document, '/paths/~1number/put'), document);
  return { ...target(answer), document, source: 'tests/service.ts', ...changed };
}

/** A target with a document of these paths, whose server answers with `answer`. */
export const targetOf = (paths: JsonObject, answer: Answer, changed: Partial<Target> = {}): Target => ({
  ...target(answer),
  document: documentOfPaths(paths),
  ...changed,
});
