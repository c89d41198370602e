import timers from 'node:timers/promises';
import { createTable, INT64, openDatabase, type Schema, sql, StatementError } from 'contract-first-database';
import { buildPlant } from '../../scripts/testing/plants';
import { usePostgres } from '../../scripts/testing/postgres-bench';

const bench = usePostgres();

test('commits are synced, and seen by those who wait for them, whatever the defaults of the user are', async () => {
  const user = await bench.createUser(
    'hasty',
    'synchronous_commit = off',
    "default_transaction_isolation = 'serializable'",
    'statement_timeout = 0',
  );
  const database = await openDatabase(`${user}?options=-c%20work_mem%3D7MB`, {
    name: 'notes',
    mark: 'Note',
    migrations: [['notes', createTable('notes', sql`id ${INT64} PRIMARY KEY`)]],
    probe: sql`INSERT INTO notes (id) SELECT id FROM notes WHERE 1 = 0`,
  });
  for (const [setting, value] of [
    ['synchronous_commit', 'on'],
    ['transaction_isolation', 'read committed'],
    ['statement_timeout', '4s'],
    ['work_mem', '7MB'], // an option of the URL, which is kept
  ] as const)
    expect(await database.query(sql`SELECT current_setting(${setting}) AS found`)).toEqual([
      { found: value },
    ]);
  await database.close();
});

/** Lets so many insertions find all ids taken, by plants that are deleted before anybody looks at them. */
const takenForAMoment = (times: number) =>
  bench.operator.query(`CREATE SEQUENCE tries;
    CREATE FUNCTION taken() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN IF nextval(''tries'') > ${times} THEN RETURN NEW; END IF; DELETE FROM plants; RETURN NULL; END';
    CREATE TRIGGER taken BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION taken()`);

test.each([
  [1, 'created'],
  [2, 'created'],
  [3, 'StoreUnavailable'],
])(
  'an id that was taken %i times, but whose plant has been deleted meanwhile: %s',
  async (times, outcome) => {
    const store = await bench.open();
    await store.create(buildPlant({ id: 1n, name: 'Monstera' }));
    await takenForAMoment(times);
    const created = store.create(buildPlant({ id: 1n, name: 'Ficus' }));
    expect(await created.catch((error: unknown) => (error as Error).name)).toBe(outcome);
  },
);

test.each([
  ['dropped', 'DROP TABLE plants', 'relation "plants" does not exist'],
  ['renamed', 'ALTER TABLE plants RENAME TO flowers', 'relation "plants" does not exist'],
])(
  'when its table is %s, the fault is that of the program, which is not ready and says why',
  async (_, sql, reason) => {
    const store = await bench.open();
    await bench.operator.query(sql);
    await expect(store.create(buildPlant())).rejects.toThrow(reason);
    await expect(store.create(buildPlant())).rejects.toThrow(StatementError);
    await expect(store.ready()).rejects.toThrow(reason);
  },
);

test('a schema that is up to date needs no privilege to change it', async () => {
  await bench.open();
  await bench.operator.query('CREATE ROLE clerk LOGIN');
  await bench.operator.query(
    'GRANT SELECT, INSERT ON plants TO clerk; GRANT SELECT ON plant_store_schema TO clerk',
  );
  const clerk = bench.url.replace('postgres@', 'clerk@');
  await expect((await bench.open(clerk)).create(buildPlant())).resolves.toBe('created');
  // As version 2.0.0 has left it: whoever may make tables keeps the checksums.
  await bench.operator.query('DROP TABLE plant_store_migrations');
  await expect((await bench.open(clerk)).create(buildPlant())).resolves.toBe('unchanged');
  await bench.open();
  const { rows } = await bench.operator.query('SELECT name FROM plant_store_migrations');
  expect(rows).toEqual([{ name: 'plants' }]);
});

test('a wrong name in the first statement is not blamed on another program', async () => {
  const schema: Schema = {
    name: 'notes',
    mark: 'Note',
    migrations: [['notes', createTable('notes', sql`id ${INT64} PRIMARY KEY`)]],
    probe: sql`INSERT INTO notes (it) SELECT it FROM notes WHERE 1 = 0`,
  };
  const error: unknown = await openDatabase(bench.url, schema).catch((reason: unknown) => reason);
  expect(String(error)).toMatch(/the first use: column "it"/);
});

test.each([
  ['of other columns', 'CREATE TABLE plants (id bigint PRIMARY KEY, species text)'],
  ['without a key', 'CREATE TABLE plants (id bigint, name text, tag text)'],
])("another program's table %s is refused", async (_, sql) => {
  await bench.operator.query(sql);
  await expect(bench.open()).rejects.toThrow(
    'a table of that name belongs to another program: use a separate database',
  );
});

test('a migration begins only when that of another process has ended', async () => {
  await bench.operator.query(`CREATE TABLE plant_store_schema (id int PRIMARY KEY, version int);
    INSERT INTO plant_store_schema VALUES (1, 0)`);
  await bench.operator.query('BEGIN; SELECT FROM plant_store_schema FOR UPDATE');
  const { promise: waits, resolve: warned } = Promise.withResolvers<string>();
  const opening = bench.open(bench.url, { waiting: () => undefined, committed: () => undefined, warned });
  await expect(waits).resolves.toMatch(/another process is migrating it; trying again for up to \d+ s$/);
  await bench.operator.query(`SET LOCAL lock_timeout = 500;
    CREATE TABLE plants (id bigint PRIMARY KEY, name text NOT NULL, tag text);
    UPDATE plant_store_schema SET version = 1; COMMIT`);
  await expect((await opening).create(buildPlant())).resolves.toBe('created');
});

test('a table that another process is making at the same time does no harm', async () => {
  // What the loser of such a race meets: the type of the rows, but no table yet.
  await bench.operator.query('CREATE TYPE plant_store_schema AS ENUM ()');
  jest.spyOn(timers, 'setTimeout').mockImplementationOnce(async () => {
    await bench.operator.query('DROP TYPE plant_store_schema');
  });
  const store = await bench.open();
  await expect(store.create(buildPlant())).resolves.toBe('created');
});

test('a server that takes no writes is refused', async () => {
  await bench.open();
  const user = await bench.createUser('reader', 'default_transaction_read_only = on');
  await bench.operator.query('GRANT ALL ON ALL TABLES IN SCHEMA public TO reader');
  await expect(bench.open(`${user}?start_timeout=0`)).rejects.toThrow(
    /: use the primary server, not a standby \([^)]*\)$/,
  );
});

test('a database that cannot hold every character is refused', async () => {
  await bench.operator.query("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
  await expect(bench.open(bench.url.replace(/[^/]*$/, 'latin'))).rejects.toThrow(
    'expected the encoding UTF8, got LATIN1',
  );
});

test.each([
  ['a database', (at: string) => at.replace(/[^/]*$/, 'nowhere'), 'create the database first'],
  ['a user', (at: string) => at.replace('postgres@', 'nobody:secret@'), 'check the user and the password'],
])('%s that does not exist is refused', async (_, change, advice) => {
  const error = await bench.open(change(bench.url)).catch(String);
  expect(error).toContain(advice);
  expect(error).not.toContain('secret');
});

test('a server that does not come up in time is refused', async () => {
  const warned: string[] = [];
  const observer = {
    waiting: jest.fn(),
    committed: jest.fn(),
    warned: (message: string) => warned.push(message),
  };
  await expect(bench.open(`${bench.url.replace(/:\d+/, ':1')}?start_timeout=500`, observer)).rejects.toThrow(
    /start the server, or check host and port \(connect ECONNREFUSED .*\); waited 500 ms \(DATABASE_START_TIMEOUT\)$/,
  );
  // Once for each reason, and then now and then.
  expect(warned).toEqual([expect.stringMatching(/ECONNREFUSED .*; trying again for up to 1 s$/)]);
});
