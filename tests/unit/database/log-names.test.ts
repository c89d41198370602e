import Database from 'better-sqlite3';
import { join } from 'node:path';
import { examineFiles, nameLog } from '../../../src/database/sqlite/log';
import { keepFolder } from '../../support/folder';

const folder = keepFolder();

/** Opens a database in WAL mode, with a row, so that its log has begun. */
function openLog(file: string): Database.Database {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.exec('CREATE TABLE IF NOT EXISTS things (id INTEGER PRIMARY KEY); INSERT INTO things DEFAULT VALUES');
  return db;
}

/** Runs something before a connection checkpoints, as another process may. */
function beforeCheckpoint(db: Database.Database, action: () => void): Database.Database {
  const pragma = db.pragma.bind(db);
  return Object.assign(db, {
    pragma: (text: string, options?: Database.PragmaOptions) => {
      if (text.startsWith('wal_checkpoint')) action();
      return pragma(text, options);
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
