import { errors } from '../../src/errors';
import { credentials, EXAMPLE, MISMATCH, portOf, send, SUCCESS } from '../../scripts/testing/client';
import { logUntil, type Program, startProgram, withHandlers } from '../../scripts/testing/program';
import { TOKEN } from '../../scripts/testing/plant-service';
import { exchange } from '../../scripts/testing/wire';

let server: Program;
beforeAll(async () => {
  server = await startProgram({ API_TOKENS: TOKEN });
});
afterAll(() => server.stop());

test('writes one line for each request, without secrets and without the body', async () => {
  const ask = (requestId: string, body?: string, headers = {}) =>
    send(server, { 'X-Request-Id': requestId, ...headers }, body);
  const good = await ask('log-1');
  expect([good.status, good.headers.get('x-request-id')]).toEqual([SUCCESS, 'log-1']);
  await ask('log-2', '[{"a-very-private-key":"a-very-private-value"}]');
  await ask('log-3', MISMATCH, credentials('another-secret-token'));
  await fetch(`${server.url}/secret-path?secret-query`, { headers: { 'X-Request-Id': 'log-4' } });
  const lines = (await logUntil(server, 'log-4')).filter(({ requestId }) =>
    String(requestId).startsWith('log-'),
  );
  const { method, operationId } = EXAMPLE;
  const answered = { level: 'info', method, operationId };
  const always = { time: expect.any(Number) as number, ms: expect.any(Number) as number };
  expect(lines).toEqual([
    { ...always, ...answered, status: SUCCESS, requestId: 'log-1' },
    { ...always, ...answered, status: 400, error: 40001, requestId: 'log-2' },
    { ...always, ...answered, status: 401, error: 40101, requestId: 'log-3' },
    { ...always, level: 'info', method: 'GET', status: 404, error: 40400, requestId: 'log-4' },
  ]);
  expect(server.output()).not.toMatch(/secret|private/);
});

test('logs invalid HTTP, and responds to it with a request id', async () => {
  const [reply] = await exchange(portOf(server), 'hello\r\n\r\n');
  const requestId = reply?.headers['x-request-id'] ?? '';
  expect(reply).toMatchObject({
    status: 400,
    headers: { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' },
  });
  expect((await logUntil(server, requestId)).at(-1)).toMatchObject({ status: 400, error: 40000 });
});

test.each([
  ['a well-formed X-Request-Id', { 'X-Request-Id': 'abc.DEF-1_2' }, /^abc\.DEF-1_2$/],
  [
    'the trace id of a traceparent',
    { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
    /^4bf92f3577b34da6a3ce929d0e0e4736$/,
  ],
  ['a new id for a request without one', {}, /^[\da-f-]{36}$/],
  ['a new id instead of one that is too long', { 'X-Request-Id': 'x'.repeat(129) }, /^[\da-f-]{36}$/],
  ['a new id instead of one with spaces', { 'X-Request-Id': 'a b' }, /^[\da-f-]{36}$/],
])('sends back %s', async (_, headers, expected) => {
  const good = await send(server, headers); // the response may be a conflict: an earlier test may have created the plant
  expect(good.headers.get('x-request-id')).toMatch(expected);
  const bad = await send(server, headers, MISMATCH);
  expect([bad.status, bad.headers.get('x-request-id')]).toEqual([400, expect.stringMatching(expected)]);
});

test('an unexpected error is in the log with its cause, and not in the response', async () => {
  const broken = withHandlers(
    "Promise.reject(new Error('the outer cause', { cause: new Error('the inner cause') }))",
  );
  const server = await startProgram({ API_TOKENS: TOKEN, ...broken });
  const response = await send(server, { 'X-Request-Id': 'broken' });
  const body: unknown = await response.json();
  expect([response.status, body]).toEqual([500, errors.render(errors.toProblem(new Error())).body]);
  const line = (await logUntil(server, 'broken')).at(-1);
  const { operationId } = EXAMPLE;
  expect(line).toMatchObject({ level: 'error', status: 500, error: 50000, operationId });
  expect(JSON.stringify(line)).toMatch(
    /the outer cause.*changed-handlers\.js.*the inner cause.*changed-handlers\.js/,
  );
  expect(await server.stop()).toBe(0);
});
