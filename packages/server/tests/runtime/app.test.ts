import { trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { pino } from 'pino';
import request from 'supertest';
import { table, TEXT } from 'contract-first-database';
import { type Application, createApp, type RuntimeOptions } from 'contract-first-server/runtime';
import { createMetrics, createReport, limitRequests, PLAIN_ERRORS } from 'contract-first-server/tools';
import { buildDocument, json, listening, RUNTIME, withRefusals } from '../../../../scripts/testing/service';

/** An application with one operation without credentials, which each client may request once. */
function build(hooks: Omit<Application, 'handlers' | 'errors'>, more: Partial<RuntimeOptions> = {}) {
  const handlers = { postThing: () => Promise.resolve({ status: 204 }) };
  return createApp(
    { handlers, errors: PLAIN_ERRORS, ...hooks },
    {
      ...RUNTIME,
      document: withRefusals(buildDocument()),
      strategies: {},
      reportFault: () => undefined,
      rateLimit: limitRequests({ requests: 1, seconds: 60 }, () => 'a client'),
      ...more,
    },
  );
}

test('a policy of the service runs after the rate limiter, and the response has the headers of both', async () => {
  const afterAuthentication = jest.fn(() => ({ 'X-Policy': 'applied' }));
  const app = build({ afterAuthentication });
  const { status, headers } = await request(app).post('/things');
  expect([status, headers]).toMatchObject([204, { ratelimit: '"default";r=0;t=60', 'x-policy': 'applied' }]);
  await request(app).post('/things').expect(429);
  expect(afterAuthentication).toHaveBeenCalledTimes(1);
});

test('a policy without headers keeps those of the rate limiter', async () => {
  const { headers } = await request(build({ afterAuthentication: () => undefined })).post('/things');
  expect(headers).toMatchObject({ ratelimit: '"default";r=0;t=60' });
});

test.each([false, null, 'no'])('a policy that returns %p is an error of the service', async (value) => {
  const untyped = { afterAuthentication: () => value } as object;
  await request(build(untyped)).post('/things').expect(500);
});

test('the log and the span have the name of the hook that fails or refuses', async () => {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(line) });
  const { request: report, fault: reportFault } = createReport(PLAIN_ERRORS, log, createMetrics(), {});
  const noted = () => undefined;
  const checkTenant = () => {
    throw new Error('no such tenant');
  };
  const audit = () => Promise.reject(new Error('no space left'));
  const app = build({ beforeHandler: [noted, checkTenant], afterResponse: [audit] }, { report, reportFault });
  trace.disable();
  await request(app).post('/things').expect(500);
  await request(app).post('/things').expect(429);
  const [failed, audited, limited] = lines.map((line) => JSON.parse(line) as object);
  expect(failed).toMatchObject({ hook: 'beforeHandler checkTenant', err: { message: 'no such tenant' } });
  expect(audited).toMatchObject({ hook: 'afterResponse audit', err: { message: 'no space left' } });
  expect(limited).toMatchObject({ status: 429, hook: 'afterAuthentication rateLimit' });
  expect(exporter.getFinishedSpans().map(({ attributes }) => attributes['contract_first.hook'])).toEqual([
    'beforeHandler checkTenant',
    'afterAuthentication rateLimit',
  ]);
});

test('an event stream ends in order when the server stops', async () => {
  const content = { 'text/event-stream': { 'x-item-schema': true } };
  const operation = { operationId: 'postThing', responses: { 200: { description: '', content } } };
  const stopping = new AbortController();
  async function* body() {
    yield { data: 'a' };
    stopping.abort();
    await new Promise(() => undefined);
  }
  const app = createApp(
    { handlers: { postThing: () => Promise.resolve({ status: 200, body: body() }) }, errors: PLAIN_ERRORS },
    {
      ...RUNTIME,
      document: withRefusals(buildDocument({ operation })),
      strategies: {},
      stopping: stopping.signal,
    },
  );
  const { text } = await request(app).post('/things').expect(200);
  expect(text).toBe('data: a\n\n');
});

test('a stream that breaks off is logged with the index of its item, and counted', async () => {
  const content = { 'application/jsonl': { 'x-item-schema': { type: 'integer' } } };
  const operation = { operationId: 'postThing', responses: { 200: { description: '', content } } };
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(line) });
  const metrics = createMetrics();
  const { request: report, fault: reportFault } = createReport(PLAIN_ERRORS, log, metrics, {});
  const handlers = { postThing: () => Promise.resolve({ status: 200, body: ReadableStream.from([1, 'a']) }) };
  const document = withRefusals(buildDocument({ operation }));
  const app = createApp(
    { handlers, errors: PLAIN_ERRORS },
    { ...RUNTIME, document, strategies: {}, report, reportFault },
  );
  const read = async (port: number) =>
    (await fetch(`http://127.0.0.1:${port}/things`, { method: 'POST' })).text();
  await expect(listening(app, read)).rejects.toThrow();
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    operationId: 'postThing',
    item: 1,
    msg: 'the response broke off at its item 1',
    err: { message: 'the response: body/1 must be integer' },
  });
  const counted = await metrics.text();
  expect(counted).toContain('http_streams_broken_total{operation_id="postThing"} 1\n');
  expect(counted).not.toContain('http_refusals_total{'); // its client got no error body
});

test('an observer of the service is called beside the traces, after the span has ended', async () => {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
  const ended: number[] = [];
  const app = build({ afterResponse: () => void ended.push(exporter.getFinishedSpans().length) });
  trace.disable();
  await request(app).post('/things').expect(204);
  expect(ended).toEqual([1]);
});

test('a property of a stored body without a column keeps the service from its start', () => {
  const schema = { type: 'object', properties: { name: { type: 'string' }, room: { type: 'string' } } };
  const post = {
    operationId: 'postThing',
    requestBody: { required: true, content: json(schema) },
    responses: { 204: { description: '' } },
  };
  const document = withRefusals(buildDocument({ paths: { '/things': { post } } }));
  const start = (columns: object) => build({ stored: { postThing: columns } }, { document });
  const things = table('things', { name: TEXT });
  expect(() => start(things)).toThrow(
    '#/paths/~1things/post/requestBody/content/application~1json/schema/properties/room: no column holds the property room: `npx contract-first todo` prints the column and the migration to add (POST /things)',
  );
  expect(start(table('things', { name: TEXT, room: TEXT.optional(), more: TEXT }))).toBeDefined();
  expect(build({ stored: {} }, { document })).toBeDefined();
});
