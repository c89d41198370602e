import { join } from 'node:path';
import { StatementSync } from 'node:sqlite';
import { SqliteDatabase, nameOf } from '../src/sqlite/engine';
import { openPlantStore } from '../../../src/storage/plants';
import { keepFolder } from '../../../scripts/testing/folder';

const folder = keepFolder();
const memory = () => {
  const db = new SqliteDatabase(':memory:');
  db.exec('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT, bytes BLOB) STRICT');
  return db;
};

// https://sqlite.org/rescode.html
test.each([
  [5, 'SQLITE_BUSY'],
  [261, 'SQLITE_BUSY_RECOVERY'],
  [516, 'SQLITE_ABORT_ROLLBACK'],
  [517, 'SQLITE_BUSY_SNAPSHOT'],
  [787, 'SQLITE_CONSTRAINT_FOREIGNKEY'],
  [1032, 'SQLITE_READONLY_DBMOVED'],
  [1550, 'SQLITE_CANTOPEN_SYMLINK'],
  [1555, 'SQLITE_CONSTRAINT_PRIMARYKEY'],
  [2067, 'SQLITE_CONSTRAINT_UNIQUE'],
  [2579, 'SQLITE_CONSTRAINT_ROWID'],
  [3091, 'SQLITE_CONSTRAINT_DATATYPE'],
  [8714, 'SQLITE_IOERR_IN_PAGE'],
  [26, 'SQLITE_NOTADB'],
  [5 | (60 << 8), 'SQLITE_BUSY'], // of a newer SQLite
  [255, 'SQLITE_ERROR'],
])('the result code %s has its name', (code, name) => {
  expect(nameOf(code)).toBe(name);
});

test.each([
  ['SELECT 1', true],
  ['WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT max(i) FROM n', true],
  ['SELECT upper(text) FROM notes WHERE id IN (VALUES (1), (2))', true],
  ["INSERT INTO notes (text) VALUES ('a') RETURNING id", false],
  ["UPDATE notes SET text = 'a'", false],
  ['DELETE FROM notes WHERE id IN (SELECT 1) RETURNING text', false],
  ['CREATE TABLE others (id INTEGER)', false],
  ['PRAGMA user_version = 1', false],
  ['BEGIN IMMEDIATE', false],
  ['SAVEPOINT one', false],
  ["ATTACH ':memory:' AS other", false],
])('knows whether it writes: %s', (text, reads) => {
  const db = memory();
  expect(db.prepare(text).reads).toBe(reads);
  expect(db.prepare('SELECT 1').reads).toBe(true);
  db.close();
});

test.each([
  'SELECT 1; SELECT 2',
  'SELECT 1;;DROP TABLE notes',
  'SELECT 1 -- one\n; SELECT 2',
  'SELECT 1; /* */ x',
])('a second statement is an error: %j', (text) => {
  const db = memory();
  expect(() => db.prepare(text)).toThrow('expected one statement');
  db.close();
});

test.each([
  'SELECT 1 AS n;',
  'SELECT 1 AS n; \n',
  'SELECT 1 AS n; -- one',
  'SELECT 1 AS n -- one;',
  'SELECT 1 AS n; /* a; b */ -- c',
  'SELECT 1 AS n; /* a',
])('a comment is no statement: %j', (text) => {
  const db = memory();
  expect(db.prepare(text).run([]).rows).toEqual([{ n: 1n }]);
  db.close();
});

test('a string with U+0000 is kept whole', () => {
  const db = memory();
  const text = 'before\0after\0';
  db.prepare('INSERT INTO notes (text) VALUES (?)').run([text]);
  expect(db.prepare('SELECT text, length(CAST(text AS BLOB)) AS bytes FROM notes').run([]).rows).toEqual([
    { text, bytes: 13n },
  ]);
  db.close();
});

test('a file that must exist is not made, whatever its name', () => {
  const file = join(folder, '100 % of #1?.db');
  expect(() => new SqliteDatabase(file, { exists: true })).toThrow('unable to open database file');
  const made = new SqliteDatabase(file);
  made.exec('CREATE TABLE notes (id INTEGER PRIMARY KEY)');
  made.close();
  const found = new SqliteDatabase(file, { exists: true });
  expect(found.value('SELECT count(*) FROM sqlite_schema')()).toBe(1);
  found.exec('DROP TABLE notes');
  found.close();
  found.close();
});

test('the least int64 is a key, as a bigint and as a double, and its neighbors beyond are none', () => {
  const db = memory();
  const insert = db.prepare('INSERT INTO notes (id) VALUES (?)');
  const least = -(2 ** 63);
  for (const id of [least, BigInt(least)]) {
    expect(insert.run([id])).toEqual({ rows: [], count: 1 });
    expect(db.prepare('DELETE FROM notes RETURNING id').run([]).rows).toEqual([{ id: -(2n ** 63n) }]);
  }
  for (const id of [least - 2048, BigInt(least) - 1n, 2 ** 63, 2n ** 63n])
    expect(() => insert.run([id])).toThrow('datatype mismatch');
  db.close();
});

test('no column is dropped', () => {
  const db = memory();
  expect(() => db.prepare('SELECT 1 AS __proto__')).toThrow('a name for a column other than __proto__');
  expect(db.prepare('SELECT 1 AS constructor, 2 AS n').run([]).rows).toEqual([{ constructor: 1n, n: 2n }]);
  db.close();
});

test('a Node that cuts texts at U+0000 opens no database', async () => {
  const read = jest.spyOn(StatementSync.prototype, 'get').mockReturnValueOnce({ text: 'a' });
  const opening = openPlantStore('memory:');
  await expect(opening).rejects.toThrow(/cuts a string at its first U\+0000: use Node 24\.16 or later/);
  read.mockRestore();
});
