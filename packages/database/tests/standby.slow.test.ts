import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { Client } from 'pg';
import { type Database, openDatabase, sql, StoreUnavailable } from 'contract-first-database';
import { type Postgres, startPostgres } from '../../../scripts/testing/postgres';
import { INSERT, VISITS } from '../../../scripts/testing/visits';

/** Connections of a store, one of which watches over the others. */
const POOL = 8;

const COUNT = sql<{ count: bigint }>`SELECT count(*) AS count FROM visits`;

let primary: Postgres;
let standby: Postgres;
let url: string;
let operator: Client;
let database: Database;

beforeAll(async () => {
  const settings = ['synchronous_standby_names=standby', 'wal_keep_size=64MB', 'fsync=off'];
  primary = await startPostgres({ settings });
  standby = await startPostgres({ settings: ['fsync=off'], standbyOf: primary.port });
});
afterAll(() => Promise.all([primary.remove(), standby.remove()]));
beforeEach(async () => {
  url = await primary.createDatabase();
  operator = new Client(url);
  await operator.connect();
  database = await openDatabase(url, VISITS);
});
afterEach(async () => {
  standby.thaw();
  await Promise.all([database.close(), operator.end()]);
});

/** The backends of the store, and how many of them wait for the standby. */
async function backends(): Promise<{ readonly all: number; readonly waiting: number }> {
  const { rows } = await operator.query<{ all: number; waiting: number }>(
    `SELECT count(*)::int AS all, (count(*) FILTER (WHERE wait_event = 'SyncRep'))::int AS waiting
     FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  return rows[0] ?? { all: NaN, waiting: NaN };
}

/** Resolves when an action has succeeded at last. */
async function untilDone(action: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await action();
      return;
    } catch (error) {
      expect(error).toBeInstanceOf(StoreUnavailable);
    }
    await turn();
  }
}

/** The names of the errors of actions. */
const errorsOf = async (actions: readonly Promise<unknown>[]) => {
  const settled = await Promise.allSettled(actions);
  return new Set(settled.map((one) => (one.status === 'rejected' ? (one.reason as Error).name : 'none')));
};

const times = <T>(count: number, action: () => T): T[] => Array.from({ length: count }, action);

test('one readiness check waits for a silent standby, however often it is asked', async () => {
  standby.freeze();
  await expect(database.ready()).rejects.toThrow(StoreUnavailable);
  for (let i = 0; i < 50; i++)
    await expect(database.ready()).rejects.toThrow('the write of an earlier check has not been committed');
  expect(await backends()).toEqual({ all: 1, waiting: 1 });
  await expect(database.query(COUNT)).resolves.toEqual([{ count: 0n }]);
  standby.thaw();
  await untilDone(() => database.ready());
});

test('writes that wait for a silent standby have the places of the pool, and no others', async () => {
  standby.freeze();
  for (let round = 0; round < 3; round++) {
    const writes = times(2 * POOL, () => database.execute(INSERT));
    const transactions = times(POOL, () => database.transaction(({ execute }) => execute(INSERT)));
    expect(await errorsOf([...writes, ...transactions, database.ready()])).toEqual(
      new Set([StoreUnavailable.name]),
    );
    expect((await backends()).all).toBeLessThanOrEqual(POOL);
  }
  expect((await backends()).waiting).toBe(POOL - 1);
  standby.thaw();
  await untilDone(() => database.execute(INSERT));
  await untilDone(() => database.ready());
  const rows = await database.query(COUNT);
  expect(rows).toEqual([{ count: BigInt(POOL) }]);
});

test('while writes wait for a silent standby, rows are read', async () => {
  standby.freeze();
  await errorsOf(times(POOL / 2, () => database.execute(INSERT)));
  await expect(database.execute(INSERT)).rejects.toThrow('4 statements have not ended in time');
  await expect(database.transaction(({ execute }) => execute(INSERT))).rejects.toThrow(
    '4 statements have not ended in time',
  );
  for (let i = 0; i < 20; i++) await expect(database.query(COUNT)).resolves.toEqual([{ count: 0n }]);
});

test('a database with statements that wait for a silent standby can be closed', async () => {
  standby.freeze();
  await errorsOf([database.execute(INSERT), database.transaction(({ execute }) => execute(INSERT))]);
  await database.close();
  await expect(database.ready()).rejects.toThrow('the store is closed');
});

test('a start that waits for a silent standby leaves one backend, however often it tries', async () => {
  standby.freeze();
  let most = 0;
  const over = new AbortController();
  const opening = openDatabase(`${url}?start_timeout=5500`, VISITS).finally(() => {
    over.abort();
  });
  const rejected = expect(opening).rejects.toThrow('waited 5500 ms');
  while (!over.signal.aborted) most = Math.max(most, (await backends()).waiting);
  expect(most).toBe(1);
  await rejected;
});

test('sessions whose backends ended while the network was cut are replaced', async () => {
  const inner: Socket[] = [];
  const outer: Socket[] = [];
  const proxy = createServer((socket) => {
    const server = connect(primary.port, '127.0.0.1');
    for (const each of [socket, server]) each.on('error', () => undefined);
    outer.push(socket.once('end', () => server.end()));
    inner.push(server.once('end', () => socket.end()));
    socket.on('data', (chunk) => server.writable && server.write(chunk));
    server.on('data', (chunk) => socket.write(chunk));
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const { port } = proxy.address() as AddressInfo;
  const store = await openDatabase(url.replace(String(primary.port), String(port)), VISITS);
  try {
    await Promise.all(times(POOL, () => store.execute(INSERT)));
    for (const server of inner) server.removeAllListeners('end').destroy();
    expect(await errorsOf(times(POOL, () => store.execute(INSERT)))).toEqual(
      new Set([StoreUnavailable.name]),
    );
    await untilDone(() => store.execute(INSERT));
  } finally {
    await store.close();
    for (const socket of [...inner, ...outer]) socket.destroy();
    await once(proxy.close(), 'close');
  }
});
