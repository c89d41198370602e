import Database from 'better-sqlite3';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlantStore } from '../../../src/plants/plant-store';
import { StoreUnavailable } from '../../../src/database';
import { openPlantStore } from '../../../src/storage/plants';
import { buildPlant } from '../../support/plants';
import { EDGE_IDS, STRANGE_STRINGS } from '../../support/strange-values';

let folder: string;
let file: string;
const opened: PlantStore[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
  file = join(folder, 'plants.db');
});

afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(opened.splice(0).map((store) => store.close()));
  rmSync(folder, { recursive: true });
});

async function open(path = file): Promise<PlantStore> {
  const store = await openPlantStore(`sqlite:${path}`);
  opened.push(store);
  return store;
}

/** Opens a store and the very connection it has. */
async function openWithConnection(): Promise<[PlantStore, Database.Database]> {
  const transaction = jest.spyOn(Database.prototype, 'transaction');
  const store = await open();
  return [store, transaction.mock.contexts[0] as Database.Database];
}

const read = (db: Database.Database, sql: string) => db.prepare(sql).pluck().get();

function withDatabase(action: (db: Database.Database) => void): void {
  const db = new Database(file);
  action(db);
  db.close();
}

test('every commit is synced to the write-ahead log', async () => {
  const [, connection] = await openWithConnection();
  expect(read(connection, 'PRAGMA journal_mode')).toBe('wal');
  const FULL = 2;
  expect(read(connection, 'PRAGMA synchronous')).toBe(FULL);
});

test('the rows are those that were sent, bit by bit', async () => {
  const store = await open();
  const plants = [
    ...EDGE_IDS.map((id) => buildPlant({ id })),
    ...STRANGE_STRINGS.map((text, i) => buildPlant({ id: 1000n + BigInt(i), name: text, tag: text })),
  ];
  await Promise.all(plants.map((plant) => store.create(plant)));
  withDatabase((db) => {
    const rows = db.prepare('SELECT id, name, tag FROM plants').safeIntegers().all();
    expect(new Set(rows)).toEqual(new Set(plants));
  });
});

test('missing folders are created', async () => {
  const store = await open(join(folder, 'a', 'b', 'plants.db'));
  await expect(store.create(buildPlant())).resolves.toBe('created');
});

test('a folder that cannot be created is refused', async () => {
  writeFileSync(join(folder, 'a'), '');
  await expect(open(join(folder, 'a', 'b', 'plants.db'))).rejects.toThrow(
    'its folder cannot be created: make it',
  );
});

test('a folder in place of the file is refused', async () => {
  mkdirSync(file);
  await expect(open()).rejects.toThrow('it cannot be opened: it must be a file that this user may write');
});

test('what is not a database is refused and left alone', async () => {
  const letter = 'Dear Sir, this is a letter and no database. '.repeat(100);
  writeFileSync(file, letter);
  await expect(open()).rejects.toThrow(`SQLite file ${file}: it is not a SQLite database: name another file`);
  expect(readFileSync(file, 'utf8')).toBe(letter);
});

test("another program's database is refused and left alone", async () => {
  withDatabase((db) => db.exec('CREATE TABLE plants (id INTEGER PRIMARY KEY, name TEXT, tag TEXT)'));
  const before = readFileSync(file);
  await expect(open()).rejects.toThrow('it belongs to another program: name another file');
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('a damaged file is refused', async () => {
  await (await open()).close();
  truncateSync(file, 4096);
  await expect(open()).rejects.toThrow('it is damaged: restore a backup');
});

test('damage that is found later makes the store unavailable', async () => {
  const store = await open();
  await Promise.all(EDGE_IDS.map((id) => store.create(buildPlant({ id }))));
  await store.close();
  const bytes = readFileSync(file);
  bytes.fill(0xff, 4096, 8192); // the page of the table
  writeFileSync(file, bytes);
  await expect((await open()).create(buildPlant())).rejects.toThrow('it is damaged: restore a backup');
});

test('a file of a newer program is refused', async () => {
  await (await open()).close();
  withDatabase((db) => db.exec('PRAGMA user_version = 2'));
  await expect(open()).rejects.toThrow(
    'its schema has version 2, this program knows 1: run the newer program',
  );
});

test('a file that may only be read is refused', async () => {
  await (await open()).close();
  chmodSync(file, 0o444);
  chmodSync(folder, 0o555);
  // Root may write whatever it likes, and so must be somebody else for a moment.
  const isRoot = process.getuid?.() === 0;
  try {
    if (isRoot) process.seteuid?.(65_534);
    await expect(open()).rejects.toThrow('it cannot be written: let this user write the file and its folder');
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(folder, 0o755);
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
      expect.stringContaining('the disk is full: make room on it'),
    );
  }
  connection.exec(`PRAGMA max_page_count = ${used + 1000}`);
  expect(await createAll()).toEqual(plants.map(() => ({ status: 'fulfilled', value: 'created' })));
});

test('waits for the commit of another process without blocking the event loop', async () => {
  const store = await open();
  const other = new Database(file);
  other.exec('BEGIN IMMEDIATE');
  const created = store.create(buildPlant());
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
  other.exec('COMMIT');
  other.close();
  await expect(created).resolves.toBe('created');
});

test('gives up when another process keeps the file locked', async () => {
  const store = await open();
  const other = new Database(file);
  other.exec('BEGIN IMMEDIATE');
  let now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => (now += 3000));
  await expect(store.create(buildPlant())).rejects.toThrow(StoreUnavailable);
  await expect(store.ready()).rejects.toThrow('another process has kept it locked for 5 seconds');
  other.close();
  await expect(store.create(buildPlant())).resolves.toBe('created');
  await expect(store.ready()).resolves.toBeUndefined();
});
