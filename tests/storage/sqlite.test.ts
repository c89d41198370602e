import { chmodSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreUnavailable } from 'contract-first-database';
import { SqliteDatabase } from '../../packages/database/src/sqlite/engine';
import type { PlantStore } from '../../src/plants/plant-store';
import { buildPlant } from '../../scripts/testing/plants';
import { useSqlite } from '../../scripts/testing/sqlite-bench';
import { EDGE_IDS } from '../../scripts/testing/strange-values';

const bench = useSqlite();

/** Opens a store and the very connection it has. */
async function openWithConnection(): Promise<[PlantStore, SqliteDatabase]> {
  const transaction = jest.spyOn(SqliteDatabase.prototype, 'transaction');
  const store = await bench.open();
  return [store, transaction.mock.contexts[0] as SqliteDatabase];
}

const read = (db: SqliteDatabase, sql: string) => db.value(sql)();

test('every commit is synced to the write-ahead log', async () => {
  const [, connection] = await openWithConnection();
  expect(read(connection, 'PRAGMA journal_mode')).toBe('wal');
  const FULL = 2;
  expect(read(connection, 'PRAGMA synchronous')).toBe(FULL);
});

test('a folder that cannot be created is refused', async () => {
  writeFileSync(join(bench.root, 'a'), '');
  await expect(bench.open(join(bench.root, 'a', 'b', 'plants.db'))).rejects.toThrow(
    'its folder cannot be created: create it',
  );
});

test('a folder in place of the file is refused', async () => {
  mkdirSync(bench.file, { recursive: true });
  await expect(bench.open()).rejects.toThrow('it cannot be opened: this user needs write access');
});

test('what is not a database is refused and left alone', async () => {
  const letter = 'Dear Sir, this is a letter and no database. '.repeat(100);
  mkdirSync(bench.folder);
  writeFileSync(bench.file, letter);
  await expect(bench.open()).rejects.toThrow(
    `SQLite file ${bench.file}: it is not a SQLite database: use another file`,
  );
  expect(readFileSync(bench.file, 'utf8')).toBe(letter);
});

test("another program's database is refused and left alone", async () => {
  mkdirSync(bench.folder);
  bench.byProgram((db) => {
    db.exec('CREATE TABLE plants (id INTEGER PRIMARY KEY, name TEXT, tag TEXT)');
  });
  const before = readFileSync(bench.file);
  await expect(bench.open()).rejects.toThrow('it belongs to another program: use another file');
  expect(readFileSync(bench.file).equals(before)).toBe(true);
});

test('a damaged file is refused', async () => {
  await (await bench.open()).close();
  truncateSync(bench.file, 4096);
  await expect(bench.open()).rejects.toThrow('it is damaged: restore a backup');
});

test('damage that is found later makes the store unavailable', async () => {
  const store = await bench.open();
  await Promise.all(EDGE_IDS.map((id) => store.create(buildPlant({ id }))));
  await store.close();
  const bytes = readFileSync(bench.file);
  bytes.fill(0xff, 12_288, 16_384); // the page of the table, after those of the migrations
  writeFileSync(bench.file, bytes);
  await expect((await bench.open()).create(buildPlant())).rejects.toThrow('it is damaged: restore a backup');
});

test('a file that may only be read is refused', async () => {
  await (await bench.open()).close();
  chmodSync(bench.file, 0o444);
  chmodSync(bench.folder, 0o555);
  chmodSync(bench.root, 0o755);
  // Root may write whatever it likes, and so must be somebody else for a moment.
  const isRoot = process.getuid?.() === 0;
  try {
    if (isRoot) process.seteuid?.(65_534);
    await expect(bench.open()).rejects.toThrow(
      'it is not writable: give this user write access to the file and its folder',
    );
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(bench.folder, 0o755);
  }
});

test('on a full disk nothing is acknowledged; with room again the store recovers', async () => {
  const [store, connection] = await openWithConnection();
  const used = read(connection, 'PRAGMA page_count') as number;
  connection.exec(`PRAGMA max_page_count = ${used + 2}`);
  const plants = Array.from({ length: 50 }, (_, i) => buildPlant({ id: BigInt(i), name: 'x'.repeat(1000) }));
  const createAll = () => Promise.allSettled(plants.map((plant) => store.create(plant)));
  for (const outcome of await createAll()) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'StoreUnavailable' } });
    expect(outcome).toHaveProperty(
      'reason.message',
      expect.stringContaining('the disk is full: free some space'),
    );
  }
  connection.exec(`PRAGMA max_page_count = ${used + 1000}`);
  expect(await createAll()).toEqual(plants.map(() => ({ status: 'fulfilled', value: 'created' })));
});

test('waits for the commit of another process without blocking the event loop', async () => {
  const store = await bench.open();
  const other = new DatabaseSync(bench.file);
  other.exec('BEGIN IMMEDIATE');
  const created = store.create(buildPlant());
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
  other.exec('COMMIT');
  other.close();
  await expect(created).resolves.toBe('created');
});

test('gives up when another process keeps the file locked', async () => {
  const store = await bench.open();
  const other = new DatabaseSync(bench.file);
  other.exec('BEGIN IMMEDIATE');
  let now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => (now += 3000));
  await expect(store.create(buildPlant())).rejects.toThrow(StoreUnavailable);
  await expect(store.ready()).rejects.toThrow('another process has kept it locked for 5 seconds');
  other.close();
  await expect(store.create(buildPlant())).resolves.toBe('created');
  await expect(store.ready()).resolves.toBeUndefined();
});
