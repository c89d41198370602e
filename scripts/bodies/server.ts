import { mkdirSync, readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpServer, listen } from 'contract-first-server';
import { renderPlain } from '../testing/plain-errors';
import { buildDocument, buildService, json } from '../testing/service';

/*
 * A server of large bodies and of streams, a process of its own: `node --expose-gc server.ts FOLDER FILE SEND_TIMEOUT`. Uploads
 * lie in the folder, and the file is what is downloaded. It answers each message of its parent with what it holds.
 */

/** What the process holds after a forced collection. */
export interface Held {
  /** Bytes of memory that are resident: now, and at most since the last message. */
  readonly memory: number;
  readonly peak: number;
  /** Bytes of live objects and buffers. */
  readonly live: number;
  readonly descriptors: number;
  /** Temporary files of uploads. */
  readonly files: number;
  /** Requests that no outcome was reported for. */
  readonly unfinished: number;
}

const [folder = '', file = '', sendTimeout = ''] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const GIBIBYTE = 2 ** 30;
const BYTES = 'application/octet-stream';

const size = { 200: { description: 'the size', content: json({ type: 'integer' }) } };
const headers = { ETag: { schema: { type: 'string' } } };
const bytes = { [BYTES]: {} };
const form = {
  type: 'object',
  required: ['file'],
  properties: { file: { type: 'string', format: 'binary' } },
};
const document = {
  ...buildDocument(),
  paths: {
    '/form': {
      post: {
        operationId: 'sendForm',
        'x-body-limit': GIBIBYTE,
        requestBody: { required: true, content: { 'multipart/form-data': { schema: form } } },
        responses: size,
      },
    },
    '/bytes': {
      put: {
        operationId: 'sendBytes',
        'x-body-limit': GIBIBYTE,
        requestBody: { required: true, content: { [BYTES]: { 'x-stream': true } } },
        responses: size,
      },
      get: {
        operationId: 'getBytes',
        responses: {
          200: { description: 'all', headers, content: bytes },
          206: { description: 'a part', headers, content: bytes },
          416: { description: 'no such part', content: json({}) },
        },
      },
    },
    '/gibibyte': {
      get: { operationId: 'getGibibyte', responses: { 200: { description: '', content: bytes } } },
    },
    '/events': {
      get: {
        operationId: 'getEvents',
        responses: {
          200: {
            description: '',
            content: {
              'text/event-stream': {
                'x-item-schema': { type: 'object', properties: { data: { type: 'string' } } },
              },
            },
          },
        },
      },
    },
  },
};

async function* events(signal: AbortSignal) {
  for (let count = 0; !signal.aborted; count++) {
    yield { data: String(count) };
    await sleep(20, undefined, { signal });
  }
}

async function* gibibyte() {
  const piece = Buffer.alloc(65_536, 'x');
  for (let sent = 0; sent < GIBIBYTE; sent += piece.length) {
    yield piece;
    await new Promise(setImmediate);
  }
}

let unfinished = 0;
const { app } = buildService({
  document,
  handlers: {
    sendForm: ({ body }: { body: { file: File } }) => Promise.resolve({ status: 200, body: body.file.size }),
    sendBytes: async ({ body }: { body: ReadableStream<Uint8Array> }) => {
      let received = 0;
      for await (const { length } of body) received += length;
      return { status: 200, body: received };
    },
    getBytes: async () => ({ status: 200, headers: { ETag: '"a"' }, body: await open(file) }),
    getGibibyte: () => Promise.resolve({ status: 200, body: gibibyte() }),
    getEvents: ({ signal }: { signal: AbortSignal }) =>
      Promise.resolve({ status: 200, body: events(signal) }),
  },
  uploads: { folder, quota: 2 * GIBIBYTE },
  uploadTimeout: 4_000,
  stubs: false,
  requestIdOf: () => {
    unfinished++;
    return 'a-request';
  },
  report: () => undefined, // the default keeps every body
  reportFault: () => undefined,
  afterResponse: () => {
    unfinished--;
  },
});
const limits = { headersTimeout: 2_000, requestTimeout: 4_000, keepAliveTimeout: 4_000 };
const server = createHttpServer(app, renderPlain, { ...limits, sendTimeout: Number(sendTimeout) });

let peak = 0;
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 10);

async function held(): Promise<Held> {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await sleep(50);
  }
  const { rss: memory, heapUsed, external } = process.memoryUsage();
  const found: Held = {
    memory,
    peak: Math.max(peak, memory),
    live: heapUsed + external,
    descriptors: readdirSync('/proc/self/fd').length,
    files: readdirSync(folder).flatMap((name) => readdirSync(join(folder, name))).length,
    unfinished,
  };
  peak = 0;
  return found;
}

void listen(server, '127.0.0.1', 0).then((url) => {
  process.on('message', () => void held().then((state) => process.send?.(state)));
  process.send?.({ url });
});
