import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { portOf, post, TOKEN } from '../support/client';
import { startPostgres } from '../support/postgres';
import { type Program, startProgram } from '../support/program';
import { exchange } from '../support/wire';

jest.setTimeout(30_000);

const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

let server: Program;
beforeAll(async () => {
  server = await startProgram({ API_TOKENS: TOKEN });
});
afterAll(() => server.stop());

test('says that its answers are nothing else and not to be kept, and not what it is made of', async () => {
  for (const path of ['/plants', '/nowhere', '/-/live', '/-/ready', '/-/metrics', '/-/nowhere']) {
    const { headers } = await fetch(server.url + path);
    expect([path, headers.get('x-content-type-options'), headers.get('cache-control')]).toEqual([
      path,
      'nosniff',
      'no-store',
    ]);
    expect([...headers.keys()]).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/powered|server/)]),
    );
  }
});

test('is live and ready, and answers to nothing else there', async () => {
  const ask = async (path: string, method = 'GET') => {
    const response = await fetch(server.url + path, { method });
    return [response.status, method === 'HEAD' ? '' : await response.json()];
  };
  expect(await ask('/-/live')).toEqual([200, { status: 'live' }]);
  expect(await ask('/-/ready')).toEqual([200, { status: 'ready' }]);
  expect(await ask('/-/ready', 'HEAD')).toEqual([200, '']);
  expect(await ask('/-/ready', 'POST')).toEqual([405, expect.objectContaining({ error: 40500 })]);
  expect(await ask('/-/Live')).toEqual([404, expect.objectContaining({ error: 40400 })]);
  expect(await ask('/-/live/')).toEqual([404, expect.objectContaining({ error: 40400 })]);
});

test('is as ready as its store: not while the database is down, and by itself when it is back', async () => {
  const postgres = await startPostgres();
  const server = await startProgram({ API_TOKENS: TOKEN, DATABASE_URL: await postgres.createDatabase() });
  const ready = async () => {
    const response = await fetch(`${server.url}/-/ready`);
    return [response.status, response.headers.get('retry-after'), await response.json()];
  };
  expect(await ready()).toEqual([200, null, { status: 'ready' }]);
  await postgres.kill();
  expect(await ready()).toEqual([
    503,
    '1',
    { error: 50300, message: expect.stringMatching(/^PostgreSQL at 127\.0\.0\.1/) as string },
  ]);
  expect((await fetch(`${server.url}/-/live`)).status).toBe(200);
  await postgres.start();
  expect(await ready()).toEqual([200, null, { status: 'ready' }]);
  expect(await server.stop()).toBe(0);
  await postgres.remove();
});

test('metrics tell what was asked, refused and written, and of the process', async () => {
  const server = await startProgram({ API_TOKENS: TOKEN, DATABASE_URL: `sqlite:${folder}/metrics.db` });
  await Promise.all(Array.from({ length: 20 }, (_, id) => post(server, { id, name: 'Monstera' })));
  await post(server, {});
  await post(server, { id: 1, name: 'Ficus' });
  await fetch(`${server.url}/a/path/that/nobody/knows`);
  await exchange(portOf(server), 'hello\r\n\r\n');
  const response = await fetch(`${server.url}/-/metrics`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const text = await response.text();
  const value = (name: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')
        .at(-1),
    );
  const answered = 'http_request_duration_seconds_count{operation_id="createPlant",status=';
  expect(value(`${answered}"200"}`)).toBe(20);
  expect(value(`${answered}"400"}`)).toBe(2);
  expect(value('http_request_duration_seconds_count{operation_id="none",status="404"}')).toBe(1);
  expect(value('http_refusals_total{error="40000"}')).toBe(1);
  expect(value('http_refusals_total{error="40001"}')).toBe(1);
  expect(value('http_refusals_total{error="40002"}')).toBe(1);
  expect(value('http_refusals_total{error="40400"}')).toBe(1);
  expect(value('store_batch_plants_sum')).toBe(21);
  expect(value('store_commit_duration_seconds_count{outcome="success"}')).toBe(
    value('store_batch_plants_count'),
  );
  expect(value('store_waiting_creates')).toBe(0);
  expect(value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e6);
  expect(text).not.toMatch(/nobody|Monstera/);
  expect(await server.stop()).toBe(0);
});
