import Database from 'better-sqlite3';
import { isDeepStrictEqual } from 'node:util';
import { StoreUnavailable } from '../store';

const TABLES = `SELECT name, wr FROM pragma_table_list
  WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`;

/** Rows by which two views of a table are compared, each found in logarithmic time: the last inserted and both ends. */
const SAMPLES = ['WHERE rowid = ?', 'ORDER BY rowid LIMIT 1', 'ORDER BY rowid DESC LIMIT 1'];

/**
 * Opens the file as a restart would, and looks whether it finds there what the open database has.
 *
 * @param accept throws if the file is not one of this program
 * @param checkName throws if the restart would refuse the file beside its log
 * @throws {StoreUnavailable} if the restart would not find it, or could not write
 */
export function compareWithRestart(
  file: string,
  open: Database.Database,
  accept: (db: Database.Database) => void,
  checkName: () => void,
): void {
  const fresh = new Database(file, { fileMustExist: true, timeout: 0 });
  try {
    accept(fresh);
    fresh.exec('BEGIN IMMEDIATE'); // fails if it cannot be written; nobody else commits until the end
    checkName();
    const inserted = open.prepare('SELECT last_insert_rowid()').pluck().safeIntegers().get();
    if (!isDeepStrictEqual(sample(fresh, inserted), sample(open, inserted)))
      throw new StoreUnavailable('it has lost rows that were committed: restore a backup');
    fresh.exec('ROLLBACK');
  } finally {
    fresh.close();
  }
}

function sample(db: Database.Database, inserted: unknown): unknown[] {
  const tables = db.prepare<[], { name: string; wr: 0 | 1 }>(TABLES).all();
  return tables.map(({ name, wr }) => {
    const all = `SELECT * FROM "${name.replaceAll('"', '""')}"`;
    const read = (end: string) => db.prepare(`${all} ${end}`).raw().safeIntegers();
    if (wr === 1) return [name, read('LIMIT 1').get()];
    return [name, ...SAMPLES.map((end) => read(end).get(...(end.includes('?') ? [inserted] : [])))];
  });
}
