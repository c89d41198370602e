import { type Answer, InvalidContract, type JsonObject, withKey } from 'contract-first-server';
import { createApp } from 'contract-first-server/runtime';
import { PLAIN_ERRORS } from 'contract-first-server/tools';
import { buildDocument, buildService, json, RUNTIME } from '../../../../scripts/testing/service';

// Handlers that repeat answers, at start. packages/server/tests/runtime/idempotent.test.ts has their requests.

const text = json({ type: 'string' });
const header = { name: 'idempotency-KEY', in: 'header', schema: { type: 'string' } };
const usual = { parameters: [header], responses: { 200: { description: '', content: text } } };
const handler = withKey((): Promise<Answer> => Promise.resolve({ status: 200, body: 'a' }));
const refused = { description: '', content: json({ type: 'object' }) };

/** What a service says instead of starting; empty if it starts. */
function refusal(build: () => unknown): string {
  try {
    build();
    return '';
  } catch (error) {
    if (error instanceof InvalidContract) return error.message;
    throw error;
  }
}

const content = (types: object) => ({ required: true, content: types });
const answering = (types: object) => ({ responses: { 200: { description: '', content: types } } });

test.each<[string, JsonObject, RegExp | '']>([
  ['values', {}, ''],
  ['a body of bytes', { requestBody: content({ 'image/png': {} }) }, ''],
  ['no such header', { parameters: [] }, /must document the header Idempotency-Key/],
  [
    'a query parameter of that name',
    { parameters: [{ ...header, in: 'query' }] },
    /must document the header Idempotency-Key/,
  ],
  ['a stream', { requestBody: content({ 'image/png': { 'x-stream': true } }) }, /no body may be a stream/],
  ['a form with files', { requestBody: content({ 'multipart/form-data': {} }) }, /no body may be a stream/],
  ['events', answering({ 'text/event-stream': { 'x-item-schema': {} } }), /no body may be a stream/],
  ['a file', answering({ 'image/png': {} }), /no body may be a stream/],
])(
  'a handler that repeats answers serves an operation with %s, or the service does not start',
  (_, more, wrong) => {
    const document = buildDocument({ operation: { ...usual, ...more } });
    const build = (handlers: { postThing: () => Promise<Answer> }) => () =>
      buildService({ document, handlers, stubs: false });
    const message = refusal(build({ postThing: handler as () => Promise<Answer> }));
    if (wrong === '') expect(message).toBe('');
    else expect(message).toMatch(wrong);
    const own = () => Promise.resolve({ status: 200, body: 'a' });
    expect(refusal(build({ postThing: own }))).toBe(''); // which implements the header itself
  },
);

test('its operation documents 409 and 422, with the errors of the service', () => {
  const start = (responses: object, handlers: { postThing: object }) =>
    refusal(() => {
      const own = { 400: refused, 406: refused, 500: refused, 503: refused };
      const document = buildDocument({
        operation: { ...usual, responses: { ...usual.responses, ...own, ...responses } },
      });
      createApp(
        { handlers: handlers as { postThing: typeof handler }, errors: PLAIN_ERRORS },
        { ...RUNTIME, document, strategies: {} },
      );
    });
  const plain = () => Promise.resolve({ status: 200, body: 'a' });
  const lacking = start({}, { postThing: handler });
  expect([...lacking.matchAll(/^ {2}(\d{3}): /gm)].map(([, status]) => status)).toEqual(['409', '422']);
  expect(lacking).toContain('A request with the same Idempotency-Key is in progress.');
  expect(start({}, { postThing: plain })).toBe('');
  expect(start({ 409: refused, 422: refused }, { postThing: handler })).toBe('');
  const other = { description: '', content: json({ type: 'array' }) };
  expect(start({ 409: other, 422: refused }, { postThing: handler })).toMatch(/the 409 response/);
  expect(start({ 409: other, 422: refused }, { postThing: plain })).toBe('');
});

test('it takes the request of the server, and no copy', async () => {
  const keyed = withKey((): Promise<Answer> => Promise.resolve({ status: 200, body: 'a' }));
  await expect(keyed({ body: 'a' })).rejects.toThrow('expected the request that the server gave');
});
