import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { context, createContextKey, propagation, type Span, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import express from 'express';
import { createTraces } from '../../src/runtime/observe/traces';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';
import { exchange } from '../../../../scripts/testing/wire';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const exporter = new InMemorySpanExporter();

function register(): void {
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
}
afterEach(() => {
  for (const api of [trace, context, propagation]) api.disable();
  exporter.reset();
});

const DOCUMENT = {
  ...buildDocument(),
  paths: {
    '/things/{id}': {
      get: {
        operationId: 'getThing',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
          { name: 'secret', in: 'query', schema: { type: 'string' } },
        ],
        responses: {
          200: { description: 'done', content: { ...json({ type: 'object' }), 'image/png': {} } },
        },
      },
    },
  },
};

/** A server with traces, behind the given middleware. The deadline is in milliseconds. */
function build(
  before: express.RequestHandler = (_request, _response, next) => {
    next();
  },
  deadline = 300,
) {
  const traces = createTraces('/-/');
  if (!traces) throw new Error('expected an SDK to be registered');
  const { service } = buildService({
    document: DOCUMENT,
    deadline,
    handlers: {
      getThing: async ({ path: { id } }: { readonly path: { readonly id: number } }) => {
        await pause(1);
        trace.getTracer('a handler').startSpan('work').end();
        if (id === 5) throw new Error('a failure');
        if (id === 6) await new Promise(() => undefined);
        if (id === 7)
          return { status: 200, contentType: 'image/png', body: ReadableStream.from(['no bytes']) };
        return { status: 200, contentType: 'application/json', body: {} };
      },
    },
    afterResponse: traces.afterResponse,
  });
  return express().use(before, traces.around(service));
}

const spansOf = () => exporter.getFinishedSpans().filter(({ name }) => name !== 'work');
const ask = (line: string, fields = '') => `${line} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`;

test('without an SDK there are no traces', () => {
  expect(createTraces('/-/')).toBeUndefined();
});

test('a request is a span of its route and continues the trace of its client; its handler runs in the context of the span', async () => {
  register();
  const fields = `traceparent: 00-${TRACE}-${PARENT}-01\r\n`;
  await listening(build(), (port) => exchange(port, ask('GET /things/1?secret=a', fields)));
  const [span, ...others] = spansOf();
  expect(others).toEqual([]);
  expect(span?.name).toBe('GET /things/{id}');
  expect(span?.kind).toBe(1);
  expect(span?.spanContext().traceId).toBe(TRACE);
  expect(span?.parentSpanContext?.spanId).toBe(PARENT);
  expect(span?.attributes).toEqual({
    'http.request.method': 'GET',
    'url.path': '/things/1',
    'url.scheme': 'http',
    'http.route': '/things/{id}',
    'openapi.operation_id': 'getThing',
    'http.response.status_code': 200,
    'request.id': 'a-request',
  });
  const work = exporter.getFinishedSpans().find(({ name }) => name === 'work');
  expect(work?.parentSpanContext?.spanId).toBe(span?.spanContext().spanId);
});

test.each([
  ['GET /nowhere', 'GET', 404, undefined],
  ['PURGE /things/1', 'HTTP', 405, undefined],
  ['GET /things/a', 'GET /things/{id}', 400, undefined],
  ['GET /things/5', 'GET /things/{id}', 500, 'unexpected'],
  ['GET /things/6', 'GET /things/{id}', 503, 'unavailable'],
  ['GET /things/7', 'GET /things/{id}', 200, 'unexpected'], // its stream breaks off
])('%s', async (line, name, status, type) => {
  register();
  await listening(build(), (port) => exchange(port, ask(line)).catch(() => undefined));
  const [span] = spansOf();
  expect(span?.name).toBe(name);
  expect(span?.attributes).toMatchObject({
    'http.response.status_code': status,
    'http.request.method': name === 'HTTP' ? '_OTHER' : 'GET',
  });
  expect(span?.attributes['error.type']).toBe(type);
  expect(span?.status.code).toBe(type === undefined ? SpanStatusCode.UNSET : SpanStatusCode.ERROR);
});

test('the span ends without a status if the client disconnects', async () => {
  register();
  await listening(build(undefined, 60_000), async (port) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(ask('GET /things/6'));
    while (exporter.getFinishedSpans().length === 0) await pause(1); // the handler has ended its own span
    socket.destroy();
    while (spansOf().length === 0) await pause(1);
    const [span] = spansOf();
    expect(span?.attributes).toMatchObject({ 'error.type': 'client_left', 'http.route': '/things/{id}' });
    expect(span?.attributes).not.toHaveProperty(['http.response.status_code']);
  });
});

test('a reserved path has no span', async () => {
  register();
  await listening(build(), (port) => exchange(port, ask('GET /-/live')));
  expect(exporter.getFinishedSpans()).toEqual([]);
});

test('a request that node:http instrumentation traces has one span, which gets the route', async () => {
  register();
  const key = createContextKey('OpenTelemetry SDK Context Key RPC_METADATA');
  let metadata: { type: string; span: Span; route?: string } | undefined;
  const app = build((_request, _response, next) => {
    metadata = { type: 'http', span: trace.getTracer('another').startSpan('GET') };
    context.with(trace.setSpan(context.active(), metadata.span).setValue(key, metadata), next);
  });
  await listening(app, (port) => exchange(port, ask('GET /things/1')));
  expect(spansOf()).toEqual([]);
  metadata?.span.end();
  const [span] = spansOf();
  expect([span?.name, metadata?.route]).toEqual(['GET /things/{id}', '/things/{id}']);
  expect(span?.attributes).toMatchObject({
    'http.route': '/things/{id}',
    'openapi.operation_id': 'getThing',
  });
  const work = exporter.getFinishedSpans().find(({ name }) => name === 'work');
  expect(work?.parentSpanContext?.spanId).toBe(span?.spanContext().spanId);
});
