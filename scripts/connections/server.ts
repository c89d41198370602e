import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpServer, listen, strategiesFor } from 'contract-first-server';
import { OpenApiDocument } from 'contract-first-server/tools';
import { ownFolder } from '../testing/folder';
import { renderPlain } from '../testing/plain-errors';
import { buildDocument, buildService, json } from '../testing/service';

/*
 * The server of the walks, a process of its own whose resources belong to nothing else: `node --expose-gc server.ts
 * SEND_TIMEOUT`. It answers each message of its parent with what it holds; `watch` and `longest` measure the turns of its event loop,
 * and `stop` starts its shutdown.
 */

/** What the process holds after a forced collection. */
export interface Held {
  readonly descriptors: number;
  /** Bytes of the heap and of buffers. */
  readonly memory: number;
  readonly timers: number;
  readonly connections: number;
  /** Requests that no outcome was reported for. */
  readonly unfinished: number;
}

/** Handlers that may run at the same time. */
const PLACES = 64;
const LARGE = 1_000_000;

const [sendTimeout = ''] = process.argv.slice(2);
const page = join(ownFolder(), 'page.txt');
writeFileSync(page, 'x'.repeat(LARGE));

const ok = { 200: { description: 'ok', content: json({ type: 'string' }) } };
const key = { security: [{ key: [] }] };
const thing = { required: true, content: json({ type: 'object', properties: { id: { type: 'string' } } }) };
const document = {
  ...buildDocument({
    components: { securitySchemes: { key: { type: 'apiKey', name: 'X-Key', in: 'header' } } },
  }),
  paths: {
    '/things': {
      get: { operationId: 'get', responses: ok },
      post: { operationId: 'post', responses: ok, requestBody: thing, ...key },
    },
    '/slow': { get: { operationId: 'slow', responses: ok, ...key } },
    '/large': { get: { operationId: 'large', responses: ok } },
  },
};

let unfinished = 0;
const answer = (body: string) => Promise.resolve({ status: 200, body });
const { app } = buildService({
  document,
  strategies: strategiesFor(new OpenApiDocument(document), (secret) => secret === 'walk' && {}),
  handlers: {
    get: () => answer('a thing'),
    post: ({ body }: { body: { id: string } }) => answer(body.id),
    slow: ({ signal }: { signal: AbortSignal }) =>
      sleep(20, undefined, { signal }).then(() => answer('at last')),
    large: () => answer('x'.repeat(LARGE)),
  },
  bodyLimit: 100_000,
  maxRequests: PLACES,
  stubs: false,
  requestIdOf: ({ headers }) => {
    unfinished++;
    return String(headers['x-request-id']);
  },
  report: () => undefined, // the default keeps every body
  afterResponse: () => {
    unfinished--;
  },
});
app.use((request, response, next) => {
  response.set('X-Request-Id', String(request.headers['x-request-id']));
  next();
});
app.get('/-/live', (_, response) => response.json({ status: 'live' }));
app.get('/-/file', (_, response) => {
  response.sendFile(page);
});

const stopping = new AbortController();
const limits = { headersTimeout: 60_000, requestTimeout: 60_000, keepAliveTimeout: 60_000 };
const server = createHttpServer(
  app,
  renderPlain,
  { ...limits, sendTimeout: Number(sendTimeout) },
  stopping.signal,
);

/** Microseconds of CPU of the longest turn of the event loop since `watch`; undefined if nobody watches. */
let longest: number | undefined;
function watch(since: NodeJS.CpuUsage): void {
  setImmediate(() => {
    if (longest === undefined) return;
    const { user, system } = process.cpuUsage(since);
    longest = Math.max(longest, user + system);
    watch(process.cpuUsage());
  });
}

async function held(): Promise<Held> {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await sleep(5);
  }
  const { heapUsed, external } = process.memoryUsage();
  const connections = await new Promise<number>((resolve) => {
    server.getConnections((_, count) => {
      resolve(count);
    });
  });
  return {
    descriptors: readdirSync('/proc/self/fd').length,
    memory: heapUsed + external,
    timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
    connections,
    unfinished,
  };
}

void listen(server, '127.0.0.1', 0).then((url) => {
  const port = Number(new URL(url).port);
  process.on('message', (message) => {
    if (message === 'stop') stopping.abort();
    else if (message === 'watch') {
      longest = 0;
      watch(process.cpuUsage());
      process.send?.({});
    } else if (message === 'longest') {
      process.send?.({ longest });
      longest = undefined;
    } else void held().then((state) => process.send?.(state));
  });
  server.on('close', () => {
    process.disconnect();
  });
  process.send?.({ port });
});
