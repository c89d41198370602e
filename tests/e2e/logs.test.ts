import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { portOf, post, TOKEN } from '../support/client';
import { type Program, startProgram } from '../support/program';
import { exchange } from '../support/wire';

jest.setTimeout(30_000);

const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** The lines that the program has written to its log, once the last of them tells of this request. */
async function logUntil(program: Program, requestId: string): Promise<Record<string, unknown>[]> {
  await program.printed(new RegExp(`"requestId":"${requestId}".*\n`));
  const lines = program.output().trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

let server: Program;
beforeAll(async () => {
  server = await startProgram({ API_TOKENS: TOKEN });
});
afterAll(() => server.stop());

test('writes one line for each request, with nothing in it that is secret or of the body', async () => {
  const ask = (requestId: string, body: object, headers = {}) =>
    post(server, body, { 'X-Request-Id': requestId, ...headers });
  await ask('log-1', { id: 11, name: 'Monstera' });
  await ask('log-2', { id: 11, name: 'Ficus' });
  await ask('log-3', { 'a-very-private-key': 'a-very-private-value' });
  await ask('log-4', {}, { Authorization: 'Bearer another-secret-token' });
  await fetch(`${server.url}/secret-path?secret-query`, { headers: { 'X-Request-Id': 'log-5' } });
  const lines = (await logUntil(server, 'log-5')).filter(({ requestId }) =>
    String(requestId).startsWith('log-'),
  );
  const answered = { level: 'info', method: 'POST', operationId: 'createPlant' };
  const always = { time: expect.any(Number) as number, ms: expect.any(Number) as number };
  expect(lines).toEqual([
    { ...always, ...answered, status: 200, requestId: 'log-1' },
    { ...always, ...answered, status: 400, error: 40002, requestId: 'log-2' },
    { ...always, ...answered, status: 400, error: 40001, requestId: 'log-3' },
    { ...always, ...answered, status: 401, error: 40101, requestId: 'log-4' },
    { ...always, level: 'info', method: 'GET', status: 404, error: 40400, requestId: 'log-5' },
  ]);
  expect(server.output()).not.toMatch(/secret|private|Monstera|Ficus/);
});

test('tells of what never became a request, and answers it with an id too', async () => {
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
  ['a new id where there is none', {}, /^[\da-f-]{36}$/],
  ['a new id in place of one that is too long', { 'X-Request-Id': 'x'.repeat(129) }, /^[\da-f-]{36}$/],
  ['a new id in place of one with spaces', { 'X-Request-Id': 'a b' }, /^[\da-f-]{36}$/],
])('sends back %s', async (_, headers, expected) => {
  const good = await post(server, { id: 1, name: 'Monstera' }, headers);
  expect([good.status, good.headers.get('x-request-id')]).toEqual([200, expect.stringMatching(expected)]);
  const bad = await post(server, {}, headers);
  expect([bad.status, bad.headers.get('x-request-id')]).toEqual([400, expect.stringMatching(expected)]);
});

/** Breaks a function of the program when it starts. */
function sabotage(file: string, code: string): string {
  const path = join(folder, file);
  writeFileSync(path, code);
  return `--require=${path}`;
}

test('an unforeseen error is told whole in the log, and not at all to the client', async () => {
  const broken = sabotage(
    'broken-store.js',
    `require(${JSON.stringify(join(__dirname, '../../dist/storage/memory.js'))}).openMemoryStore = () => ({
      create: () => Promise.reject(new Error('the outer cause', { cause: new Error('the inner cause') })),
      close: () => Promise.resolve(),
    });`,
  );
  const server = await startProgram({ API_TOKENS: TOKEN, NODE_OPTIONS: broken });
  const response = await post(server, { id: 1, name: 'Monstera' }, { 'X-Request-Id': 'broken' });
  expect([response.status, await response.text()]).toEqual([
    500,
    '{"error":50000,"message":"the server failed to answer this request"}',
  ]);
  const line = (await logUntil(server, 'broken')).at(-1);
  expect(line).toMatchObject({ level: 'error', status: 500, error: 50000, operationId: 'createPlant' });
  expect(JSON.stringify(line)).toMatch(
    /the outer cause.*broken-store\.js.*the inner cause.*broken-store\.js/,
  );
  expect(await server.stop()).toBe(0);
});

test('why the store is not available is told in the log, and not to the client', async () => {
  const file = join(folder, 'plants.db');
  const server = await startProgram({ API_TOKENS: TOKEN, DATABASE_URL: `sqlite:${file}` });
  const database = new Database(file);
  database.exec('DROP TABLE plants');
  database.close();
  const response = await post(server, { id: 1, name: 'Monstera' }, { 'X-Request-Id': 'dropped' });
  expect([response.status, await response.text()]).toEqual([
    503,
    '{"error":50300,"message":"the store is not available now"}',
  ]);
  expect((await logUntil(server, 'dropped')).at(-1)).toMatchObject({
    level: 'warn',
    status: 503,
    error: 50300,
    msg: `SQLite file ${file}: no such table: plants`,
  });
  expect(await server.stop()).toBe(0);
});
