import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase, sql } from 'contract-first-database';
import { SqliteDatabase } from '../src/sqlite/engine';
import { examineFiles, nameLog } from '../src/sqlite/log';
import { keepFolder } from '../../../scripts/testing/folder';

const folder = keepFolder();

/** Opens a database in WAL mode, with a row, so that its log has begun. */
function openLog(file: string): SqliteDatabase {
  const db = new SqliteDatabase(file);
  db.exec('PRAGMA journal_mode = WAL');
  db.exec('CREATE TABLE IF NOT EXISTS things (id INTEGER PRIMARY KEY); INSERT INTO things DEFAULT VALUES');
  return db;
}

/** Runs something before a connection checkpoints, as another process may. */
function beforeCheckpoint(db: SqliteDatabase, action: () => void): SqliteDatabase {
  const exec = db.exec.bind(db);
  return Object.assign(db, {
    exec(text: string) {
      if (text.startsWith('PRAGMA wal_checkpoint')) action();
      exec(text);
    },
  });
}

test('two processes that name a log at the same time leave one that belongs to its file', () => {
  const file = join(folder, 'plants.db');
  const other = openLog(file);
  const one = beforeCheckpoint(openLog(file), () => {
    nameLog(other, 1);
  });
  nameLog(one, 1);
  one.exec('INSERT INTO things DEFAULT VALUES');

  expect(examineFiles(file)).toBe('unsure'); // the log has begun anew, and its first page is not in it yet
  nameLog(other, 1); // as after the next commit
  expect(examineFiles(file)).toBe('logged');
  one.close();
  other.close();
});

test('a commit is not acknowledged if its log lost its header while the transaction ran', async () => {
  const file = join(folder, 'notes.db');
  const notes = sql`CREATE TABLE notes (id INTEGER PRIMARY KEY)`;
  const probe = sql`INSERT INTO notes (id) SELECT 1 WHERE 1 = 0`;
  const database = await openDatabase(`sqlite:${file}`, {
    name: 'notes',
    mark: 'Note',
    migrations: [['notes', notes]],
    probe,
  });
  await database.execute(sql`INSERT INTO notes DEFAULT VALUES`);
  const committing = database.transaction(async ({ execute }) => {
    await execute(sql`INSERT INTO notes DEFAULT VALUES`);
    // The first word alone: the size and the salts of the log stay as they are.
    const log = openSync(`${file}-wal`, 'r+');
    writeSync(log, Buffer.alloc(4), 0, 4, 0);
    closeSync(log);
  });
  await expect(committing).rejects.toThrow(/its write-ahead log .* has been overwritten: restart the server/);
  await database.close();
});
