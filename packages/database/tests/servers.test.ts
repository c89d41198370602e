import { chmodSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import {
  type Database,
  openDatabase,
  sql,
  type StoreObserver,
  StoreUnavailable,
  UnusableDatabase,
} from 'contract-first-database';
import { serversOf } from '../src/postgres/servers';
import { readUrl } from '../src/postgres/url';
import { keepFolder } from '../../../scripts/testing/folder';
import { freePort, type Postgres, startPostgres } from '../../../scripts/testing/postgres';
import { INSERT, VISITS } from '../../../scripts/testing/visits';

const PORT = sql<{
  port: string;
  pid: bigint;
}>`SELECT current_setting('port') AS port, pg_backend_pid() AS pid`;

const folder = keepFolder();
const hba = join(folder, 'pg_hba.conf');
let first: Postgres;
let second: Postgres;
let standby: Postgres;
/** Takes connections, and says nothing. */
const mute = createServer();
let silent: number;
let name: string;
const databases: Database[] = [];
const closing: (() => Promise<unknown>)[] = [];
let count = 0;

beforeAll(async () => {
  await once(mute.listen(0, '127.0.0.1'), 'listening');
  silent = (mute.address() as AddressInfo).port;
  writeFileSync(
    hba,
    'host all keeper 127.0.0.1/32 scram-sha-256\nhost all,replication all 127.0.0.1/32 trust\n',
  );
  chmodSync(folder, 0o755);
  first = await startPostgres({ settings: ['wal_keep_size=64MB', 'fsync=off', `hba_file=${hba}`] });
  [second, standby] = await Promise.all([
    startPostgres({ settings: ['fsync=off', 'synchronous_commit=remote_write'] }),
    startPostgres({ settings: ['fsync=off'], standbyOf: first.port }),
  ]);
});
afterAll(() => mute.close());
afterAll(() => Promise.all([first, second, standby].map((server) => server.remove())));
beforeEach(async () => {
  name = `servers_${++count}`;
  await Promise.all([first, second].map((server) => server.createDatabase(name)));
});
afterEach(async () => {
  jest.restoreAllMocks();
  await refuseWrites(first, 'off');
  await Promise.all(databases.splice(0).map((database) => database.close()));
  await Promise.all(closing.splice(0).map((close) => close()));
});

const urlOf = (ports: readonly number[], more = '', user = 'postgres') =>
  `postgres://${user}@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/${name}?start_timeout=0${more}`;

async function open(url: string, observer?: Partial<StoreObserver>): Promise<Database> {
  const ignored = () => undefined;
  const database = await openDatabase(url, VISITS, { waiting: ignored, committed: ignored, ...observer });
  databases.push(database);
  return database;
}

const portOf = async (database: Database) => (await database.query(PORT)).map(({ port }) => Number(port));

/** Runs statements as an operator. */
async function operate({ port }: Postgres, ...statements: readonly string[]): Promise<void> {
  const client = new Client(`postgres://postgres@127.0.0.1:${port}/${name}`);
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** As a server does that is demoted: all its sessions are concerned. */
async function refuseWrites(server: Postgres, value = 'on'): Promise<void> {
  const setting = 'default_transaction_read_only';
  await operate(server, `ALTER SYSTEM SET ${setting} = ${value}`, 'SELECT pg_reload_conf()');
  const client = new Client(`postgres://postgres@127.0.0.1:${server.port}/${name}`);
  await client.connect();
  const shown = async () =>
    (await client.query<Record<string, string>>(`SHOW ${setting}`)).rows[0]?.[setting];
  while ((await shown()) !== value);
  await client.end();
}

/** Resolves when a standby has the database of the test. */
async function caughtUp(): Promise<void> {
  for (;;) {
    try {
      await operate(standby, 'SELECT');
      return;
    } catch (error) {
      expect(error).toMatchObject({ code: '3D000' });
    }
  }
}

test.each([
  ['the first that there is', '', () => [1, first.port, second.port], () => first.port],
  ['the first that takes writes', '', () => [standby.port, second.port], () => second.port],
  [
    'the first primary',
    '&target_session_attrs=primary',
    () => [standby.port, second.port],
    () => second.port,
  ],
  ['one that answers', '&connect_timeout=1', () => [silent, second.port], () => second.port],
  [
    'any, which is left when it refuses a write',
    '&target_session_attrs=any',
    () => [standby.port, second.port],
    () => second.port,
  ],
])('of several servers %s is used', async (_, more, ports, used) => {
  await caughtUp();
  const database = await open(urlOf(ports(), more));
  await database.execute(INSERT);
  expect(await portOf(database)).toEqual([used()]);
});

test('if none of several servers can be used, the reason of each is told', async () => {
  await caughtUp();
  const closed = await freePort();
  let now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => (now += 60_000));
  const opening = open(urlOf([closed, standby.port]));
  await expect(opening).rejects.toThrow(UnusableDatabase);
  await expect(opening).rejects.toThrow(`127.0.0.1:${closed}: connect ECONNREFUSED`);
  await expect(opening).rejects.toThrow(`127.0.0.1:${standby.port}: the server accepts no writes`);
});

test.each([
  ['a server that turns', '', 1],
  ['each of two that turn', '&target_session_attrs=any', 2],
])('%s read-only is left at once, with all connections, and no write fails', async (_, more, left) => {
  await (await open(urlOf([second.port]))).close();
  const database = await open(urlOf([...Array<number>(left).fill(first.port), second.port], more));
  const write = () => database.execute(INSERT);
  const change = () => database.transaction(async ({ execute }) => execute(INSERT));
  await Promise.all([write(), write(), change(), change()]);
  expect(await portOf(database)).toEqual([first.port]);
  await refuseWrites(first);
  await Promise.all([write(), change(), write(), change(), database.ready()]);
  expect(await portOf(database)).toEqual([second.port]);
  expect(await database.query(sql`SELECT count(*) AS count FROM visits`)).toEqual([{ count: 4n }]);
});

test('a connection that began before its server failed does not make it the first to be tried again', async () => {
  const target = readUrl(urlOf([first.port, second.port]));
  const servers = serversOf(target);
  const connect = async () => {
    const { client, server } = await servers.connect();
    closing.push(() => client.end());
    return server;
  };
  const [before, other] = target.servers;
  const connecting = connect();
  if (before) servers.avoid(before);
  expect(await connecting).toBe(before);
  expect(await connect()).toBe(other);
});

test('while the only server takes no writes they are refused, and taken afterwards', async () => {
  const database = await open(urlOf([first.port]));
  await refuseWrites(first);
  for (let i = 0; i < 3; i++)
    await expect(database.execute(INSERT)).rejects.toThrow(
      'use the primary server, not a standby (the server accepts',
    );
  await expect(database.ready()).rejects.toThrow(StoreUnavailable);
  await refuseWrites(first, 'off');
  await expect(database.execute(INSERT)).resolves.toBe(1);
});

test('a connection ends after its lifetime, however often it is used', async () => {
  const database = await open(urlOf([first.port]));
  const [before] = await database.query(PORT);
  expect(await database.query(PORT)).toEqual([before]);
  const later = performance.now() + 60_000;
  jest.spyOn(performance, 'now').mockReturnValue(later);
  const [after] = await database.query(PORT);
  expect(after?.pid).not.toBe(before?.pid);
});

test('a password is read from its file for each new connection', async () => {
  const file = join(folder, 'password');
  await operate(
    first,
    `CREATE ROLE keeper LOGIN PASSWORD 'a b&c%41'`,
    'GRANT ALL ON SCHEMA public TO keeper',
  );
  const url = urlOf([first.port], `&password_file=${encodeURIComponent(file)}`, 'keeper');
  await expect(open(url)).rejects.toThrow('the password file cannot be read: ENOENT');
  writeFileSync(file, '\n');
  await expect(open(url)).rejects.toThrow('is empty');
  execFileSync('mkfifo', [`${file}.pipe`]);
  await expect(open(`${url}.pipe`)).rejects.toThrow('expected a regular file');
  writeFileSync(file, 'wrong');
  await expect(open(url)).rejects.toThrow('check the user and the password');
  writeFileSync(file, 'a b&c%41\n');
  const database = await open(url);
  await operate(first, `ALTER ROLE keeper PASSWORD 'another'`);
  const end = () => database.query(sql`SELECT pg_terminate_backend(pg_backend_pid())`);
  await expect(end()).rejects.toThrow(StoreUnavailable);
  await expect(database.execute(INSERT)).rejects.toThrow('check the user and the password');
  writeFileSync(file, 'another\n');
  await expect(database.execute(INSERT)).resolves.toBe(1);
});

test('settings that keep less than they could are told once', async () => {
  const warned: string[] = [];
  const database = await open(urlOf([second.port]), { warned: (message) => warned.push(message) });
  await Promise.all([1, 2, 3].map(() => database.execute(INSERT)));
  expect(warned).toEqual([
    `PostgreSQL at 127.0.0.1:${second.port}/${name}: fsync is off: a power failure may lose or damage what has been acknowledged`,
    `PostgreSQL at 127.0.0.1:${second.port}/${name}: synchronous_commit is remote_write: a standby that loses power together with the primary may lose what has been acknowledged`,
  ]);
});

/** Names another process to its clients than that of their backend, as a pooler does. @returns its port */
async function startPooler(port: number): Promise<number> {
  const pooler = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    for (const socket of [client, server]) socket.on('error', () => undefined);
    client.pipe(server);
    server.on('data', (bytes) => {
      const key = bytes.indexOf(Buffer.from([0x4b, 0, 0, 0, 12])); // BackendKeyData
      if (key >= 0) bytes.writeUInt32BE(1, key + 5);
      client.write(bytes);
    });
    server.on('end', () => client.end());
  }).listen(0, '127.0.0.1');
  await once(pooler, 'listening');
  closing.push(() => once(pooler.close(), 'close'));
  return (pooler.address() as AddressInfo).port;
}

const READ_SETTINGS = sql<{ value: string }>`SELECT current_setting('synchronous_commit') || ' ' ||
  current_setting('statement_timeout') || ' ' || current_setting('lock_timeout') || ' ' ||
  current_setting('transaction_isolation') AS value`;

test.each([
  ['that do not, are set in each transaction', 'off', '0', 1],
  ['that suffice, are left', 'remote_apply', '3s', 0],
])('behind a pooler defaults %s', async (_, commit, timeout, warnings) => {
  const role = `pooled_${count}`;
  const timeouts = ['statement', 'lock', 'idle_in_transaction_session'];
  await operate(
    first,
    `CREATE ROLE ${role} LOGIN SUPERUSER`,
    `ALTER ROLE ${role} SET synchronous_commit = ${commit}`,
    ...timeouts.map(
      (one) =>
        `ALTER ROLE ${role} SET ${one}_timeout = '${one === 'lock' && timeout !== '0' ? '1s' : timeout}'`,
    ),
  );
  const warned: string[] = [];
  const database = await open(urlOf([await startPooler(first.port)], '', role), {
    warned: (message) => warned.push(message),
  });
  expect(warned.filter((message) => message.includes('a pooler is in between'))).toHaveLength(warnings);
  const value = commit === 'off' ? 'on 4s 2s' : 'remote_apply 3s 1s';
  expect(await database.query(READ_SETTINGS)).toEqual([{ value: `${value} read committed` }]);
  const inTransaction = await database.transaction(({ query }) => query(READ_SETTINGS));
  expect(inTransaction).toEqual([{ value: `${value} serializable` }]);
  await database.execute(INSERT);
  await expect(database.query(sql`SELECT 1 / 0`)).rejects.toThrow('division by zero');
  expect(await database.execute(sql`DELETE FROM visits WHERE seen = 7`)).toBe(0);
  await database.ready();
  expect(await database.query(sql`SELECT count(*) AS count FROM visits`)).toEqual([{ count: 1n }]);
});

test('behind a pooler no migration runs outside of a transaction', async () => {
  const steps = [sql`CREATE INDEX CONCURRENTLY IF NOT EXISTS seen ON visits (seen)`];
  const schema = {
    ...VISITS,
    migrations: [...VISITS.migrations, { name: 'seen', steps, transaction: false as const }],
  };
  const url = urlOf([await startPooler(first.port)]);
  await expect(openDatabase(url, schema)).rejects.toThrow('got a pooler in between');
  databases.push(await openDatabase(urlOf([first.port]), schema), await openDatabase(url, schema));
});
