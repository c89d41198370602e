import { once } from 'node:events';
import { openAsBlob } from 'node:fs';
import { type FileHandle, open, truncate, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Answer, RequestContext, ServiceOptions } from 'contract-first-server';
import type { OperationalKind } from 'contract-first-server/runtime';
import { keepFolder } from '../../../../scripts/testing/folder';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';
import { exchangeBytes } from '../../../../scripts/testing/wire';

const text = { schema: { type: 'string' } };
const error = { description: '', content: json({ type: 'object', required: ['error', 'message'] }) };
const headers = { ETag: text, 'Last-Modified': text, 'Content-Disposition': text, 'Cache-Control': text };
const RESPONSES = {
  200: {
    description: '',
    headers,
    content: { 'image/png': {}, ...json({}), 'text/plain': { schema: { type: 'string' } } },
  },
  204: { description: '' },
  206: {
    description: '',
    headers: { 'Content-Range': { ...text, required: true }, ETag: { ...text, required: true } },
    content: { 'image/*': {} },
  },
  304: { description: '' },
  412: error,
  416: error,
  default: error,
};
const documentOf = (responses: object) =>
  buildDocument({ paths: { '/things': { get: { operationId: 'getThing', responses } } } });
const DOCUMENT = documentOf(RESPONSES);
/** More than one piece, none of which is like another. */
const BYTES = Buffer.from(Array.from({ length: 150_000 }, (_, i) => (i * 7 + (i >> 8)) % 251));

const folder = keepFolder();
const path = join(folder, 'thing.png');
const handles: FileHandle[] = [];
beforeEach(() => writeFile(path, BYTES));

async function opened(file = path): Promise<FileHandle> {
  const handle = await open(file);
  handles.push(handle);
  return handle;
}

const request = (method = 'GET', fields = '') =>
  `${method} /things HTTP/1.1\r\nHost: x\r\n${fields}Connection: close\r\n\r\n`;

/** What a client gets for the answer of a handler, and what is reported. */
async function ask(
  answer: () => Partial<Answer> | Promise<Partial<Answer>>,
  sent = request(),
  options: Partial<ServiceOptions<OperationalKind>> = {},
) {
  const faults: unknown[] = [];
  const { app, outcomes } = buildService({
    document: DOCUMENT,
    handlers: { getThing: async () => ({ status: 200, contentType: 'image/png', ...(await answer()) }) },
    reportFault: (error) => faults.push(error),
    ...options,
  });
  const received = await listening(app, (port) => exchangeBytes(port, sent));
  const end = received.indexOf('\r\n\r\n') + 4;
  const cause = outcomes[0]?.problem?.cause as Error | undefined;
  return {
    head: received.toString('latin1', 0, end).replace(/(Date|X-Powered-By): .*\r\n/g, ''),
    body: received.subarray(end),
    log: cause?.message,
    faults,
  };
}

/** The server may close a file some turns of the event loop behind its last byte. */
async function allClosed(): Promise<void> {
  for (const handle of handles.splice(0)) {
    for (let turn = 0; turn < 10_000 && handle.fd >= 0; turn++) await new Promise(setImmediate);
    expect(handle.fd).toBe(-1);
  }
}

const BODIES: [string, () => unknown][] = [
  ['a Uint8Array', () => new Uint8Array(BYTES)],
  ['a part of an ArrayBuffer', () => new Uint8Array(Buffer.concat([BYTES, BYTES])).subarray(0, BYTES.length)],
  ['a Blob', () => new Blob([BYTES.subarray(0, 99), BYTES.subarray(99)])],
  ['a File', () => new File([BYTES], 'x.png')],
  ['a part of a Blob', () => new Blob(['before', BYTES, 'after']).slice(6, 6 + BYTES.length)],
  ['a Blob of a file', () => openAsBlob(path)],
  ['a FileHandle', () => opened()],
  [
    'a FileHandle that the handler has read from',
    async () => {
      const handle = await opened();
      await handle.read(Buffer.alloc(8), 0, 8);
      return handle;
    },
  ],
];

test.each(BODIES)('%s is sent whole, with its length, and HEAD gets the same head', async (_, body) => {
  const got = await ask(async () => ({ body: await body() }));
  expect(got).toMatchObject({ log: undefined, faults: [] });
  expect(got.head).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*Content-Length: 150000\r\n/);
  expect(got.head).not.toMatch(/Transfer-Encoding/);
  expect(got.body.equals(BYTES)).toBe(true);
  const head = await ask(async () => ({ body: await body() }), request('HEAD'));
  expect([head.head, head.body.length, head.faults]).toEqual([got.head, 0, []]);
  await allClosed();
});

test.each<[string, () => unknown]>([
  ['a ReadableStream', () => new Blob([BYTES]).stream()],
  ['the stream of a FileHandle', async () => (await opened()).readableWebStream()],
  ['a Readable', () => Readable.from([BYTES])],
])('%s is sent in chunks, because nobody knows its length', async (_, body) => {
  const { head, body: sent, log } = await ask(async () => ({ body: await body() }));
  expect([head, log]).toEqual([expect.stringMatching(/Transfer-Encoding: chunked/), undefined]);
  expect(sent.length).toBeGreaterThan(BYTES.length);
  for (const handle of handles.splice(0)) await handle.close();
});

test.each<[string, () => unknown]>([
  ['an empty Blob', () => new Blob([])],
  ['an empty file', async () => (await writeFile(path, ''), opened())],
])('%s is an answer of no bytes', async (_, body) => {
  const { head, body: sent } = await ask(async () => ({ body: await body() }));
  expect([head, sent.length]).toEqual([
    expect.stringMatching(/^HTTP\/1\.1 200 OK\r\n[^]*Content-Length: 0/),
    0,
  ]);
  await allClosed();
});

const closedHandle = async () => {
  const handle = await opened();
  await handle.close();
  return handle;
};

test.each<[string, string, () => Partial<Answer> | Promise<Partial<Answer>>]>([
  [
    'a file for JSON',
    'a body of application/json is not a stream',
    async () => ({ body: await opened(), contentType: 'application/json' }),
  ],
  [
    'a Blob for text',
    'a body of text/plain is not a stream',
    () => ({ body: new Blob(['a']), contentType: 'text/plain' }),
  ],
  ['a folder', 'expected the handle of a regular file', async () => ({ body: await opened(folder) })],
  ['a closed file', 'expected an open file handle', async () => ({ body: await closedHandle() })],
  [
    'an undocumented header',
    'the header X is not documented',
    async () => ({ body: await opened(), headers: { X: 1 } }),
  ],
  [
    'an undocumented status',
    'is not documented as image/png',
    async () => ({ body: await opened(), status: 599 }),
  ],
  [
    'an undocumented media type',
    'is not documented as image/gif',
    async () => ({ body: await opened(), contentType: 'image/gif' }),
  ],
  [
    'a text',
    'expected bytes for image/png: a Uint8Array, a Blob, a FileHandle, or an unread stream',
    () => ({ body: 'text' }),
  ],
  ['an object like a file', 'expected bytes for image/png', () => ({ body: { fd: 1 } })],
])('%s is refused, and its file closed', async (_, log, answer) => {
  const got = await ask(answer);
  expect(got.head).toMatch(/^HTTP\/1\.1 500 /);
  expect([got.log, got.faults]).toEqual([expect.stringContaining(log), []]);
  await allClosed();
});

/** A file so large that no buffers on the way hold it. */
async function large(): Promise<FileHandle> {
  await truncate(path, 268_435_456);
  return opened();
}

test.each<[string, number, (client: Socket) => unknown]>([
  ['the client leaves', 200, (client) => client.destroy()],
  ['the file becomes shorter', 200, () => truncate(path, 65_536)],
])('a file that is not sent whole breaks off and is closed: %s', async (_, status, change) => {
  const { app, outcomes } = buildService({
    document: DOCUMENT,
    handlers: { getThing: async () => ({ status: 200, contentType: 'image/png', body: await large() }) },
  });
  const isWhole = await listening(app, async (port) => {
    const client = connect(port, '127.0.0.1').on('error', () => undefined);
    client.write(request());
    await once(client, 'readable');
    await change(client);
    client.resume();
    await once(client, 'close').catch(() => undefined);
    await allClosed();
    return client.bytesRead > 268_435_456;
  });
  expect([isWhole, outcomes[0]?.status]).toEqual([false, status]);
});

test('a file that comes after the deadline, or for a status without content, is closed', async () => {
  const { app } = buildService({
    document: DOCUMENT,
    deadline: 20,
    reportFault: () => undefined,
    handlers: {
      getThing: async ({ signal }: { readonly signal: AbortSignal }) => {
        await once(signal, 'abort');
        return { status: 200, contentType: 'image/png', body: await opened() };
      },
    },
  });
  const late = await listening(app, (port) => exchangeBytes(port, request()));
  expect(String(late)).toMatch(/^HTTP\/1\.1 503 /);
  const without = await ask(async () => ({ status: 204, contentType: undefined, body: await opened() }));
  expect(without.head).toMatch(/^HTTP\/1\.1 [25]/);
  await allClosed();
});

const TAGGED = { ETag: '"v1"', 'Content-Disposition': 'attachment; filename="x.png"' };

test.each(BODIES)('a part of %s is sent, with the fields of the whole', async (_, body) => {
  for (const [range, start, end] of [
    ['0-0', 0, 1],
    ['65535-65536', 65_535, 65_537],
    ['7-', 7, 150_000],
    ['-70000', 80_000, 150_000],
  ] as const) {
    const got = await ask(
      async () => ({ headers: TAGGED, body: await body() }),
      request('GET', `Range: bytes=${range}\r\n`),
    );
    expect(got).toMatchObject({ log: undefined, faults: [] });
    expect(got.head.split('\r\n').sort()).toEqual(
      [
        'HTTP/1.1 206 Partial Content',
        'X-Request-Id: a-request',
        'Accept-Ranges: bytes',
        `Content-Range: bytes ${start}-${end - 1}/150000`,
        'Content-Type: image/png',
        'ETag: "v1"',
        'Content-Disposition: attachment; filename="x.png"',
        'Vary: Accept',
        `Content-Length: ${end - start}`,
        'Connection: close',
        '',
        '',
      ].sort(),
    );
    expect(got.body.equals(BYTES.subarray(start, end))).toBe(true);
    await allClosed();
  }
});

test.each<[string, string, string, Partial<Answer>?, object?]>([
  [
    'a range behind the end',
    'Range: bytes=150000-',
    '416 Range Not Satisfiable\r\n[^]*Content-Range: bytes \\*/150000\r\n',
  ],
  ['a tag that the client has', 'If-None-Match: "v1"', '304 Not Modified\r\n[^]*ETag: "v1"\r\n'],
  ['a tag that the client expects no more', 'If-Match: "v0"', '412 Precondition Failed\r\n'],
  ['an answer that documents no such 206', 'Range: bytes=0-1', '500 Internal Server Error', { headers: {} }],
])('the file is closed after %s', async (_, field, head, answer = {}) => {
  const got = await ask(
    async () => ({ headers: TAGGED, body: await opened(), ...answer }),
    request('GET', `${field}\r\n`),
  );
  expect(got.head).toMatch(new RegExp(`^HTTP/1\\.1 ${head}`));
  expect(got.faults).toEqual([]);
  await allClosed();
});

test('304 has the fields of the whole answer but those of its content', async () => {
  const headers = {
    ...TAGGED,
    'Last-Modified': 'Sun, 06 Nov 1994 08:49:37 GMT',
    'Cache-Control': 'max-age=5',
  };
  const { head, body } = await ask(
    () => ({ headers, body: BYTES }),
    request('GET', 'If-None-Match: "v1"\r\n'),
  );
  expect([head.split('\r\n').sort(), body.length]).toEqual([
    [
      'HTTP/1.1 304 Not Modified',
      'X-Request-Id: a-request',
      'ETag: "v1"',
      'Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT',
      'Cache-Control: max-age=5',
      'Content-Disposition: attachment; filename="x.png"',
      'Vary: Accept',
      'Connection: close',
      '',
      '',
    ].sort(),
    0,
  ]);
});

test.each<[string, object, Partial<Answer>, string, string]>([
  [
    'JSON has no ranges',
    RESPONSES,
    { contentType: 'application/json', body: { a: 1 } },
    'Range: bytes=0-1',
    '200 OK',
  ],
  [
    'JSON has conditions',
    RESPONSES,
    { contentType: 'application/json', body: { a: 1 } },
    'If-None-Match: W/"v1"',
    '304 Not Modified',
  ],
  ['a stream has no ranges', RESPONSES, { body: Readable.from([BYTES]) }, 'Range: bytes=0-1', '200 OK'],
  [
    'an answer may refuse ranges',
    { ...RESPONSES, 200: { ...RESPONSES[200], headers: { ...headers, 'Accept-Ranges': text } } },
    { headers: { 'Accept-Ranges': 'none' }, body: BYTES },
    'Range: bytes=0-1',
    '200 OK',
  ],
  [
    'an answer may offer ranges itself',
    { ...RESPONSES, 200: { ...RESPONSES[200], headers: { ...headers, 'Accept-Ranges': text } } },
    { headers: { 'accept-ranges': 'bytes' }, body: BYTES },
    'Accept: */*',
    '200 OK',
  ],
  [
    'a date of a second that is not over tells no states apart',
    RESPONSES,
    { headers: { ...TAGGED, 'Last-Modified': 'Thu, 01 Jan 2099 00:00:00 GMT' }, body: BYTES },
    'Range: bytes=0-1\r\nIf-Range: Thu, 01 Jan 2099 00:00:00 GMT',
    '200 OK',
  ],
  [
    'only 200 has ranges',
    { ...RESPONSES, 201: RESPONSES[200] },
    { status: 201, body: BYTES },
    'Range: bytes=0-1',
    '201 Created',
  ],
  [
    'an error has no conditions',
    { ...RESPONSES, 404: { ...RESPONSES[200] } },
    { status: 404, body: BYTES },
    'If-None-Match: "v1"',
    '404 Not Found',
  ],
  [
    'without a body for 416',
    { ...RESPONSES, 416: { description: '' } },
    { body: BYTES },
    'Range: bytes=150000-',
    '416 Range Not Satisfiable',
  ],
  [
    'without a body for 412',
    { ...RESPONSES, 412: { description: '' } },
    { body: BYTES },
    'If-Match: "v0"',
    '412 Precondition Failed',
  ],
  [
    'default documents no 416',
    { 200: RESPONSES[200], 206: RESPONSES[206], default: error },
    { body: BYTES },
    'Range: bytes=150000-',
    '200 OK',
  ],
  [
    'default documents no 304',
    { 200: RESPONSES[200], default: error },
    { body: BYTES },
    'If-None-Match: "v1"',
    '200 OK',
  ],
])('%s', async (_, responses, answer, field, status) => {
  const got = await ask(() => ({ headers: TAGGED, ...answer }), request('GET', `${field}\r\n`), {
    document: documentOf(responses),
  });
  expect(got.head.split('\r\n', 1)).toEqual([`HTTP/1.1 ${status}`]);
  expect(got.head.match(/^accept-ranges:/gim) ?? []).not.toHaveLength(2);
  expect(got).toMatchObject({ log: undefined, faults: [] });
});

test.each<[string, Partial<Answer>, string]>([
  ['an ETag', { headers: { ETag: '"v1"' } }, 'no-cache'],
  ['no ETag', {}, 'no-store'],
  ['what the handler says', { headers: { ETag: '"v1"', 'Cache-Control': 'max-age=5' } }, 'max-age=5'],
])('with %s Cache-Control is %s', async (_, answer, value) => {
  for (const field of ['', 'If-None-Match: "v1"\r\n', 'Range: bytes=0-1\r\n']) {
    const options = {
      headers: { 'cache-control': 'no-store' },
      document: documentOf({ ...RESPONSES, 206: { ...RESPONSES[206], headers: {} } }),
    };
    const { head } = await ask(() => ({ body: BYTES, ...answer }), request('GET', field), options);
    expect(head.match(/cache-control: .*/gi)?.map((line) => line.toLowerCase())).toEqual([
      `cache-control: ${value}`,
    ]);
  }
});

test('parts and 304 have the documented fields of hooks, and no digest of the whole content', async () => {
  const digests = { 'Content-Digest': text, 'Content-MD5': text, 'Repr-Digest': text };
  const more = { ...digests, 'RateLimit-Left': { schema: { type: 'integer' }, required: true } };
  const responses = Object.fromEntries(
    ([200, 206, 304] as const).map((status) => [
      status,
      { ...RESPONSES[status], headers: { ETag: text, ...more } },
    ]),
  );
  for (const [field, status] of [
    ['Range: bytes=0-1', 206],
    ['If-None-Match: "v1"', 304],
  ] as const) {
    const { head, log } = await ask(
      () => ({
        headers: { ETag: '"v1"', 'Content-Digest': 'c', 'Content-MD5': 'm', 'Repr-Digest': 'r' },
        body: BYTES,
      }),
      request('GET', `${field}\r\n`),
      {
        document: documentOf({ ...RESPONSES, ...responses }),
        afterAuthentication: () => ({ 'RateLimit-Left': '7' }),
      },
    );
    expect([head.split(' ', 2)[1], log]).toEqual([String(status), undefined]);
    expect(head.match(/^(ratelimit-left|content-digest|content-md5|repr-digest): .*/gim)?.sort()).toEqual([
      'RateLimit-Left: 7',
      'Repr-Digest: r',
    ]);
  }
});

test('an error body of 412 or 416 that the document does not allow is a finding at start', () => {
  const other = { description: '', content: json({ type: 'object', required: ['reason'] }) };
  for (const status of [412, 416])
    expect(() =>
      buildService({
        document: documentOf({ ...RESPONSES, [status]: other }),
        handlers: { getThing: () => Promise.reject(new Error()) },
      }),
    ).toThrow(`the ${status} response: body must have required property 'reason'`);
});

/** The one thing, with a tag for each of its states; undefined while it does not exist. */
let state: number | undefined;
const putThing = (given: RequestContext) => {
  const held = given.preconditions.hold(state === undefined ? undefined : { etag: `"${state}"` });
  if (!held)
    return Promise.resolve({ status: 412, body: { error: 1, message: String(given.preconditions.ifMatch) } });
  state = (state ?? 0) + 1;
  return Promise.resolve({ status: 204, headers: { ETag: `"${state}"` } });
};

test.each<[string, string, number | undefined, number, number | undefined]>([
  ['none', '', 1, 204, 2],
  ['the state that is there', 'If-Match: "0", "1"\r\n', 1, 204, 2],
  ['another state', 'If-Match: "0"\r\n', 1, 412, 1],
  ['any state, where there is none', 'If-Match: *\r\n', undefined, 412, undefined],
  ['no state, where there is one', 'If-None-Match: *\r\n', 1, 412, 1],
  ['no state, where there is none', 'If-None-Match: *\r\n', undefined, 204, 1],
  ['what nobody can compare', 'If-Match: 1\r\n', 1, 400, 1],
])(
  'an operation asks before it acts whether its preconditions hold: %s',
  async (_, field, before, status, after) => {
    state = before;
    const responses = { 204: { description: '', headers: { ETag: text } }, 412: error, default: error };
    const document = buildDocument({ paths: { '/things': { put: { operationId: 'putThing', responses } } } });
    const { head } = await ask(() => ({}), request('PUT', field), { document, handlers: { putThing } });
    expect([Number(head.split(' ')[1]), state]).toEqual([status, after]);
  },
);
