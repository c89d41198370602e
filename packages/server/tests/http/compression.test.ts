import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Answer, Headers } from 'contract-first-server';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';
import { exchangeBytes } from '../../../../scripts/testing/wire';

const text = { schema: { type: 'string' } };
const DIGESTS = ['Content-Digest', 'Content-MD5', 'Digest', 'Repr-Digest'];
const headers = Object.fromEntries(
  ['ETag', 'Cache-Control', 'Content-Encoding', ...DIGESTS].map((name) => [name, text]),
);
const binary = { 'image/svg+xml': { schema: { type: 'string', format: 'binary' } }, 'image/png': {} };
const content = { ...json({}), 'text/plain': text, 'text/event-stream': text, ...binary };
const DOCUMENT = buildDocument({
  paths: {
    '/things': {
      get: {
        operationId: 'getThing',
        responses: {
          200: { description: '', headers, content },
          201: { description: '', headers, content },
          304: { description: '', headers },
        },
      },
    },
    '/strong': {
      get: {
        operationId: 'getStrong',
        responses: {
          200: {
            description: '',
            headers: { ETag: { schema: { type: 'string', pattern: '^"[^"]*"$' } } },
            content: { 'text/plain': text },
          },
        },
      },
    },
    '/parts': {
      get: {
        operationId: 'getPart',
        responses: {
          200: { description: '', headers, content: binary },
          206: { description: '', content: binary },
        },
      },
    },
  },
});
/** Text of several bytes a character, and more of it than what is sent as it is. */
const LONG = 'é€𝄞 '.repeat(300);

interface Options {
  readonly compression?: boolean;
  readonly method?: string;
  readonly path?: string;
  readonly fields?: string;
  readonly afterAuthentication?: () => Headers;
}

/** What a client gets that accepts these codings. */
async function ask(
  answer: Partial<Answer>,
  accepted?: string,
  { compression = true, method = 'GET', path = '/things', fields = '', ...hooks }: Options = {},
) {
  const given = () => Promise.resolve({ status: 200, contentType: 'text/plain', body: LONG, ...answer });
  const { app } = buildService({
    document: DOCUMENT,
    compression,
    ...hooks,
    handlers: { getThing: given, getPart: given, getStrong: given },
  });
  const field = accepted === undefined ? '' : `Accept-Encoding: ${accepted}\r\n`;
  const received = await listening(app, (port) =>
    exchangeBytes(
      port,
      `${method} ${path} HTTP/1.1\r\nHost: x\r\n${field}${fields}Connection: close\r\n\r\n`,
    ),
  );
  const end = received.indexOf('\r\n\r\n') + 4;
  const head = received.toString('latin1', 0, end).replace(/Date: .*\r\n/, '');
  const valueOf = (name: string) => new RegExp(`^${name}: (.*)\r$`, 'im').exec(head)?.[1];
  const coding = valueOf('Content-Encoding');
  const body = received.subarray(end);
  const decoded =
    body.length === 0
      ? body
      : coding === 'gzip'
        ? gunzipSync(body)
        : coding === 'br'
          ? brotliDecompressSync(body)
          : body;
  return {
    head,
    status: Number(head.split(' ')[1]),
    coding,
    length: Number(valueOf('Content-Length')),
    body,
    text: decoded.toString(),
    vary: valueOf('Vary'),
    etag: valueOf('ETag'),
  };
}

test.each<[string | undefined, string | undefined]>([
  [undefined, undefined],
  ['', undefined],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, br;q=0.9', 'gzip'],
  ['gzip;q=0.1, br;q=0.9', 'br'],
  ['gzip;q=0', undefined],
  ['gzip;q=0, *', 'br'],
  ['*', 'br'],
  ['br;q=0, *;q=0.1', 'gzip'],
  ['identity, gzip;q=0.5', undefined],
  ['identity;q=0.5, gzip', 'gzip'],
  ['identity;q=0, gzip;q=0.001', 'gzip'],
  ['*;q=0', undefined],
  ['identity;q=0', undefined],
  ['zstd, deflate, compress', undefined],
  ['gzip;q=2', undefined],
  ['gzip;level=1', undefined],
])('Accept-Encoding: %s gets the coding %s, the same text, and Vary', async (accepted, coding) => {
  const got = await ask({ headers: { ETag: '"v1"' } }, accepted);
  expect(got).toMatchObject({
    status: 200,
    coding,
    text: LONG,
    length: got.body.length,
    vary: 'Accept, Accept-Encoding',
  });
  expect(got.etag).toBe(coding === undefined ? '"v1"' : 'W/"v1"');
  const head = await ask({ headers: { ETag: '"v1"' } }, accepted, { method: 'HEAD' });
  expect([head.head, head.body.length]).toEqual([got.head, 0]);
});

const SHORT = 'a'.repeat(1_023);
test.each<[string, Partial<Answer>, Options, boolean]>([
  ['JSON', { contentType: 'application/json', body: { a: LONG } }, {}, true],
  ['bytes of a type that is text', { contentType: 'image/svg+xml', body: Buffer.from(LONG) }, {}, true],
  ['1,024 bytes', { body: `${SHORT}a` }, {}, true],
  ['another success', { status: 201 }, {}, true],
  ['an answer of a service without compression', {}, { compression: false }, false],
  ['1,023 bytes', { body: SHORT }, {}, false],
  ['events', { contentType: 'text/event-stream', body: 'data: a\n\n'.repeat(200) }, {}, false],
  ['a compressed type', { contentType: 'image/png', body: Buffer.from(LONG) }, {}, false],
  ['what the handler has encoded', { headers: { 'Content-Encoding': 'x' } }, {}, false],
  ...DIGESTS.map((name): [string, Partial<Answer>, Options, boolean] => [
    `what has the ${name} of its bytes`,
    { headers: { [name]: 'x' } },
    {},
    false,
  ]),
  ['no-transform', { headers: { 'Cache-Control': 'max-age=1, No-Transform' } }, {}, false],
  ['a tag that the document knows as weak, too', { headers: { ETag: '"v1"' } }, {}, true],
  ['what has parts', { contentType: 'image/svg+xml', body: Buffer.from(LONG) }, { path: '/parts' }, false],
  [
    'a part',
    { contentType: 'image/svg+xml', body: Buffer.from(LONG) },
    { path: '/parts', fields: 'Range: bytes=0-1199\r\n' },
    false,
  ],
  ['a Blob', { contentType: 'image/svg+xml', body: new Blob([LONG]) }, {}, false],
])('%s', async (_, answer, options, isCompressed) => {
  const { status, coding, vary = '', text: sent } = await ask(answer, 'gzip', options);
  expect([status, coding === 'gzip', vary.includes('Accept-Encoding')]).toEqual([
    status,
    isCompressed,
    isCompressed,
  ]);
  expect(sent.length).toBeGreaterThan(0);
});

test('a client that refuses answers without a coding gets short ones in one', async () => {
  for (const answer of [{ body: 'short' }, { contentType: 'image/png', body: Buffer.from('short') }])
    expect(await ask(answer, 'gzip, identity;q=0')).toMatchObject({
      status: 200,
      coding: 'gzip',
      text: 'short',
      vary: 'Accept, Accept-Encoding',
    });
});

test('304 has the fields that the compressed answer has', async () => {
  for (const tag of ['"v1"', 'W/"v1"']) {
    const got = await ask({ headers: { ETag: '"v1"' } }, 'gzip', { fields: `If-None-Match: ${tag}\r\n` });
    expect(got).toMatchObject({
      status: 304,
      coding: undefined,
      etag: 'W/"v1"',
      vary: 'Accept, Accept-Encoding',
      text: '',
    });
  }
});

test('the tag of a hook becomes weak, too', async () => {
  const afterAuthentication = () => ({ ETag: '"v2"' });
  expect(await ask({}, 'br', { afterAuthentication })).toMatchObject({ coding: 'br', etag: 'W/"v2"' });
});

test('an answer whose tag may not become weak by the document is sent as it is', async () => {
  const got = await ask({ headers: { ETag: '"v1"' } }, 'gzip', { path: '/strong' });
  expect(got).toMatchObject({
    status: 200,
    coding: undefined,
    etag: '"v1"',
    vary: 'Accept-Encoding',
    text: LONG,
  });
});
