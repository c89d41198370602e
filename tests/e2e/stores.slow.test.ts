import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { keepFolder } from '../../scripts/testing/folder';
import { EXAMPLE, metricsOf, send } from '../../scripts/testing/client';
import { startPostgres } from '../../scripts/testing/postgres';
import { logUntil, type Program, useServers } from '../../scripts/testing/program';
import { TOKEN } from '../../scripts/testing/plant-service';
import { byProgram } from '../../scripts/testing/sqlite-file';

const start = useServers({ API_TOKENS: TOKEN });

const folder = keepFolder();

const MONSTERA = { id: 1, name: 'Monstera', tag: 'tropical' };
const FICUS = { ...MONSTERA, name: 'Ficus' };

const create = (server: Program, plant: object, headers = {}) => send(server, headers, JSON.stringify(plant));

/** Asks until the answer has this status: one answer holds for a second. */
async function statusOfReady(server: Program, status: number): Promise<void> {
  while ((await fetch(`${server.url}/-/ready`)).status !== status);
}

test('the first minutes of a plant store, across a restart', async () => {
  const file = join(folder, 'made', 'for', 'it', 'plants.db');
  const env = { DATABASE_URL: `sqlite:${file}`, API_TOKENS: `other, ${TOKEN}` };

  const first = await start(env);
  expect(first.output()).toContain('applied migration 1, plants');
  const created = await create(first, MONSTERA);
  expect([created.status, await created.json()]).toEqual([200, { name: 'Monstera', tag: 'tropical' }]);
  expect(await (await create(first, MONSTERA)).json()).toEqual({ name: 'Monstera', tag: 'tropical' });
  const other = await create(first, FICUS, { 'X-Request-Id': 'conflict' });
  expect((await logUntil(first, 'conflict')).at(-1)).toMatchObject({
    level: 'info',
    status: 400,
    error: 40002,
  });
  expect([other.status, await other.json()]).toEqual([
    400,
    { error: 40002, message: expect.any(String) as string },
  ]);
  const anonymous = await fetch(`${first.url}/plants`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(MONSTERA),
  });
  expect([anonymous.status, await anonymous.json()]).toEqual([
    401,
    expect.objectContaining({ error: 40100 }),
  ]);
  expect(anonymous.headers.get('www-authenticate')).toBe('Bearer realm="api"');
  expect(await first.stop('SIGTERM')).toBe(0);
  expect(first.output()).not.toMatch(/Monstera|Ficus|tropical/);

  const second = await start(env);
  expect(second.output()).not.toContain('migration');
  expect((await create(second, MONSTERA)).status).toBe(200);
  expect((await create(second, FICUS)).status).toBe(400);
  expect(await second.stop('SIGINT')).toBe(0);

  const stored = byProgram(file, (db) => db.prepare('SELECT id, name, tag FROM plants').all());
  expect(stored).toEqual([{ ...MONSTERA, id: BigInt(MONSTERA.id) }]);
});

test('a fault of the program is 500: the log has its statement, its code and its stack, the response none of them', async () => {
  const file = join(folder, 'dropped.db');
  const server = await start({ DATABASE_URL: `sqlite:${file}` });
  byProgram(file, (db) => {
    db.exec('DROP TABLE plants');
  });
  const response = await create(server, MONSTERA, { 'X-Request-Id': 'dropped' });
  expect([response.status, response.headers.get('retry-after'), await response.text()]).toEqual([
    500,
    null,
    '{"error":50000,"message":"the server failed to answer this request"}',
  ]);
  expect((await logUntil(server, 'dropped')).at(-1)).toMatchObject({
    level: 'error',
    status: 500,
    error: 50000,
    err: {
      type: 'StatementError',
      statement: expect.stringContaining('INSERT INTO plants') as string,
      code: 'SQLITE_ERROR',
      message: `SQLite file ${file}: no such table: plants`,
      stack: expect.stringContaining('plants.js') as string,
    },
  });
});

test('a moved database file makes the store unavailable and logs the reason; moved back, the store is available', async () => {
  const file = join(folder, 'moved.db');
  const server = await start({ DATABASE_URL: `sqlite:${file}` });
  const move = (from: string, to: string) => {
    for (const end of ['', '-wal', '-shm']) renameSync(from + end, to + end);
  };
  expect((await create(server, MONSTERA)).status).toBe(200);
  move(file, `${file}.old`);
  expect((await create(server, FICUS, { 'X-Request-Id': 'moved' })).status).toBe(503);
  expect((await logUntil(server, 'moved')).at(-1)).toMatchObject({
    level: 'warn',
    msg: `SQLite file ${file}: it has been deleted or moved: put it back, or restart the server`,
  });
  expect((await fetch(`${server.url}/-/ready`)).status).toBe(503);
  move(`${file}.old`, file);
  await statusOfReady(server, 200);
  expect((await create(server, { id: 3, name: 'Yucca' })).status).toBe(200);
});

test('is not ready while the database is down, and ready again when it is back', async () => {
  const postgres = await startPostgres();
  const server = await start({ DATABASE_URL: await postgres.createDatabase() });
  const ready = async () => {
    const response = await fetch(`${server.url}/-/ready`);
    return [response.status, response.headers.get('retry-after'), await response.json()];
  };
  expect(await ready()).toEqual([200, null, { status: 'ready' }]);
  await postgres.kill();
  await statusOfReady(server, 503);
  expect(await ready()).toEqual([503, '1', { error: 50300, message: 'the store is not available' }]);
  await server.printed(/not ready: PostgreSQL at 127\.0\.0\.1/);
  expect((await fetch(`${server.url}/-/live`)).status).toBe(200);
  await postgres.start();
  await statusOfReady(server, 200);
  expect(await ready()).toEqual([200, null, { status: 'ready' }]);
  await server.printed(/ready again/);
  expect(await server.stop()).toBe(0);
  await postgres.remove();
});

test('metrics count creations and commits', async () => {
  const server = await start({ DATABASE_URL: `sqlite:${folder}/metrics.db` });
  await Promise.all(Array.from({ length: 20 }, (_, id) => create(server, { id, name: 'Monstera' })));
  await create(server, {});
  await create(server, FICUS);
  const metrics = await metricsOf(server);
  const answered = `http_request_duration_seconds_count{operation_id="${EXAMPLE.operationId}",status=`;
  expect(metrics.get(`${answered}"200"}`)).toBe(20);
  expect(metrics.get(`${answered}"400"}`)).toBe(2);
  expect(metrics.get('http_refusals_total{error="40001"}')).toBe(1);
  expect(metrics.get('http_refusals_total{error="40002"}')).toBe(1);
  expect(metrics.get('store_batch_size_sum')).toBe(21);
  expect(metrics.get('store_commit_duration_seconds_count{outcome="success"}')).toBe(
    metrics.get('store_batch_size_count'),
  );
  expect(metrics.get('store_waiting_creates')).toBe(0);
  expect([...metrics.keys()].join('\n')).not.toContain('Monstera');
});
