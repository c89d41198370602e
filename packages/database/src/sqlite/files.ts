import {
  type BigIntStats,
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { SQLOutputValue } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { codeOf } from '../failure';
import { StoreUnavailable } from '../store';
import { SqliteDatabase } from './engine';
import { keepOpen, lookAgain } from './examination';
import { examineLog, FILE_HEAD, hasName, isOpen, nameLog } from './log';
import { isIndexed, isLogHeader, LOG_HEADER, readFirst } from './log-format';
import { whenFree } from './statements';

/** The files of an open database, compared with those that stand at its path. */
export interface DatabaseFiles {
  /** To be called before a read. @throws {StoreUnavailable} unless the files are those that have been opened */
  checkPlace(): void;
  /**
   * To be called before a commit, while nobody else may write.
   *
   * @throws {StoreUnavailable} if the commit would go into a log that has been cut or overwritten
   */
  checkLog(): void;
  /**
   * To be called after a commit, before it is acknowledged. Undefined: a restart would find it, and tell the log from
   * others.
   *
   * @throws {StoreUnavailable} if a restart would not find it, with a sentence that says why and what to do
   */
  settle(): Promise<void> | undefined;
  /** To be called after SQLite has closed the database. */
  close(): void;
}

/** Looks at files that do not fit before a commit is refused: half a second in all. */
const COMPARISONS = 8;

const RESTART = 'restart the server to use what is there';
const stat = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false });
const same = (a: BigIntStats, b: BigIntStats) => a.ino === b.ino && a.dev === b.dev;

/**
 * Watches the files of a database in WAL mode that is open. A commit goes to the files that the process has open: if they
 * are not those of the path any more, it is lost with the process.
 *
 * @param versionOf the version of the schema of a connection; it throws if the file is not one of this program
 */
export function watchFiles(
  file: string,
  db: SqliteDatabase,
  versionOf: (db: SqliteDatabase) => number,
): DatabaseFiles {
  const log = `${file}-wal`;
  const opened = statSync(file, { bigint: true });
  const database = openSync(file, 'r');
  const descriptor = openSync(log, 'r');
  const openedLog = fstatSync(descriptor, { bigint: true });
  const index = openSync(`${file}-shm`, 'r');
  const size = db.value('SELECT page_count * page_size FROM pragma_page_count, pragma_page_size');
  const cookie = db.value('PRAGMA schema_version');
  const head = Buffer.alloc(LOG_HEADER);
  const salts = Buffer.alloc(8);
  let logSize = 0; // bytes
  let logWritten = 0n; // nanoseconds
  let accepted = { size: opened.size, ctimeNs: 0n };
  const overwritten = () =>
    new StoreUnavailable(`its write-ahead log ${log} has been overwritten: ${RESTART}`);

  function findFiles(): [BigIntStats, BigIntStats] {
    const foundFile = stat(file);
    if (!foundFile)
      throw new StoreUnavailable('it has been deleted or moved: put it back, or restart the server');
    if (!same(foundFile, opened)) throw new StoreUnavailable(`another file has replaced it: ${RESTART}`);
    const foundLog = stat(log);
    if (!foundLog)
      throw new StoreUnavailable(`its write-ahead log ${log} has been deleted or moved: ${RESTART}`);
    if (!same(foundLog, openedLog))
      throw new StoreUnavailable(`another file has replaced ${log}: ${RESTART}`);
    return [foundFile, foundLog];
  }

  /** The database file, if it has been written or changed since it was accepted, by a checkpoint or by anybody. */
  function findChanged(): BigIntStats | undefined {
    const [found, foundLog] = findFiles();
    logSize = Number(foundLog.size);
    logWritten = foundLog.mtimeNs;
    // Emptied by a checkpoint of another process, it has nothing that the database file lacks.
    if (logSize > 0 && (readSync(descriptor, head, 0, LOG_HEADER, 0) < LOG_HEADER || !isLogHeader(head)))
      throw overwritten();
    if (found.size < accepted.size && found.size < Number(size()))
      throw new StoreUnavailable('it has been truncated: restore a backup');
    return accepted.ctimeNs === found.ctimeNs && accepted.size === found.size ? undefined : found;
  }

  /** Whether the log has begun anew since this was last asked, and has no name yet. */
  function needsName(): boolean {
    if (logSize === 0 || head.compare(salts, 0, 8, 16, 24) === 0) return false;
    head.copy(salts, 0, 16, 24);
    const first = readFirst(database, FILE_HEAD);
    return first.length === FILE_HEAD && !isOpen(first);
  }

  function checkName(): void {
    const first = readFirst(database, FILE_HEAD);
    // Reading the log takes time, so it is read only if the file does not have the name that its connection knows.
    if (first.length < FILE_HEAD || !hasName(first, Number(cookie()))) examineLog(file, first);
  }

  function checkIndex(): void {
    if (!isIndexed(descriptor, index)) throw overwritten();
  }

  async function verify(changed: BigIntStats | undefined, isNameless: boolean): Promise<void> {
    if (changed) {
      await lookAgain(COMPARISONS, () =>
        whenFree(() => {
          compareWithRestart(file, db, versionOf, checkName);
        }),
      );
      accepted = changed;
    }
    if (!isNameless) return;
    await whenFree(() => {
      db.transaction('IMMEDIATE', checkIndex);
      nameLog(db, versionOf(db));
    });
    accepted = findChanged() ?? accepted;
  }

  return {
    checkPlace: findFiles,
    checkLog() {
      const { size: bytes, mtimeNs } = fstatSync(descriptor, { bigint: true });
      const isOurs = mtimeNs === logWritten && Number(bytes) === logSize;
      // A checkpoint of another process may have emptied it, and a commit begun it anew.
      if (!isOurs) checkIndex();
    },
    settle() {
      const changed = findChanged();
      const isNameless = needsName();
      return changed || isNameless ? verify(changed, isNameless) : undefined;
    },
    close: keepOpen(file, [database, descriptor, index]),
  };
}

const TABLES = `SELECT name, wr FROM pragma_table_list
  WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`;

/** Rows by which two views of a table are compared, each found in logarithmic time: the last inserted and both ends. */
const SAMPLES = ['WHERE rowid = ?', 'ORDER BY rowid LIMIT 1', 'ORDER BY rowid DESC LIMIT 1'];

/**
 * Opens the file as a restart would, and looks whether it finds there what the open database has.
 *
 * @throws {StoreUnavailable} if the restart would not find it, would refuse the file, or could not write
 */
function compareWithRestart(
  file: string,
  open: SqliteDatabase,
  accept: (db: SqliteDatabase) => unknown,
  checkName: () => void,
): void {
  const fresh = new SqliteDatabase(file, { exists: true });
  try {
    accept(fresh);
    fresh.exec('BEGIN IMMEDIATE'); // fails if it cannot be written; nobody else commits until the end
    checkName();
    const [[inserted = null] = []] = open.lists('SELECT last_insert_rowid()')();
    if (!isDeepStrictEqual(sample(fresh, inserted), sample(open, inserted)))
      throw new StoreUnavailable('it has lost rows that were committed: restore a backup');
    fresh.exec('ROLLBACK');
  } finally {
    fresh.close();
  }
}

function sample(db: SqliteDatabase, inserted: SQLOutputValue): unknown[] {
  return db
    .lists(TABLES)()
    .map(([name, withoutRowid]) => {
      const read = (end: string) => db.lists(`SELECT * FROM "${String(name).replaceAll('"', '""')}" ${end}`);
      if (withoutRowid === 1n) return [name, read('LIMIT 1')()];
      return [name, ...SAMPLES.map((end) => read(end)(...(end.includes('?') ? [inserted] : [])))];
    });
}

/** Creates the folder, for this user alone, so that it, too, is there after a power cut: each new entry is synced in its parent. */
export function makeFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let path = folder; path.length >= first.length; path = dirname(path)) sync(dirname(path));
}

/** Creates the database file, accessible to this user alone, unless it exists. SQLite gives its log and index the same mode. */
export function makeFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/**
 * Waits until a file, or the names in a folder, are on the disk. Windows syncs only what may be written, and no folder: its file
 * system keeps a journal of names.
 */
export function sync(path: string): void {
  const isWindows = process.platform === 'win32';
  if (isWindows && statSync(path).isDirectory()) return;
  const descriptor = openSync(path, isWindows ? 'r+' : 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
