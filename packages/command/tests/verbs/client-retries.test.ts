import { clientsOfAll } from '../../../../scripts/testing/compile';
import { keepFolder } from '../../../../scripts/testing/folder';
import { type AnyClient, loadClient } from '../support/generated-client';

// Which requests a client sends again, when its caller asks for it, and when it stops.

const ok = { responses: { 204: { description: '' } } };
const key = (schema: object = { type: 'string' }) => ({
  parameters: [{ name: 'Idempotency-Key', in: 'header', schema }],
});
const jsonBody = { requestBody: { content: { 'application/json': { schema: {} } } } };
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Retries', version: '1' },
  paths: {
    '/things': {
      get: {
        operationId: 'list',
        responses: { 200: { description: '', content: { 'application/json': {} } } },
      },
      post: { operationId: 'add', ...key(), ...jsonBody, ...ok },
      put: { operationId: 'replace', ...jsonBody, ...ok },
      patch: { operationId: 'change', ...jsonBody, ...ok },
      delete: { operationId: 'remove', ...key(), ...ok },
    },
    '/files': { put: { operationId: 'upload', requestBody: { content: { 'image/png': {} } }, ...ok } },
  },
};

const folder = keepFolder();
let create: ReturnType<typeof loadClient>;
beforeAll(() => {
  create = loadClient(folder, clientsOfAll([DOCUMENT])[0]?.text ?? '');
}, 60_000);

type Answer = () => Response | Promise<Response>;
const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  () =>
    new Response(null, { status: code, headers });
const broken: Answer = () => Promise.reject(new TypeError('fetch failed'));
const json = (text: string) => new Response(text, { headers: { 'Content-Type': 'application/json' } });
const malformed: Answer = () => json('{');

/** Each of the requests of a client that gets these answers, one after the other, with the milliseconds between them. */
function clientOf(answers: readonly Answer[], options: object = {}) {
  const requests: { readonly key: string | null; readonly text: string }[] = [];
  const client = create({
    baseUrl: 'https://example.org',
    fetch: async (request) => {
      requests.push({ key: request.headers.get('idempotency-key'), text: await request.text() });
      return (answers[requests.length - 1] ?? status(204))();
    },
    ...options,
  });
  return { client, requests };
}

const call = (client: AnyClient, id: string, request: object = {}) =>
  (client[id] ?? (() => Promise.reject(new Error(id))))(request);

/** The milliseconds for which clients wait before each retry. They wait for no time instead. */
const waits: number[] = [];
const SHORTEST_TIMEOUT = 50_000;
beforeEach(() => {
  waits.length = 0;
  const wait = setTimeout;
  jest.spyOn(global, 'setTimeout').mockImplementation((run, milliseconds = 0) => {
    if (milliseconds >= SHORTEST_TIMEOUT) return wait(run, milliseconds);
    waits.push(milliseconds);
    return wait(run, 0);
  });
  jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => jest.restoreAllMocks());

test.each([
  ['list', broken],
  ['list', status(429)],
  ['list', status(502)],
  ['replace', status(503)],
  ['remove', status(504)],
  ['add', broken],
  ['add', status(503)],
])('%s is sent again until it is answered', async (id, failure) => {
  const { client, requests } = clientOf([failure, failure], { retries: 2 });
  await call(client, id, id === 'list' || id === 'remove' ? {} : { body: { a: 1n } });
  expect(requests).toHaveLength(3);
  expect(new Set(requests.map(({ text }) => text)).size).toBe(1);
});

test('an answer that breaks off is asked for again', async () => {
  const half = () => {
    const body = new ReadableStream({
      start(controller) {
        controller.error(new TypeError('terminated'));
      },
    });
    return new Response(body, { headers: { 'Content-Type': 'application/json' } });
  };
  const whole = () => json('[]');
  const { client } = clientOf([half, whole], { retries: 1 });
  expect(await call(client, 'list')).toMatchObject({ status: 200, body: [] });
});

test('an answer that is retried is not left open, even if it breaks', async () => {
  let cancelled = 0;
  const body = (broken: boolean) =>
    new ReadableStream({
      start(controller) {
        if (broken) controller.error(new TypeError('terminated'));
      },
      cancel: () => void (cancelled += 1),
    });
  const unavailable = [false, true].map((one) => () => new Response(body(one), { status: 503 }));
  const { client, requests } = clientOf(unavailable, { retries: 2 });
  await call(client, 'list');
  expect([requests.length, cancelled]).toEqual([3, 1]);
});

test.each([
  ['what nobody asks to retry', 'list', {}, broken, {}],
  ['what a call asks not to retry', 'list', { retries: 0 }, broken, { retries: 3 }],
  ['a method that may not be repeated', 'change', { body: {} }, broken, { retries: 3 }],
  ['a PATCH with a key that nobody knows', 'change', { headers: { 'Idempotency-Key': 'a' } }, broken, {}],
  ['a stream', 'upload', { body: new Blob(['a']).stream() }, broken, { retries: 3 }],
  ['what was answered', 'list', {}, status(500), { retries: 3 }],
  ['what is not found', 'list', {}, status(404), { retries: 3 }],
  ['what has a malformed answer', 'list', {}, malformed, { retries: 3 }],
  ['a wait of more than a minute', 'list', {}, status(503, { 'Retry-After': '61' }), { retries: 3 }],
  [
    'a wait past the timeout',
    'list',
    { timeout: 50_000 },
    status(429, { 'Retry-After': '55' }),
    { retries: 3 },
  ],
])('%s is sent once', async (_, id, request, answer, options) => {
  const { client, requests } = clientOf([answer], options);
  const outcome = await call(client, id, request).catch((error: unknown) => error);
  expect(requests).toHaveLength(1);
  if (answer === broken) expect(outcome).toMatchObject({ name: 'NoAnswer' });
  else if (answer === malformed) expect(outcome).toMatchObject({ name: 'MalformedAnswer' });
  else expect(outcome).toMatchObject({ status: 'undocumented' });
});

test('bytes that are whole can be sent again', async () => {
  const { client, requests } = clientOf([broken], { retries: 1 });
  await call(client, 'upload', { body: new Blob(['a']) });
  expect(requests.map(({ text }) => text)).toEqual(['a', 'a']);
});

test('all attempts of a call have one key, and each call has another', async () => {
  const { client, requests } = clientOf([broken, status(503), status(204), broken], { retries: 2 });
  await call(client, 'add', { body: {} });
  await call(client, 'add', { body: {} });
  const keys = requests.map((one) => one.key);
  expect(keys[0]).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  expect(keys).toEqual([keys[0], keys[0], keys[0], keys[3], keys[3]]);
  expect(keys[3]).not.toBe(keys[0]);
});

test('a key that the caller gives is kept, as a parameter or a field, and without retries no key is sent', async () => {
  const { client, requests } = clientOf([]);
  const own = { 'Idempotency-Key': '"mine"' };
  await call(client, 'add', { body: {}, header: own, retries: 1 });
  await call(client, 'add', { body: {}, headers: own, retries: 1 });
  await call(client, 'add', { body: {} });
  await call(client, 'replace', { body: {}, retries: 1 });
  expect(requests.map((one) => one.key)).toEqual(['"mine"', '"mine"', null, null]);
});

test('the last answer is returned, and the last error is thrown', async () => {
  const unavailable = clientOf([status(503), status(503), status(502)], { retries: 2 });
  const answer = await call(unavailable.client, 'list');
  expect([unavailable.requests.length, answer.response.status]).toEqual([3, 502]);
  const gone = clientOf([broken, broken, broken], { retries: 1 });
  await expect(call(gone.client, 'list')).rejects.toMatchObject({ name: 'NoAnswer' });
  expect(gone.requests).toHaveLength(2);
});

test('a retry waits while the first attempt is in progress, and no other conflict is retried', async () => {
  const { client, requests } = clientOf([broken, status(409), status(204), status(409)], { retries: 2 });
  expect(await call(client, 'add', { body: {} })).toMatchObject({ status: 204 });
  expect(await call(client, 'add', { body: {} })).toMatchObject({ status: 'undocumented' });
  expect(requests).toHaveLength(4);
  const withoutKey = clientOf([broken, status(409)], { retries: 2 });
  await call(withoutKey.client, 'replace', { body: {} });
  expect(withoutKey.requests).toHaveLength(2);
});

test.each([
  ['three seconds', () => '3', 3000],
  ['a date', () => new Date(Date.now() + 5000).toUTCString(), 4000],
  ['no time', () => 'soon', 125],
  ['a time that has passed', () => new Date(0).toUTCString(), 125],
])('a retry waits as Retry-After says: %s', async (_, field, least) => {
  const { client } = clientOf([() => status(503, { 'Retry-After': field() })()], { retries: 1 });
  await call(client, 'list');
  expect(waits).toHaveLength(1);
  expect(waits[0]).toBeGreaterThan(least - 100);
  expect(waits[0]).toBeLessThanOrEqual(least + 1000);
});

test('a retry waits twice as long as the one before, and not for more than ten seconds', async () => {
  const { client } = clientOf(Array<Answer>(9).fill(broken), { retries: 9 });
  await call(client, 'list');
  expect(waits).toEqual([125, 250, 500, 1000, 2000, 4000, 5000, 5000, 5000]);
});

test('a call that waits ends when its signal is aborted, and leaves no timer', async () => {
  jest.restoreAllMocks();
  const { client, requests } = clientOf([status(503, { 'Retry-After': '30' })], { retries: 1 });
  const leave = new AbortController();
  const reason = new Error('enough');
  const started = jest.spyOn(global, 'setTimeout');
  const cleared = jest.spyOn(global, 'clearTimeout');
  const asked = call(client, 'list', { signal: leave.signal });
  while (started.mock.calls.length < 2) await new Promise(setImmediate);
  leave.abort(reason);
  await expect(asked).rejects.toBe(reason);
  expect(requests).toHaveLength(1);
  const timers = started.mock.results.map(({ value }) => value as unknown);
  expect(cleared.mock.calls.flat()).toEqual(expect.arrayContaining(timers));
});

test.each([-1, 0.5, 11, Infinity, NaN])('retries of %p are refused', async (retries) => {
  const { client, requests } = clientOf([], { retries });
  await expect(call(client, 'list')).rejects.toThrow(/^retries: expected 0 to 10/);
  expect(requests).toEqual([]);
});
