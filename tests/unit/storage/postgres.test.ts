import { Client, Pool } from 'pg';
import { StoreUnavailable, type PlantStore } from '../../../src/plants/plant-store';
import { openPostgresStore } from '../../../src/storage/postgres';
import { buildPlant, EDGE_IDS, STRANGE_STRINGS } from '../../support/plants';
import { startPostgres, type Postgres } from '../../support/postgres';

jest.setTimeout(60_000);

let postgres: Postgres;
let url: string;
/** An operator at the same database. */
let operator: Client;
const opened: PlantStore[] = [];

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.remove());

beforeEach(async () => {
  url = await postgres.createDatabase();
  operator = await connect();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(opened.splice(0).map((store) => store.close()));
  await operator.end();
});

async function connect(): Promise<Client> {
  const client = new Client(url);
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function open(at = url): Promise<PlantStore> {
  const store = await openPostgresStore(at);
  opened.push(store);
  return store;
}

/** Resolves when a statement in the database waits for a lock. */
async function somebodyWaits(): Promise<void> {
  const observer = await connect();
  const waiting =
    "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
  while ((await observer.query(waiting)).rowCount === 0);
  await observer.end();
}

/** The URL of the same database for a user who is no superuser and has the given defaults. */
async function createUser(name: string, ...defaults: string[]): Promise<string> {
  await operator.query(`CREATE ROLE ${name} LOGIN`);
  await operator.query(`GRANT ALL ON SCHEMA public TO ${name}`);
  for (const setting of defaults) await operator.query(`ALTER ROLE ${name} SET ${setting}`);
  return url.replace('postgres@', `${name}@`);
}

async function backendsOfStore(): Promise<number[]> {
  const { rows } = await operator.query<{ pid: number }>(
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  return rows.map(({ pid }) => pid);
}

test('the rows are those that were sent, U+0000 and U+0001 as documented', async () => {
  const store = await open();
  const plants = [
    ...EDGE_IDS.map((id) => buildPlant({ id })),
    ...STRANGE_STRINGS.map((text, i) => buildPlant({ id: 1000n + BigInt(i), name: text, tag: text })),
  ];
  await Promise.all(plants.map((plant) => store.create(plant)));
  const { rows } = await operator.query<{ id: string; name: string; tag: string }>('SELECT * FROM plants');
  const decode = (text: string) =>
    text.replace(/\u0001([01])/g, (_, digit) => (digit === '0' ? '\0' : '\u0001'));
  const decoded = rows.map(({ id, name, tag }) => ({ id: BigInt(id), name: decode(name), tag: decode(tag) }));
  expect(new Set(decoded)).toEqual(new Set(plants));
});

test('commits are synced, and seen by those who wait for them, whatever the defaults of the user are', async () => {
  const user = await createUser(
    'hasty',
    'synchronous_commit = off',
    "default_transaction_isolation = 'serializable'",
    'statement_timeout = 0',
  );
  const query = jest.spyOn(Pool.prototype, 'query');
  await open(user);
  const pool = query.mock.contexts[0] as Pool;
  for (const [setting, value] of [
    ['synchronous_commit', 'on'],
    ['transaction_isolation', 'read committed'],
    ['statement_timeout', '4s'],
  ] as const)
    expect((await pool.query(`SHOW ${setting}`)).rows).toEqual([{ [setting]: value }]);
});

test('options of the URL are kept', async () => {
  const query = jest.spyOn(Pool.prototype, 'query');
  await open(`${url}?options=-c%20work_mem%3D7MB`);
  const pool = query.mock.contexts[0] as Pool;
  expect((await pool.query('SHOW work_mem')).rows).toEqual([{ work_mem: '7MB' }]);
});

test('a schema that is up to date needs no privilege to change it', async () => {
  await open();
  await operator.query('CREATE ROLE clerk LOGIN');
  await operator.query(
    'GRANT SELECT, INSERT ON plants TO clerk; GRANT SELECT ON plant_store_schema TO clerk',
  );
  const store = await open(url.replace('postgres@', 'clerk@'));
  await expect(store.create(buildPlant())).resolves.toBe('created');
});

test.each<[string, string, string]>([
  [
    'a newer schema',
    'CREATE TABLE plant_store_schema (id int, version int); INSERT INTO plant_store_schema VALUES (1, 2)',
    'its schema has version 2, this program knows 1: run the newer program',
  ],
  [
    "another program's table of other columns",
    'CREATE TABLE plants (id bigint PRIMARY KEY, species text)',
    'its table plants belongs to another program: use a database of its own',
  ],
  [
    "another program's table without a key",
    'CREATE TABLE plants (id bigint, name text, tag text)',
    'its table plants belongs to another program: use a database of its own',
  ],
])('%s is refused', async (_, sql, message) => {
  await operator.query(sql);
  await expect(open()).rejects.toThrow(message);
});

test('a migration begins only when that of another process has ended', async () => {
  await operator.query(`CREATE TABLE plant_store_schema (id int PRIMARY KEY, version int);
    INSERT INTO plant_store_schema VALUES (1, 0)`);
  await operator.query('BEGIN; SELECT FROM plant_store_schema FOR UPDATE');
  const opening = open();
  await somebodyWaits();
  await operator.query(`SET LOCAL lock_timeout = 500;
    CREATE TABLE plants (id bigint PRIMARY KEY, name text NOT NULL, tag text);
    UPDATE plant_store_schema SET version = 1; COMMIT`);
  await expect((await opening).create(buildPlant())).resolves.toBe('created');
});

test('a server that takes no writes is refused', async () => {
  await open();
  const user = await createUser('reader', 'default_transaction_read_only = on');
  await operator.query('GRANT ALL ON ALL TABLES IN SCHEMA public TO reader');
  await expect(open(user)).rejects.toThrow('name the primary server, not a standby');
});

test('a database that cannot hold every character is refused', async () => {
  await operator.query("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
  await expect(open(url.replace(/[^/]*$/, 'latin'))).rejects.toThrow(
    'expected the encoding UTF8, got LATIN1',
  );
});

test.each([
  ['a database', (at: string) => at.replace(/[^/]*$/, 'nowhere'), 'create the database first'],
  ['a user', (at: string) => at.replace('postgres@', 'nobody:secret@'), 'check the user and the password'],
])('%s that does not exist is refused', async (_, change, advice) => {
  const error = await open(change(url)).catch(String);
  expect(error).toContain(advice);
  expect(error).not.toContain('secret');
});

test('a server that does not come up in time is refused', async () => {
  let now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => (now += 6000));
  await expect(open(url.replace(/:\d+/, ':1'))).rejects.toThrow('start the server, or check host and port');
});

test('when the server is killed under load, what was acknowledged is there and the store recovers by itself', async () => {
  const store = await open();
  let nextId = 0n;
  const acknowledged: bigint[] = [];
  const failures: unknown[] = [];
  let down = false;
  let enough = Infinity;
  let busy: () => void = () => undefined;
  const underLoad = new Promise<void>((resolve) => (busy = resolve));
  const clients = Array.from({ length: 32 }, async () => {
    while (acknowledged.length < enough) {
      const id = nextId++;
      try {
        await store.create(buildPlant({ id }));
        acknowledged.push(id);
        if (acknowledged.length === 2000) busy();
      } catch (error) {
        failures.push(error);
        // Until the server is back every attempt fails within a millisecond.
        if (down) await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
  });
  try {
    await underLoad;
    down = true;
    await postgres.kill();
    await expect(store.ready()).rejects.toThrow(StoreUnavailable);
    await postgres.start();
  } finally {
    enough = acknowledged.length + 1000;
  }
  await Promise.all(clients);
  await expect(store.ready()).resolves.toBeUndefined();
  expect(failures.length).toBeGreaterThan(0);
  for (const failure of failures) expect(failure).toBeInstanceOf(StoreUnavailable);
  operator = await connect();
  const { rows } = await operator.query<{ id: string }>('SELECT id FROM plants');
  const stored = new Set(rows.map(({ id }) => BigInt(id)));
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
});

test('the loss of idle connections is not noticed by anybody', async () => {
  const query = jest.spyOn(Pool.prototype, 'query');
  const store = await open();
  const pool = query.mock.contexts[0] as Pool;
  for (const pid of await backendsOfStore()) await operator.query('SELECT pg_terminate_backend($1)', [pid]);
  while (pool.totalCount > 0) await new Promise((resolve) => pool.once('remove', resolve));
  await expect(store.create(buildPlant())).resolves.toBe('created');
});

test('a batch takes its locks in the order of the ids, so that two batches cannot wait for each other', async () => {
  const store = await open();
  const other = await connect();
  await operator.query("BEGIN; INSERT INTO plants VALUES (1, 'not committed')");
  const outcomes = Promise.all([2n, 1n].map((id) => store.create(buildPlant({ id }))));
  await somebodyWaits();
  // The batch waits for 1, and so must not have 2 yet.
  await other.query("SET lock_timeout = 500; INSERT INTO plants VALUES (2, 'quicker')");
  await operator.query('ROLLBACK');
  expect(await outcomes).toEqual(['conflict', 'created']);
  await other.end();
});

test('a lock that is not released makes the store unavailable for a bounded time only', async () => {
  const store = await open();
  await operator.query('BEGIN; LOCK TABLE plants');
  await expect(store.create(buildPlant())).rejects.toThrow('lock timeout');
  await operator.query('COMMIT');
  await expect(store.create(buildPlant())).resolves.toBe('created');
});

test('a statement that takes too long makes the store unavailable', async () => {
  const store = await open();
  await operator.query(`CREATE FUNCTION nap() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NEW; END';
    CREATE TRIGGER nap BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION nap()`);
  await expect(store.create(buildPlant())).rejects.toThrow('statement timeout');
  await operator.query('DROP TRIGGER nap ON plants');
  await expect(store.create(buildPlant())).resolves.toBe('created');
});

test('a connection that has gone silent is given up and replaced', async () => {
  const store = await open();
  await store.create(buildPlant());
  const silent = await backendsOfStore();
  for (const pid of silent) process.kill(pid, 'SIGSTOP');
  try {
    await expect(store.create(buildPlant())).rejects.toThrow(StoreUnavailable);
    await expect(store.create(buildPlant())).resolves.toBe('unchanged');
  } finally {
    for (const pid of silent) process.kill(pid, 'SIGCONT');
  }
});

test('a server without room for another connection makes the store unavailable until it has some', async () => {
  const store = await open(await createUser('crowd'));
  await operator.query('ALTER ROLE crowd CONNECTION LIMIT 0');
  for (const pid of await backendsOfStore()) await operator.query('SELECT pg_terminate_backend($1)', [pid]);
  await expect(store.ready()).rejects.toThrow(StoreUnavailable);
  await expect(store.create(buildPlant())).rejects.toThrow('too many connections for role "crowd"');
  await operator.query('ALTER ROLE crowd CONNECTION LIMIT -1');
  await expect(store.create(buildPlant())).resolves.toBe('created');
  await expect(store.ready()).resolves.toBeUndefined();
});
