import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { openServer } from '../../src/service/listen';
import type { JsonObject } from '../../src/json/tree';
import type { Target } from '../../src/target';
import { documentOfPaths } from './document';

/** An answer before it is sent. */
export interface Sent {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** How the body ends: after the last byte, by a reset, or never. */
  end: 'whole' | 'reset' | 'never';
}

/** What a server does with a correct answer. */
export type Change = (sent: Sent, request: IncomingMessage) => void;

const ITEM = {
  type: 'object',
  required: ['n'],
  properties: { n: { type: 'integer', minimum: 0 }, note: { type: 'string', maxLength: 5 } },
};
const REFUSALS = { '4XX': { description: 'refused' } };
const stream = (operationId: string, name: string, items: JsonObject): JsonObject => ({
  get: {
    operationId,
    responses: {
      '200': { description: 'items', content: { [name]: { 'x-item-schema': items } } },
      ...REFUSALS,
    },
  },
});
const BYTES = { 'application/octet-stream': {} };
const described = (content?: JsonObject): JsonObject => ({
  description: 'an answer',
  ...(content && { content }),
});

export const DOCUMENT = documentOfPaths(
  {
    '/events': stream('getEvents', 'text/event-stream', {
      $ref: '#/components/schemas/Event',
      required: ['event'],
      oneOf: [
        {
          properties: {
            event: { const: 'count' },
            data: {
              contentMediaType: 'application/json',
              contentSchema: { $ref: '#/components/schemas/Item' },
            },
          },
        },
        { properties: { event: { const: 'text' }, data: { maxLength: 9 } } },
      ],
    }),
    '/lines': stream('getLines', 'application/jsonl', { $ref: '#/components/schemas/Item' }),
    '/records': stream('getRecords', 'application/json-seq', { $ref: '#/components/schemas/Item' }),
    '/file': {
      get: {
        operationId: 'getFile',
        responses: {
          '200': described(BYTES),
          '206': described(BYTES),
          '304': described(),
          '416': described(),
          ...REFUSALS,
        },
      },
      put: {
        operationId: 'putFile',
        requestBody: { required: true, content: BYTES },
        responses: { '204': described(), '412': described(), ...REFUSALS },
      },
    },
  },
  {
    components: {
      schemas: {
        Item: ITEM,
        Event: {
          type: 'object',
          required: ['data'],
          properties: {
            event: { type: 'string' },
            data: { type: 'string' },
            id: { type: 'string' },
            retry: { type: 'integer', minimum: 0 },
          },
        },
      },
    },
  },
);

const BODIES: Readonly<Record<string, readonly [type: string, text: string]>> = {
  '/events': [
    'text/event-stream',
    ': hello\n\nevent: count\ndata: {"n":\ndata: 1}\nid: 1\nretry: 5\n\nevent:text\ndata\n\nevent: count\r\ndata: {"n":2}\r\n\r\n',
  ],
  '/lines': ['application/jsonl', '{"n":0}\n{"n":1,"note":"a"}\n\n{"n":2}\n'],
  '/records': ['application/json-seq', '\x1e{"n":0}\n\x1e{"n":\n1}\n\x1e\x1e{"n":2}\n'],
};

export const FIRST = Buffer.from('The first content of the file. '.repeat(50));
export const MODIFIED = 'Sat, 21 Nov 2026 10:00:00 GMT';
export const tagOf = (content: Buffer): string => `"${createHash('sha1').update(content).digest('hex')}"`;
const opaque = (tag: string): string => tag.replace(/^W\//, '');

/** The file as a GET or HEAD asks for it (RFC 9110 sections 12.5.3, 13 and 14). */
function fileAnswer({ headers: asked, method }: IncomingMessage, content: Buffer): Sent {
  const tag = tagOf(content);
  const kept = { ETag: tag, 'Last-Modified': MODIFIED, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' };
  const type = { 'Content-Type': 'application/octet-stream', 'Accept-Ranges': 'bytes' };
  const answer = (status: number, headers: object, body: Buffer = Buffer.alloc(0)): Sent => ({
    status,
    headers: { ...kept, ...headers },
    body,
    end: 'whole',
  });
  const none = asked['if-none-match'];
  const isUnchanged =
    none === undefined
      ? Date.parse(asked['if-modified-since'] ?? '') >= Date.parse(MODIFIED)
      : none === '*' || none.split(', ').some((one) => opaque(one) === tag);
  if (isUnchanged) return answer(304, {});
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(asked.range ?? '') ?? [];
  const condition = asked['if-range'];
  const holds = condition === undefined || condition === tag || condition === MODIFIED;
  if (method === 'GET' && holds && first + last !== '') {
    const size = content.length;
    const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
    const to = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
    if (from >= size) return answer(416, { 'Content-Range': `bytes */${size}` });
    return answer(
      206,
      { ...type, 'Content-Range': `bytes ${from}-${to}/${size}` },
      content.subarray(from, to + 1),
    );
  }
  const accepted = (asked['accept-encoding'] ?? '').split(', ');
  const coding = ['br', 'gzip'].find((name) =>
    accepted.some((one) => one === name || (one.startsWith(`${name};q=`) && !one.endsWith('=0'))),
  );
  if (coding === undefined) return answer(200, type, content);
  const coded = coding === 'br' ? brotliCompressSync(content) : gzipSync(content);
  return answer(200, { ...type, 'Content-Encoding': coding, ETag: `W/${tag}` }, coded);
}

/** Starts a server for {@link DOCUMENT}, whose answers are changed by `change`. */
export const media = (change: Change = () => undefined, changed: Partial<Target> = {}): Target => ({
  document: DOCUMENT,
  credentials: {},
  async start() {
    let content: Buffer = FIRST;
    let entered = 0;
    const plain = (status: number, headers = {}): Sent => ({
      status,
      headers,
      body: Buffer.alloc(0),
      end: 'whole',
    });
    const answer = (request: IncomingMessage, body: Buffer): Sent => {
      const [path = '', query] = (request.url ?? '').split('?');
      const { method = '', headers } = request;
      const allowed = path === '/file' ? ['GET', 'PUT'] : path in BODIES ? ['GET'] : [];
      const isRead = method === 'GET' || method === 'HEAD';
      if (allowed.length === 0) return plain(404);
      if (!allowed.includes(isRead ? 'GET' : method)) return plain(405, { Allow: allowed.join(', ') });
      if (query !== undefined) return plain(400);
      if (method === 'PUT') {
        if (!/^application\/octet-stream$/i.test(headers['content-type'] ?? '')) return plain(415);
        if (headers['content-encoding'] !== undefined) return plain(415);
        if (body.length === 0) return plain(400);
        entered += 1;
        const condition = headers['if-match'];
        if (condition !== undefined && condition !== tagOf(content)) return plain(412);
        content = body;
        return plain(204);
      }
      const [type = 'application/octet-stream', text = ''] = BODIES[path] ?? [];
      const accept = headers.accept ?? '*/*';
      if (!accept.includes(type) && !accept.includes('*/*')) return plain(406);
      entered += 1;
      if (path === '/file') return fileAnswer(request, content);
      return { status: 200, headers: { 'Content-Type': type }, body: Buffer.from(text), end: 'whole' };
    };
    const { port, close } = await openServer(
      createServer((request, response) => {
        const chunks: Buffer[] = [];
        request
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('end', () => {
            const sent = answer(request, Buffer.concat(chunks));
            change(sent, request);
            reply(request, response, sent);
          });
      }),
    );
    return {
      host: '127.0.0.1',
      port,
      close,
      entered: () => entered,
      reset: () => {
        content = FIRST;
      },
    };
  },
  ...changed,
});

function reply(
  { method, url }: IncomingMessage,
  response: ServerResponse,
  { status, headers, body, end }: Sent,
): void {
  const hasLength = url === '/file' && status === 200;
  response.writeHead(status, hasLength ? { 'Content-Length': body.length, ...headers } : headers);
  if (method === 'HEAD' || end === 'whole') response.end(method === 'HEAD' ? '' : body);
  else
    response.write(body, () => {
      if (end === 'reset') setImmediate(() => response.destroy());
    });
}
