import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { asString, type JsonObject } from '../../src/json/tree';

/** A request to the library, and what it does with it: tests replace parts to break it. */
export interface Library {
  readonly authors: Map<string, JsonObject>;
  readonly books: Map<string, JsonObject>;
  readonly requests: { readonly method: string; readonly url: string }[];
  readonly close: () => Promise<void>;
  /** The URL of its API. */
  readonly url: string;
}

const id = { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } };
const limit = { type: 'integer', minimum: 1, maximum: 50, default: 10 };
const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (content: JsonObject): JsonObject => ({ 'application/json': { schema: content } });
const failed = (description: string): JsonObject => ({
  description,
  content: { 'application/problem+json': { schema: schema('Problem') } },
});
const errors = { 400: failed('invalid'), 401: failed('no key'), 404: failed('unknown') };
const refusals = { 409: failed('the ISBN is taken'), 422: failed('unknown author'), ...errors };
/** An operation with a status of success, and the schema of its body. */
const operation = (
  operationId: string,
  status: number,
  content: JsonObject | undefined,
  more: JsonObject = {},
  responses: JsonObject = errors,
): JsonObject => ({
  operationId,
  ...more,
  responses: {
    [status]: { description: 'done', ...(content && { content: json(content) }) },
    ...responses,
  },
});
const takes = (name: string) => ({ requestBody: { required: true, content: json(schema(name)) } });
const withId = (name: string): JsonObject => ({
  allOf: [
    schema(name),
    { type: 'object', required: ['id'], properties: { id: { type: 'string', format: 'uuid' } } },
  ],
});

/** Authors and their books. The server chooses the ids; the ISBN of a book is unique; a book needs an author. */
export const LIBRARY: JsonObject = {
  openapi: '3.1.0',
  info: { title: 'Library', version: '1.0.0' },
  servers: [{ url: 'https://library.example.org/v1' }],
  security: [{ key: [] }],
  paths: {
    '/authors': { post: operation('addAuthor', 201, schema('Author'), takes('NewAuthor')) },
    '/authors/{id}': {
      parameters: [id],
      get: operation('getAuthor', 200, schema('Author')),
      delete: operation('removeAuthor', 204, undefined),
    },
    '/books': {
      get: operation(
        'listBooks',
        200,
        { type: 'array', items: schema('Book') },
        {
          parameters: [{ name: 'limit', in: 'query', schema: limit }],
        },
      ),
      post: operation('addBook', 201, schema('Book'), takes('NewBook'), refusals),
    },
    '/books/{id}': {
      parameters: [id],
      get: operation('getBook', 200, schema('Book')),
      put: operation('changeBook', 200, schema('Book'), takes('NewBook'), refusals),
      delete: operation('removeBook', 204, undefined),
    },
  },
  components: {
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
    schemas: {
      Problem: { type: 'object', required: ['title'], properties: { title: { type: 'string' } } },
      NewAuthor: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string', minLength: 1, maxLength: 80 } },
      },
      Author: withId('NewAuthor'),
      NewBook: {
        type: 'object',
        required: ['isbn', 'title', 'authorId'],
        properties: {
          isbn: { type: 'string', pattern: '^[0-9]{13}$' },
          title: { type: 'string', minLength: 1, maxLength: 200 },
          authorId: { type: 'string', format: 'uuid' },
          pages: { type: 'integer', minimum: 1, maximum: 10_000 },
        },
      },
      Book: withId('NewBook'),
    },
  },
};

export const LIBRARY_CREDENTIALS = { key: { valid: 'right-key', invalid: 'wrong-key' } };

/** The answer of the library. */
export interface LibraryReply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** A request as a fault sees it. */
export interface FaultyRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly key: string | undefined;
}

/** Replaces the answers of a library: gets the request and the correct answer. */
export type Fault = (request: FaultyRequest, correct: () => LibraryReply) => LibraryReply;

/**
 * Starts a correct server for {@link LIBRARY}: express-like, lenient about what the document does not state.
 *
 * @param fault breaks it
 * @param at a Unix socket; a free port by default
 */
export async function startLibrary(fault: Fault = (_, correct) => correct(), at?: string): Promise<Library> {
  const authors = new Map<string, JsonObject>();
  const books = new Map<string, JsonObject>();
  const requests: Library['requests'] = [];
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        requests.push({ method: incoming.method ?? '', url: incoming.url ?? '' });
        const {
          status,
          body,
          headers = {},
        } = replyTo(incoming, Buffer.concat(chunks), { authors, books }, fault);
        const type = status < 400 ? 'application/json' : 'application/problem+json';
        outgoing.writeHead(status, { ...(body !== undefined && { 'Content-Type': type }), ...headers });
        outgoing.end(incoming.method === 'HEAD' || body === undefined ? undefined : JSON.stringify(body));
      });
  });
  await new Promise<void>((resolve) => {
    if (at === undefined) server.listen(0, '127.0.0.1', resolve);
    else server.listen(at, resolve);
  });
  return {
    authors,
    books,
    requests,
    url: at === undefined ? urlOf(server) : `unix:${at}`,
    close: () => close(server),
  };
}

const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

const refuse = (status: number, title: string, headers?: Record<string, string>): LibraryReply => ({
  status,
  body: { title },
  ...(headers && { headers }),
});

const METHODS: Readonly<Record<string, string[]>> = {
  '/v1/authors': ['POST'],
  '/v1/authors/': ['GET', 'DELETE'],
  '/v1/books': ['GET', 'POST'],
  '/v1/books/': ['GET', 'PUT', 'DELETE'],
};

type Stores = Pick<Library, 'authors' | 'books'>;

function replyTo(incoming: IncomingMessage, raw: Buffer, stores: Stores, fault: Fault): LibraryReply {
  const { pathname: path, searchParams: query } = new URL(incoming.url ?? '', 'http://library');
  const { method: sentMethod = '' } = incoming;
  const method = sentMethod === 'HEAD' ? 'GET' : sentMethod;
  const [, route = '', id] = /^(\/v1\/(?:authors|books)(?:\/(?=.)|$))([^/]*)$/.exec(path) ?? [];
  const allowed = METHODS[route];
  if (!allowed) return refuse(404, 'no such path');
  if (!allowed.includes(method)) return refuse(405, 'no such method', { Allow: allowed.join(', ') });
  const key = incoming.headers['x-key']?.toString();
  const body = bodyOf(incoming, raw, method);
  return fault({ method: sentMethod, path, query, body, key }, () => {
    if (key !== 'right-key') return refuse(401, 'no key', { 'WWW-Authenticate': 'ApiKey' });
    if (id !== undefined && id !== '' && !UUID.test(id)) return refuse(400, 'no uuid');
    if (body === MALFORMED) return refuse(400, 'no JSON');
    return route.startsWith('/v1/authors')
      ? authorReply(method, id ?? '', body, stores)
      : bookReply(method, id ?? '', query, body, stores);
  });
}

const MALFORMED = Symbol('malformed');
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

function bodyOf(incoming: IncomingMessage, raw: Buffer, method: string): unknown {
  if (method !== 'POST' && method !== 'PUT') return undefined;
  const type = incoming.headers['content-type']?.toLowerCase() ?? '';
  if (!type.startsWith('application/json')) return MALFORMED;
  try {
    return JSON.parse(raw.toString());
  } catch {
    return MALFORMED;
  }
}

const isText = (value: unknown, least: number, most: number): value is string =>
  typeof value === 'string' && Array.from(value).length >= least && Array.from(value).length <= most;

function authorReply(method: string, id: string, body: unknown, { authors, books }: Stores): LibraryReply {
  if (method === 'POST') {
    if (typeof body !== 'object' || body === null || !isText(Reflect.get(body, 'name'), 1, 80))
      return refuse(400, 'invalid author');
    const author = { ...body, id: randomUUID() };
    authors.set(author.id, author);
    return { status: 201, body: author, headers: { Location: `/v1/authors/${author.id}` } };
  }
  const author = authors.get(id);
  if (!author) return refuse(404, 'no such author');
  if (method === 'GET') return { status: 200, body: author };
  authors.delete(id);
  for (const [key, book] of books) if (book['authorId'] === id) books.delete(key);
  return { status: 204 };
}

function bookReply(
  method: string,
  id: string,
  query: URLSearchParams,
  body: unknown,
  { authors, books }: Stores,
): LibraryReply {
  if (method === 'GET' && id === '') {
    const limit = query.get('limit') ?? '10';
    if (!/^\d+$/.test(limit) || Number(limit) < 1 || Number(limit) > 50) return refuse(400, 'invalid limit');
    return { status: 200, body: [...books.values()].slice(0, Number(limit)) };
  }
  const known = books.get(id);
  if (id !== '' && !known) return refuse(404, 'no such book');
  if (method === 'GET') return { status: 200, body: known };
  if (method === 'DELETE') return { status: books.delete(id) ? 204 : 404 };
  if (!isBook(body)) return refuse(400, 'invalid book');
  const taken = [...books].some(([key, book]) => key !== id && book['isbn'] === body['isbn']);
  if (taken) return refuse(409, 'the ISBN is taken');
  if (!authors.has(asString(body['authorId']))) return refuse(422, 'no such author');
  const book = { ...body, id: known ? id : randomUUID() };
  books.set(book.id, book);
  return { status: known ? 200 : 201, body: book };
}

function isBook(body: unknown): body is JsonObject {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  const { isbn, title, authorId, pages } = body as JsonObject;
  return (
    typeof isbn === 'string' &&
    /^[0-9]{13}$/.test(isbn) &&
    isText(title, 1, 200) &&
    typeof authorId === 'string' &&
    UUID.test(authorId) &&
    (pages === undefined || (Number.isInteger(pages) && Number(pages) >= 1 && Number(pages) <= 10_000))
  );
}
