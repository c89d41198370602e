import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { bodyWith, EXAMPLE, exampleMessage, SUCCESS } from '../../scripts/testing/client';
import { keepFolder } from '../../scripts/testing/folder';
import { startPostgres } from '../../scripts/testing/postgres';
import { startProcess } from '../../scripts/testing/process';
import { failProgram, type Program, startProgram, withHandlers } from '../../scripts/testing/program';
import { TOKEN } from '../../scripts/testing/plant-service';

jest.setTimeout(600_000);

const folder = keepFolder();
const started: Program[] = [];
afterEach(async () => {
  for (const { stop } of started.splice(0)) await stop('SIGKILL');
});

const newFile = () => `sqlite:${mkdtempSync(join(folder, 'db-'))}/plants.db`;

async function start(env: Readonly<Record<string, string>> = {}): Promise<Program> {
  const server = await startProgram({ WORKERS: '2', DATABASE_URL: newFile(), API_TOKENS: TOKEN, ...env });
  started.push(server);
  await server.printed(/"msg":"listening on (http:\S+) \(documentation: \1\/-\/docs\)"/);
  return server;
}

/** The process ids of the workers that have listened last, by their number. */
const workersOf = ({ output }: Program): Map<number, number> =>
  new Map(
    [...output().matchAll(/"worker":(\d+),"pid":(\d+),"msg":"a worker listens"/g)].map(([, worker, pid]) => [
      Number(worker),
      Number(pid),
    ]),
  );

/** Each on a connection of its own, since a connection stays with its worker. */
async function createPlants({ url }: Program, ids: readonly number[], token = TOKEN): Promise<number[]> {
  const message = exampleMessage(token);
  const answers = ids.map(async (id) => {
    const headers = { ...message.headers, Connection: 'close' };
    const body = bodyWith(message, { id });
    return (await fetch(url + EXAMPLE.path, { method: EXAMPLE.method, headers, body })).status;
  });
  return Promise.all(answers);
}

const range = (count: number, first = 1) => Array.from({ length: count }, (_, i) => first + i);
const statusOf = async ({ url }: Program, path: string) => (await fetch(url + path)).status;

async function counted(server: Program): Promise<number> {
  const text = await (await fetch(`${server.url}/-/metrics`)).text();
  const values = [...text.matchAll(/^http_request_duration_seconds_count\{.*"createPlant".*\} (\d+)$/gm)];
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}

/** Asks again until the answer is the expected one. A test that waits in vain ends by its timeout. */
async function until<T>(expected: T, ask: () => Promise<T>): Promise<void> {
  while ((await ask()) !== expected) continue;
}

/** Resolves when a process has ended; a zombie has too. */
async function gone(pid: number): Promise<void> {
  const state = () => {
    try {
      return Promise.resolve(/\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? '');
    } catch {
      return Promise.resolve('Z');
    }
  };
  await until('Z', async () => {
    await new Promise(setImmediate);
    return state();
  });
}

test('workers are one server: its token, quota, metrics, log and end', async () => {
  const server = await start({ API_TOKENS: '', RATE_LIMIT: '40/60s' });
  await server.printed(/Bearer \S+/);
  const token = /Bearer ([\w-]+)/.exec(server.output())?.[1] ?? '';
  const statuses = await createPlants(server, range(60), token);
  expect(statuses.filter((status) => status === SUCCESS)).toHaveLength(40);
  expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  expect(await counted(server)).toBe(60);
  expect(await statusOf(server, '/-/ready')).toBe(200);
  expect(await server.stop()).toBe(0);
  const lines = server
    .output()
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as object] : []));
  expect(lines.filter((line) => 'status' in line)).toHaveLength(60);
  for (const worker of [1, 2])
    expect(lines).toContainEqual(expect.objectContaining({ worker, status: SUCCESS }));
  expect(server.output().match(/Bearer/g)).toHaveLength(1);
  expect(server.output().match(/listening on/g)).toHaveLength(1);
  expect(server.output().match(/applied migration/g)).toHaveLength(1);
});

test('a worker that is killed is replaced; the server is not ready meanwhile, and no counter falls', async () => {
  const server = await start({ OPS_PORT: '0' });
  const [, ops = ''] = await server.printed(/probes and metrics on (http:\S+\d)/);
  await createPlants(server, range(20));
  expect(await counted({ ...server, url: ops })).toBe(20);
  const before = workersOf(server);
  process.kill(before.get(1) ?? 0, 'SIGKILL');
  await server.printed(/"worker":1,"exit":"SIGKILL"/);
  expect(await statusOf({ ...server, url: ops }, '/-/ready')).toBe(503);
  await until(200, () => statusOf({ ...server, url: ops }, '/-/ready'));
  expect(workersOf(server).get(1)).not.toBe(before.get(1));
  expect(await createPlants(server, range(20, 21))).toEqual(range(20).map(() => SUCCESS));
  expect(await counted({ ...server, url: ops })).toBe(40);

  for (const pid of workersOf(server).values()) process.kill(pid, 'SIGKILL');
  await server.printed(/"worker":2,"exit":"SIGKILL"/);
  await until(200, () => statusOf({ ...server, url: ops }, '/-/ready'));
  expect(await createPlants(server, range(20))).toEqual(range(20).map(() => SUCCESS));
  expect(await server.stop()).toBe(0);
});

test('while a worker is frozen the server is neither ready nor live', async () => {
  const server = await start({ OPS_PORT: '0' });
  const [, ops = ''] = await server.printed(/probes and metrics on (http:\S+\d)/);
  const [frozen = 0] = workersOf(server).values();
  const statuses = () =>
    Promise.all(['/-/live', '/-/ready'].map((path) => statusOf({ ...server, url: ops }, path)));
  expect(await statuses()).toEqual([200, 200]);
  process.kill(frozen, 'SIGSTOP');
  await until(503, () => statusOf({ ...server, url: ops }, '/-/ready'));
  expect(await statuses()).toEqual([503, 503]);
  process.kill(frozen, 'SIGCONT');
  await until(200, () => statusOf({ ...server, url: ops }, '/-/ready'));
  expect(await statuses()).toEqual([200, 200]);
  process.kill(frozen, 'SIGSTOP');
  void server.stop();
  await until(true, async () => (await (await fetch(`${ops}/-/ready`)).text()).includes('shutting down'));
  expect(await server.stop()).toBe(1);
  await gone(frozen);
});

test('a worker that is frozen does not keep the server from its end', async () => {
  const server = await start({ SHUTDOWN_TIMEOUT: '100' });
  const [frozen = 0] = workersOf(server).values();
  process.kill(frozen, 'SIGSTOP');
  expect(await server.stop()).toBe(1);
  expect(server.output()).toMatch(/"worker":1,"exit":"SIGKILL",[^]*"msg":"stopped"\}\n$/);
  await gone(frozen);
});

test('a worker that starts while the server drains is not ready either; one that has not started is no fault', async () => {
  const flag = join(mkdtempSync(join(folder, 'flag-')), 'flag');
  const hang = `if (fs.existsSync(${JSON.stringify(flag)})) {
  fs.writeSync(1, 'it hangs\\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}`;
  const env = withHandlers('handler(request)', `const fs = require('node:fs'); ${hang}`);
  const server = await start({ ...env, SHUTDOWN_DELAY: '3600000' });
  const ended = server.stop();
  await server.printed(/"msg":"draining"/);
  const position = server.output().length;
  for (const pid of workersOf(server).values()) process.kill(pid, 'SIGKILL');
  await server.printed(/(a worker listens[^]*){2}/, position);
  expect(await statusOf(server, '/-/ready')).toBe(503);
  writeFileSync(flag, '');
  process.kill(workersOf(server).get(1) ?? 0, 'SIGKILL');
  await server.printed(/it hangs/);
  server.signal('SIGTERM');
  expect(await ended).toBe(0);
});

test.each(['SIGKILL', 'SIGHUP'] as const)('%s of the primary ends the workers', async (signal) => {
  const server = await start();
  const pids = [...workersOf(server).values()];
  expect(pids).toHaveLength(2);
  await server.stop(signal);
  await Promise.all(pids.map(gone));
});

test('a signal to all processes, as a terminal sends it, is one; a second one ends them at once', async () => {
  const server = await start(
    withHandlers(
      `new Promise((resolve) => { process.once('SIGINT', () => resolve(handler(request))); console.log('entered'); })`,
    ),
  );
  const answered = createPlants(server, range(10));
  await server.printed(/(entered\n[^]*){10}/);
  const pids = [...workersOf(server).values()];
  for (const pid of pids) process.kill(pid, 'SIGINT');
  const ended = server.stop('SIGINT');
  expect(await answered).toEqual(range(10).map(() => SUCCESS));
  expect(await ended).toBe(0);

  const other = await start(withHandlers(`new Promise(() => console.log('entered'))`));
  void createPlants(other, [1]).catch(() => undefined);
  await other.printed(/entered/);
  void other.stop('SIGTERM');
  await other.printed(/"msg":"stopping"/);
  expect(await other.stop('SIGTERM')).toBe(1);
  await Promise.all([...workersOf(other).values()].map(gone));
});

test('an uncaught exception ends one worker after its requests, and another takes its place', async () => {
  const server = await start(
    withHandlers(`(setImmediate(() => { throw new Error('left behind') }), handler(request))`),
  );
  expect(await createPlants(server, [1])).toEqual([SUCCESS]);
  await server.printed(/"level":"fatal".*left behind/);
  await server.printed(/"exit":1,"msg":"a worker exited/);
  await until(200, () => statusOf(server, '/-/ready'));
  expect(await server.stop()).toBe(0);
});

test('lines of several workers do not mix, however long', async () => {
  const letters = 300_000;
  const server = await start(
    withHandlers(`(console.log(String(process.pid % 10).repeat(${letters})), handler(request))`),
  );
  await createPlants(server, range(3));
  expect(await server.stop()).toBe(0);
  const long = server
    .output()
    .split('\n')
    .filter((line) => line.length > 1000);
  expect(long.map((line) => /^(\d)\1*$/.test(line) && line.length)).toEqual([letters, letters, letters]);
});

test('a signal before all workers listen ends all at once', async () => {
  const silent = createServer(); // a database that does not answer
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const connected = once(silent, 'connection');
  const { port } = silent.address() as AddressInfo;
  const main = join(__dirname, '../../dist/main.js');
  const server = startProcess([main], {
    WORKERS: '2',
    DATABASE_URL: `postgres://127.0.0.1:${port}/x`,
    PORT: '0',
  });
  const [socket] = (await connected) as [Socket];
  const closed = once(socket.resume(), 'close');
  expect(await server.stop()).toBe(0);
  await closed;
  silent.close();
});

const taken = createServer();
beforeAll(() => new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve)));
afterAll(() => taken.close());

const WRONG: readonly [string, () => Record<string, string>, RegExp][] = [
  ['none', () => ({ WORKERS: '0' }), /^WORKERS: expected an integer from 1 to 64, got "0"$/],
  ['too many', () => ({ WORKERS: '65' }), /^WORKERS: expected an integer from 1 to 64, got "65"$/],
  ['memory:', () => ({ DATABASE_URL: 'memory:' }), /^DATABASE_URL: expected a database that 2 workers/],
  [
    'a bound below one each',
    () => ({ MAX_REQUESTS: '1' }),
    /^MAX_REQUESTS: expected at least one for each of 2/,
  ],
  [
    'too few connections',
    () => ({ DATABASE_URL: 'postgres://127.0.0.1/x?connections=3' }),
    /^DATABASE_URL: expected connections=4 or more for 2 workers, got 3$/,
  ],
  [
    'a port in use',
    () => ({ PORT: String((taken.address() as AddressInfo).port) }),
    /^PORT: port \d+ is already in use$/,
  ],
  [
    'a port of probes in use',
    () => ({ OPS_PORT: String((taken.address() as AddressInfo).port) }),
    /^OPS_PORT: port \d+ is already in use$/,
  ],
  ['a broken database', () => ({ DATABASE_URL: 'sqlite:/dev/null/plants.db' }), /^DATABASE_URL: SQLite file/],
];
test.each(WRONG)('the start fails as a whole, with one message: %s', async (_, env, message) => {
  const { status, output } = await failProgram({
    WORKERS: '2',
    DATABASE_URL: newFile(),
    API_TOKENS: TOKEN,
    ...env(),
  });
  expect(output.split('\n').filter((line) => line !== '' && !line.startsWith('{'))).toEqual([
    expect.stringMatching(message),
  ]);
  expect(status).toBe(1);
});

test('on a PostgreSQL all workers have the connections of one process', async () => {
  const postgres = await startPostgres();
  try {
    const url = await postgres.createDatabase();
    const server = await start({ DATABASE_URL: url });
    const client = new Client(url);
    await client.connect();
    let most = 0;
    for (let round = 0; round < 20; round++) {
      const [statuses, { rows }] = await Promise.all([
        createPlants(server, range(30, round * 30)),
        client.query<{ count: string }>(
          'SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        ),
      ]);
      expect(new Set(statuses)).toEqual(new Set([SUCCESS]));
      most = Math.max(most, Number(rows[0]?.count));
    }
    await client.end();
    expect(most).toBeGreaterThanOrEqual(2);
    expect(most).toBeLessThanOrEqual(8);
    expect(await server.stop()).toBe(0);
  } finally {
    await postgres.remove();
  }
});
