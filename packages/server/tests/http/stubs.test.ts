import request from 'supertest';
import { stub } from 'contract-first-server';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';

const done = { 200: { description: '', content: { 'text/plain': { schema: { const: 'done' } } } } };
const posting = (operationId: string, content: object) => ({
  post: { operationId, requestBody: { required: true, content }, responses: done },
});
const { app } = buildService({
  document: buildDocument({
    paths: {
      '/lines': posting('lines', { 'application/jsonl': { 'x-item-schema': { type: 'integer' } } }),
      '/bytes': posting('bytes', { 'image/png': { 'x-stream': true } }),
    },
  }),
  handlers: { lines: stub('lines'), bytes: stub('bytes') },
  stubs: true,
});

it.each([
  [false, 501],
  [true, 500],
])(
  'a stub for which the document yields no response says so: only documented %j',
  async (onlyDocumented, expected) => {
    // The empty object fits both branches.
    const empty = { type: 'object', additionalProperties: false };
    const schema = { oneOf: [empty, { ...empty, properties: {} }] };
    const responses = {
      200: { description: '', content: { 'application/json': { schema } } },
      ...Object.fromEntries(
        [406, 500, 503].map((status) => [status, { description: '', content: json({}) }]),
      ),
    };
    const service = buildService({
      document: buildDocument({ paths: { '/none': { get: { operationId: 'none', responses } } } }),
      handlers: { none: stub('none') },
      stubs: true,
      onlyDocumented,
      reportFault: () => undefined,
    });
    const { status, headers } = await request(service.app).get('/none');
    expect([status, headers['x-stub']]).toEqual([expected, 'none']);
  },
);

it.each([
  ['/lines', 'application/jsonl', '1\n2\n', 200],
  ['/lines', 'application/jsonl', '1\n"2"\n', 400],
  ['/lines', 'application/jsonl', '1\n{\n', 400],
  ['/bytes', 'image/png', 'bytes', 200],
])('a stub reads the stream of a request before it answers: %s %s %j', async (path, type, body, status) => {
  const { headers, ...answer } = await request(app).post(path).set('Content-Type', type).send(body);
  expect([answer.status, headers['x-stub']]).toEqual([status, status === 200 ? path.slice(1) : undefined]);
});
