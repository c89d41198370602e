import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Attributes,
  context,
  createContextKey,
  createNoopMeter,
  type Meter,
  metrics,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import express from 'express';
import { createDurations } from '../../src/runtime/observe/durations';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';
import { exchange } from '../../../../scripts/testing/wire';

interface Recorded {
  readonly name: string;
  readonly options: unknown;
  readonly seconds: number;
  readonly attributes: Attributes | undefined;
}
let recorded: Recorded[] = [];
let waiting = false;

/** Registers a meter provider that keeps what its histograms record. */
function register(): void {
  const createHistogram = (name: string, options: unknown) => ({
    record: (seconds: number, attributes?: Attributes) => {
      recorded.push({ name, options, seconds, attributes });
    },
  });
  metrics.setGlobalMeterProvider({
    getMeter: () => Object.assign(Object.create(createNoopMeter()) as Meter, { createHistogram }),
  });
}
beforeEach(() => {
  recorded = [];
});
afterEach(() => {
  metrics.disable();
  context.disable();
});

const responses = { 200: { description: 'done', content: { ...json({ type: 'object' }), 'image/png': {} } } };
const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }];
const DOCUMENT = {
  ...buildDocument(),
  paths: { '/things/{id}': { get: { operationId: 'getThing', parameters, responses } } },
};

function build(
  around: express.RequestHandler = (_request, _response, next) => {
    next();
  },
) {
  const durations = createDurations();
  if (!durations) throw new Error('expected a meter provider to be registered');
  const { service } = buildService({
    document: DOCUMENT,
    deadline: 60_000,
    handlers: {
      getThing: async ({ path: { id } }: { readonly path: { readonly id: number } }) => {
        if (id === 5) throw new Error('a failure');
        if (id === 6) {
          waiting = true;
          await new Promise(() => undefined);
        }
        if (id === 7)
          return { status: 200, contentType: 'image/png', body: ReadableStream.from(['no bytes']) };
        return { status: 200, contentType: 'application/json', body: {} };
      },
    },
    afterResponse: durations,
  });
  return express().use(around, service);
}
const ask = (line: string) => `${line} HTTP/1.1\r\nHost: x\r\n\r\n`;

test('without a meter provider nothing is recorded', () => {
  expect(createDurations()).toBeUndefined();
});

test.each([
  ['GET /things/1', { 'http.route': '/things/{id}', 'http.response.status_code': 200 }],
  ['GET /things/x', { 'http.route': '/things/{id}', 'http.response.status_code': 400 }],
  ['GET /nowhere', { 'http.response.status_code': 404 }],
  ['PURGE /things/1', { 'http.request.method': '_OTHER', 'http.response.status_code': 405 }],
  [
    'GET /things/5',
    { 'http.route': '/things/{id}', 'http.response.status_code': 500, 'error.type': 'unexpected' },
  ],
  [
    'GET /things/7',
    { 'http.route': '/things/{id}', 'http.response.status_code': 200, 'error.type': 'unexpected' },
  ],
])('%s is recorded by the semantic conventions', async (line, attributes) => {
  register();
  await listening(build(), (port) => exchange(port, ask(line)));
  expect(recorded).toEqual([
    {
      name: 'http.server.request.duration',
      options: expect.objectContaining({ unit: 's' }) as object,
      seconds: expect.any(Number) as number,
      attributes: {
        'http.request.method': 'GET',
        'url.scheme': 'http',
        'network.protocol.version': '1.1',
        ...attributes,
      },
    },
  ]);
  expect(recorded[0]?.seconds).toBeLessThan(60);
});

test('a client that leaves has no status', async () => {
  register();
  await listening(build(), async (port) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(ask('GET /things/6'));
    while (!waiting) await pause(1);
    socket.destroy();
    while (recorded.length === 0) await pause(1);
  });
  expect(recorded[0]?.attributes).toMatchObject({ 'error.type': 'client_left' });
  expect(recorded[0]?.attributes).not.toHaveProperty(['http.response.status_code']);
});

test('requests that an instrumentation of node:http records are left to it', async () => {
  register();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const key = createContextKey('OpenTelemetry SDK Context Key RPC_METADATA');
  const instrumented = build((_request, _response, next) => {
    context.with(context.active().setValue(key, { span: {}, route: undefined }), next);
  });
  await listening(instrumented, (port) => exchange(port, ask('GET /things/1')));
  expect(recorded).toEqual([]);
});
