import { trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { pino } from 'pino';
import request from 'supertest';
import { table, TEXT } from 'contract-first-database';
import { InvalidContract, stub } from 'contract-first-server';
import { type Application, createApp, type RuntimeOptions } from 'contract-first-server/runtime';
import {
  createMetrics,
  createReport,
  limitRequests,
  observeDeprecated,
  PLAIN_ERRORS,
} from 'contract-first-server/tools';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, json, RUNTIME, withRefusals } from '../../../../scripts/testing/service';

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

test('the findings of a service say what to do about its files, and with which command', () => {
  const findingsOf = (more: Parameters<typeof build>[1], application: object = {}): string[] => {
    try {
      build(application, more);
      return [];
    } catch (error) {
      return error instanceof InvalidContract ? error.message.split('\n') : [];
    }
  };
  const POST = '#/paths/~1things/post';
  const handlers = { postThings: () => Promise.resolve({ status: 204 }) };
  expect(findingsOf({}, { handlers })).toEqual([
    `${POST}: the operation postThing has no handler: run \`npx contract-first generate\`, which writes a stub, or says which handler to rename`,
    '#/paths: no operation has the operationId postThings, but a handler has: run `npx contract-first generate`, which says what to do with it',
  ]);
  expect(findingsOf({ production: true }, { handlers: { postThing: stub('postThing') } })).toEqual([
    `${POST}: the handler of postThing is still a stub: write it in src/handlers/`,
  ]);
  const token = { type: 'http', scheme: 'bearer' };
  const secured = buildDocument({
    operation: { security: [{ token: [] }] },
    components: { securitySchemes: { token } },
  });
  expect(findingsOf({ document: withRefusals(secured) })).toEqual([
    '#/components/securitySchemes/token: postThing requires the security scheme token: expected a strategy for it (the option strategies of createService), got none: add its verifier to src/auth.ts',
  ]);
  const content = { 'application/json': { schema: { required: ['code'] } } };
  const bad = buildDocument({
    operation: { responses: { 204: { description: '' }, 400: { description: '', content } } },
  });
  expect(findingsOf({ document: withRefusals(bad) })).toEqual([
    `${POST}: the errors of this server do not conform to the document: the 400 response: body must have required property 'code'; src/errors.ts has the errors of this server`,
  ]);
  expect(findingsOf({ document: buildDocument() })).toContain(
    'Add these actions to those of openapi/overlay.yaml, and run `npx contract-first generate`:',
  );
});

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

test('calls of a deprecated operation are counted, and the log has who makes them', async () => {
  const metrics = createMetrics();
  const lines: unknown[] = [];
  const log = (...line: unknown[]) => lines.push(line);
  const deprecated = observeDeprecated(metrics, () => 'Token ann');
  const call = async (operation: object) => {
    const app = build(
      {},
      {
        deprecated,
        rateLimit: undefined,
        document: withRefusals(buildDocument({ operation })),
        loggerFor: () => ({ debug: log, info: log, warn: log, error: log }),
      },
    );
    await request(app).post('/things').expect(204);
  };
  await call({ deprecated: true });
  await call({});
  expect(lines).toEqual([[{ client: 'Token ann' }, 'called a deprecated operation']]);
  expect(await metrics.text()).toContain('http_deprecated_calls_total{operation_id="postThing"} 1\n');
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
