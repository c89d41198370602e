import { DatabaseSync } from 'node:sqlite';
import {
  addColumn,
  CONCURRENTLY,
  createTable,
  INT64,
  type Migration,
  openDatabase,
  type Schema,
  sql,
  type StoreObserver,
  type Table,
  table,
  TEXT,
} from 'contract-first-database';
import { usePostgres } from '../../../scripts/testing/postgres-bench';
import { useSqlite } from '../../../scripts/testing/sqlite-bench';

// What a start does while somebody else uses the database.

jest.setTimeout(60_000);

const bench = usePostgres();
const sqlite = useSqlite();

/** As the release that made it defines it. */
const old = { id: INT64.primaryKey(), text: TEXT };
const notes = table('notes', { ...old, tag: TEXT.nullable().added() });
const schemaOf = (...migrations: readonly Migration[]) => schemaWith(table('notes', old), ...migrations);
const schemaWith = (made: Table, ...migrations: readonly Migration[]): Schema => ({
  name: 'notes',
  mark: 'Note',
  migrations: [['notes', createTable(made)], ...migrations],
  probe: sql`INSERT INTO notes (id) SELECT id FROM notes WHERE 1 = 0`,
});
const TAGS: Migration = { name: 'tags', oldest: 1, steps: [addColumn(notes.tag)] };
const index = (unique: string, name: string): Migration => ({
  name: 'index',
  oldest: 1,
  transaction: false,
  steps: [
    {
      kind: 'sql',
      strings: [`-- of texts\nCREATE ${unique} INDEX `, ` ${name} ON notes (text)`],
      parts: [CONCURRENTLY],
    },
  ],
});
const TEXTS = index('UNIQUE', 'IF NOT EXISTS "Te--xts"');

/** Opens a database, and closes it. `warned` resolves with the first warning that matches. */
function start(url: string, schema: Schema) {
  const messages: string[] = [];
  let look: () => void = () => undefined;
  const observer: StoreObserver = {
    waiting: () => undefined,
    committed: () => undefined,
    warned(message) {
      messages.push(message);
      look();
    },
  };
  const opened = openDatabase(url, schema, observer).then((database) => database.close());
  opened.catch(() => undefined);
  const warned = (pattern: RegExp) =>
    new Promise<string>((resolve) => {
      look = () => {
        const found = messages.find((message) => pattern.test(message));
        if (found !== undefined) resolve(found);
      };
      look();
    });
  return { opened, warned, messages };
}

const validity = async () => {
  const { rows } = await bench.operator.query<{ valid: boolean }>(
    `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('"Te--xts"')`,
  );
  return rows.map(({ valid }) => valid);
};
async function invalidIndex(): Promise<void> {
  while ((await validity())[0] !== false);
}

test('a long reader delays a migration, and others hardly', async () => {
  await start(bench.url, schemaOf()).opened;
  const reader = await bench.connect();
  await reader.query('BEGIN; SELECT count(*) FROM notes');
  const { opened, warned } = start(bench.url, schemaOf(TAGS));
  expect(await warned(/lock/)).toMatch(
    /^PostgreSQL at .*: migration 2, tags: canceling statement due to lock timeout; trying again for up to 60 s$/,
  );
  // A writer stands behind the migration for no longer than that waits for its lock.
  await bench.operator.query("SET lock_timeout = 2000; INSERT INTO notes VALUES (1, 'one')");
  await reader.query('COMMIT');
  await opened;
});

test.each<[string, (() => Promise<unknown>) | undefined, RegExp]>([
  ['a server that is away', undefined, /ECONNREFUSED/],
  [
    'the lock of a table',
    () => bench.operator.query('BEGIN; LOCK TABLE notes IN ACCESS SHARE MODE'),
    /lock timeout/,
  ],
  [
    'another process',
    () => bench.operator.query('BEGIN; SELECT FROM notes_schema FOR UPDATE'),
    /another process is migrating it/,
  ],
])('a start waits for %s until its time is over, and says so', async (_, occupy, reason) => {
  await start(bench.url, schemaOf()).opened;
  await occupy?.();
  const url = occupy ? bench.url : bench.url.replace(/:\d+/, ':1');
  const { opened, messages } = start(`${url}?start_timeout=700`, schemaOf(TAGS));
  await expect(opened).rejects.toThrow(reason);
  await expect(opened).rejects.toThrow(/; waited 700 ms \(DATABASE_START_TIMEOUT\)$/);
  expect(messages).toEqual([expect.stringMatching(reason)]);
});

test('a start waits for the lock of a SQLite file', async () => {
  const url = `sqlite:${sqlite.file}?start_timeout=60000`;
  await start(url, schemaOf()).opened;
  const other = new DatabaseSync(sqlite.file);
  other.exec('BEGIN IMMEDIATE');
  const { opened, warned } = start(url, schemaOf(TAGS));
  await warned(/another process has kept it locked/);
  other.close();
  await opened;
});

test('a fault is no reason to wait', async () => {
  const wrong: Migration = ['wrong', sql`INSERT INTO notes (id, text) VALUES (1, 'a'), (1, 'b')`];
  for (const url of [bench.url, `sqlite:${sqlite.file}`]) {
    const { opened, messages } = start(url, schemaOf(wrong));
    await expect(opened).rejects.toThrow(/migration 2, wrong: .*unique/i);
    expect(messages).toEqual([]);
  }
});

describe('an index that is made while others write', () => {
  let writer: Awaited<ReturnType<typeof bench.connect>>;
  beforeEach(async () => {
    await start(bench.url, schemaOf()).opened;
    writer = await bench.connect();
    await writer.query("BEGIN; INSERT INTO notes VALUES (1, 'one')");
  });

  test('is made again if it was cut off', async () => {
    const { opened, warned } = start(bench.url, schemaOf(TEXTS));
    await invalidIndex();
    await bench.operator.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '-- of texts%'",
    );
    await warned(/migration 2, index: terminating connection/);
    await writer.query('COMMIT');
    await opened;
    expect(await validity()).toEqual([true]);
  });

  test('is waited for if a process that was killed has left it to the database', async () => {
    const left = await bench.connect();
    const making = left
      .query('CREATE UNIQUE INDEX CONCURRENTLY "Te--xts" ON notes (text)')
      .catch(() => undefined);
    await invalidIndex();
    const { opened } = start(bench.url, schemaOf(TEXTS));
    await bench.somebodyWaits();
    await writer.query('COMMIT');
    await Promise.all([making, opened]);
    expect(await validity()).toEqual([true]);
  });

  test('fails at once where a row is in its way, and is made when that is gone', async () => {
    await writer.query("INSERT INTO notes VALUES (2, 'one'); COMMIT");
    const { opened, messages } = start(bench.url, schemaOf(TEXTS));
    await expect(opened).rejects.toThrow(/migration 2, index: could not create unique index/);
    expect(messages).toEqual([]);
    await bench.operator.query('DELETE FROM notes WHERE id = 2');
    await start(bench.url, schemaOf(TEXTS)).opened;
    expect(await validity()).toEqual([true]);
  });

  test.each(['texts', '', 'IF NOT EXISTS'])('is refused if it could not be found again: %p', async (name) => {
    await expect(start(bench.url, schemaOf(index('', name))).opened).rejects.toThrow(
      'migration 2, index: expected CREATE INDEX CONCURRENTLY IF NOT EXISTS with a name',
    );
  });

  test('is refused where no connection is left for it', async () => {
    await expect(start(`${bench.url}?connections=2`, schemaOf(TEXTS)).opened).rejects.toThrow(
      'migration 2, index: expected connections=3 or more in the URL',
    );
  });
});

describe.each(['sqlite', 'postgres'])('a column of a table that is added() in %s', (kind) => {
  const open = (...migrations: readonly Migration[]) =>
    start(kind === 'sqlite' ? `sqlite:${sqlite.file}` : bench.url, schemaWith(notes, ...migrations)).opened;

  test('without its migration stops the start, which names the migration', async () => {
    const message =
      "no migration adds notes.tag: append { name: 'tag of notes', oldest: 1, steps: [addColumn(notes.tag)] } to migrations";
    await expect(open()).rejects.toThrow(message);
    await expect(open(['other', sql`CREATE TABLE other (id INTEGER)`])).rejects.toThrow(
      message.replace('oldest: 1', 'oldest: 2'),
    );
  });

  test('with its migration, whichever statement adds it, starts', async () => {
    await open(['tags', sql`ALTER TABLE notes ADD COLUMN tag TEXT`]);
  });
});
