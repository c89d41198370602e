import { once } from 'node:events';
import { openAsBlob } from 'node:fs';
import { type FileHandle, open, truncate, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Answer } from '../../src/contract';
import { keepFolder } from '../support/folder';
import { buildDocument, buildService, json, listening } from '../support/service';
import { exchangeBytes } from '../support/wire';

const DOCUMENT = buildDocument({
  paths: {
    '/things': {
      get: {
        operationId: 'getThing',
        responses: {
          200: {
            description: '',
            headers: { 'Content-Disposition': { schema: { type: 'string' } } },
            content: { 'image/png': {}, ...json({}), 'text/plain': { schema: { type: 'string' } } },
          },
          204: { description: '' },
          default: { description: '', content: json({}) },
        },
      },
    },
  },
});
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

/** What a client gets for the answer of a handler, and what is reported. */
async function ask(answer: () => Partial<Answer> | Promise<Partial<Answer>>, method = 'GET') {
  const faults: unknown[] = [];
  const { app, outcomes } = buildService({
    document: DOCUMENT,
    handlers: { getThing: async () => ({ status: 200, contentType: 'image/png', ...(await answer()) }) },
    reportFault: (error) => faults.push(error),
  });
  const received = await listening(app, (port) =>
    exchangeBytes(port, `${method} /things HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
  );
  const end = received.indexOf('\r\n\r\n') + 4;
  const cause = outcomes[0]?.problem?.cause as Error | undefined;
  return {
    head: received.toString('latin1', 0, end),
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

test.each<[string, () => unknown]>([
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
])('%s is sent whole, with its length, and HEAD gets the same head', async (_, body) => {
  const got = await ask(async () => ({ body: await body() }));
  expect(got).toMatchObject({ log: undefined, faults: [] });
  expect(got.head).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*Content-Length: 150000\r\n/);
  expect(got.head).not.toMatch(/Transfer-Encoding/);
  expect(got.body.equals(BYTES)).toBe(true);
  const head = await ask(async () => ({ body: await body() }), 'HEAD');
  const undated = (text: string) => text.replace(/Date: .*/, '');
  expect([undated(head.head), head.body.length, head.faults]).toEqual([undated(got.head), 0, []]);
  await allClosed();
});

test.each<[string, () => unknown]>([
  ['a ReadableStream', () => new Blob([BYTES]).stream()],
  ['the stream of a FileHandle', async () => (await opened()).readableWebStream({ autoClose: true })],
  ['a Readable', () => Readable.from([BYTES])],
])('%s is sent in chunks, because nobody knows its length', async (_, body) => {
  const { head, body: sent, log } = await ask(async () => ({ body: await body() }));
  expect([head, log]).toEqual([expect.stringMatching(/Transfer-Encoding: chunked/), undefined]);
  expect(sent.length).toBeGreaterThan(BYTES.length);
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
    'a body of application/json is known at once',
    async () => ({ body: await opened(), contentType: 'application/json' }),
  ],
  [
    'a Blob for text',
    'a body of text/plain is known at once',
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
    'expected bytes for image/png: a Uint8Array, a Blob, a FileHandle, or a stream',
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
    client.write('GET /things HTTP/1.1\r\nHost: x\r\n\r\n');
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
  const late = await listening(app, (port) =>
    exchangeBytes(port, 'GET /things HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
  );
  expect(String(late)).toMatch(/^HTTP\/1\.1 503 /);
  const without = await ask(async () => ({ status: 204, contentType: undefined, body: await opened() }));
  expect(without.head).toMatch(/^HTTP\/1\.1 [25]/);
  await allClosed();
});
