import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Plant } from '../../src/plants/plant-store';
import { openPlantStore } from '../../src/storage/plants';
import { usePostgres } from '../../scripts/testing/postgres-bench';
import { useSqlite } from '../../scripts/testing/sqlite-bench';

/** What version 1.1.0 of this program has stored in both databases below. */
const STORED: readonly Plant[] = [
  { id: -(2n ** 63n), name: '' },
  { id: 9007199254740993n, name: 'before\0after', tag: '\u0001' },
  { id: 2n ** 63n - 1n, name: '🌵', tag: '' },
];

/** Its file, zipped. */
const FILE =
  'H4sIAAAAAAACA+3XvUrDUBQH8HNjQJdwdRDpdpaCQtHBFzCWiwRjWtMr2PEWb6SSphLvA9TdwaFLJ5/BwVmnPoOPIb6AkiYu4gM4/H9wDpyP6WxncB6PneVsWk6M40PaJM+jI2Yi8pr4IYjI/1VXQf28cPQ3j/YXz0G1KOck5wQAAAAAAAAAjRuxvtNqifsDZ0a5vc1N4e7q7HVTFWrFOjyOFdc93h1fcZRodaJS7qfRWZgO+VQNO1yYiWWtLjUnPc3JRRx32JnrVWuPBzqNurr6zdfkkuSnfJdL3B4AAAAAAADg/9p4/Wr4tB18PD28bD3OVoRPbTmy2bS0ZDJnS+G/1ZMZ+RTQN0c919cAIAAA';

/** Its tables in PostgreSQL. */
const TABLES = `
  CREATE TABLE plant_store_schema (id int PRIMARY KEY, version int NOT NULL);
  INSERT INTO plant_store_schema (id, version) VALUES (1, 1);
  CREATE TABLE plants (id bigint PRIMARY KEY, name text NOT NULL, tag text);
  INSERT INTO plants (id, name, tag) VALUES (-9223372036854775808, '', NULL),
    (9007199254740993, E'before\\x010after', E'\\x011'), (9223372036854775807, '🌵', '')`;

const postgres = usePostgres();
const sqlite = useSqlite();

async function findsAllAt(url: string): Promise<void> {
  const store = await openPlantStore(url);
  for (const plant of STORED) {
    await expect(store.create(plant)).resolves.toBe('unchanged');
    await expect(store.create({ ...plant, name: 'another' })).resolves.toBe('conflict');
  }
  await expect(store.create({ id: 1n, name: 'Monstera' })).resolves.toBe('created');
  await store.close();
}

test('a SQLite file of version 1.1.0 is used as it is, and a new one is like it', async () => {
  const schema = () =>
    sqlite.byProgram((db) => [
      db
        .prepare(
          "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'plant\\_%' ESCAPE '\\'",
        )
        .all(),
      db.prepare('SELECT * FROM pragma_user_version, pragma_application_id').all(),
    ]);
  mkdirSync(sqlite.folder);
  writeFileSync(sqlite.file, gunzipSync(Buffer.from(FILE, 'base64')));
  const before = schema();
  await findsAllAt(`sqlite:${sqlite.file}`);
  expect(schema()).toEqual(before);
  for (const end of ['', '-wal', '-shm']) rmSync(sqlite.file + end, { force: true });
  await (await openPlantStore(`sqlite:${sqlite.file}`)).close();
  expect(schema()).toEqual(before);
});

/** What version 2.0.0 had stored by another driver of SQLite, better-sqlite3 13.2.0, when it was killed: all of it is in the log. */
const KILLED: readonly Plant[] = [
  { id: 1n, name: 'Fern' },
  { id: 2n ** 63n - 1n, name: 'the last', tag: 'a\0b' },
  { id: -(2n ** 63n), name: 'the first 🪴 é', tag: '' },
  { id: 9007199254740993n, name: '\0' },
];

test('a SQLite file that better-sqlite3 has written, and its log, lose nothing', async () => {
  cpSync(join(__dirname, 'better-sqlite3'), sqlite.folder, { recursive: true });
  const store = await openPlantStore(`sqlite:${sqlite.file}`);
  const outcomes = await Promise.all(KILLED.map((plant) => store.create(plant)));
  await store.close();
  expect(outcomes).toEqual(KILLED.map(() => 'unchanged'));
  const rows = sqlite.byProgram((db) => db.prepare('SELECT id, name, tag FROM plants').all());
  expect(rows).toEqual(expect.arrayContaining(KILLED.map(({ id, name, tag = null }) => ({ id, name, tag }))));
  expect(rows).toHaveLength(KILLED.length);
});

test('a PostgreSQL database of version 1.1.0 is used as it is', async () => {
  await postgres.operator.query(TABLES);
  await findsAllAt(postgres.url);
  const { rows } = await postgres.operator.query('SELECT version FROM plant_store_schema');
  expect(rows).toEqual([{ version: 1 }]);
});
