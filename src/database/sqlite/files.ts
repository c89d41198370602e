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
import { examineLog, FILE_HEAD, hasName, isLogHeader, isOpen, LOG_HEADER } from './log';
import { StoreUnavailable } from '../store';

/** The files of an open database, compared with those that stand at its path. */
export interface DatabaseFiles {
  /**
   * To be called before a commit, which could hide that its log has been cut.
   *
   * @throws {StoreUnavailable} if it has, with a sentence that says what to do
   */
  checkLog(): void;
  /** @throws {StoreUnavailable} unless the database file and its log are those that have been opened */
  checkPlace(): void;
  /**
   * Whether the database file has been written or changed since `accept` was last called, by a checkpoint or by anybody.
   *
   * @param size the bytes of all pages of the database; a file that has become smaller must have them
   * @throws {StoreUnavailable} if a restart would not find what is committed now, with a sentence that says why and what to do
   */
  changed(size: () => number): boolean;
  /** Takes the database file as `changed` found it. */
  accept(): void;
  /**
   * Called while nobody else may write.
   *
   * @param cookie the schema cookie of the database with its log
   * @throws {StoreUnavailable} if the database file, as it is now, is not that of the log
   */
  checkName(cookie: number): void;
  /** Whether the log, as `changed` found it, has begun anew since this was last asked, and has no name yet. */
  needsName(): boolean;
  close(): void;
}

const RESTART = 'restart the server to use what is there';
const stat = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false });
const same = (a: BigIntStats, b: BigIntStats) => a.ino === b.ino && a.dev === b.dev;

/**
 * Watches the files of a database in WAL mode that is open. A commit goes to the files that the process has open: if they
 * are not those of the path any more, it is lost with the process.
 *
 * The database file must be closed by SQLite first: to close it here drops the locks that SQLite has on it
 * (https://sqlite.org/howtocorrupt.html, section 2.2).
 */
export function watchFiles(file: string): DatabaseFiles {
  const log = `${file}-wal`;
  const opened = statSync(file, { bigint: true });
  const database = openSync(file, 'r');
  const descriptor = openSync(log, 'r');
  const openedLog = fstatSync(descriptor, { bigint: true });
  const head = Buffer.alloc(LOG_HEADER);
  const salts = Buffer.alloc(8);
  let logSize = 0; // bytes
  let accepted = { size: opened.size, ctimeNs: 0n };
  let found: BigIntStats | undefined;
  const overwritten = () =>
    new StoreUnavailable(`its write-ahead log ${log} has been overwritten: ${RESTART}`);

  function findFiles(): [BigIntStats, BigIntStats] {
    const foundFile = stat(file);
    if (!foundFile)
      throw new StoreUnavailable('it has been deleted or moved: put it back, or restart the server');
    if (!same(foundFile, opened)) throw new StoreUnavailable(`another file has taken its place: ${RESTART}`);
    const foundLog = stat(log);
    if (!foundLog)
      throw new StoreUnavailable(`its write-ahead log ${log} has been deleted or moved: ${RESTART}`);
    if (!same(foundLog, openedLog))
      throw new StoreUnavailable(`another file has taken the place of ${log}: ${RESTART}`);
    return [foundFile, foundLog];
  }

  function readFirst(): Buffer {
    const first = Buffer.alloc(FILE_HEAD);
    return first.subarray(0, readSync(database, first, 0, FILE_HEAD, 0));
  }

  return {
    checkLog() {
      const { size } = fstatSync(descriptor);
      // A checkpoint of another process may empty it.
      if (size < logSize && size > 0) throw overwritten();
    },
    checkPlace: findFiles,
    changed(size) {
      const [foundFile, foundLog] = findFiles();
      found = foundFile;
      logSize = Number(foundLog.size);
      // Emptied by a checkpoint of another process, it has nothing that the database file lacks.
      if (logSize > 0 && (readSync(descriptor, head, 0, LOG_HEADER, 0) < LOG_HEADER || !isLogHeader(head)))
        throw overwritten();
      if (found.size < accepted.size && found.size < size())
        throw new StoreUnavailable('it has been truncated: restore a backup');
      return accepted.ctimeNs !== found.ctimeNs || accepted.size !== found.size;
    },
    accept() {
      accepted = found ?? accepted;
    },
    checkName(cookie) {
      const first = readFirst();
      // To read the log would take its time.
      if (first.length < FILE_HEAD || !hasName(first, cookie)) examineLog(file, first);
    },
    needsName() {
      if (logSize === 0 || head.compare(salts, 0, 8, 16, 24) === 0) return false;
      head.copy(salts, 0, 16, 24);
      const first = readFirst();
      return first.length === FILE_HEAD && !isOpen(first);
    },
    close() {
      closeSync(descriptor);
      closeSync(database);
    },
  };
}

/** Creates the folder so that it, too, is there after a power cut: each new entry is synced in its parent. */
export function makeFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true });
  if (first === undefined) return;
  for (let path = folder; path.length >= first.length; path = dirname(path)) {
    const parent = openSync(dirname(path), 'r');
    fsyncSync(parent);
    closeSync(parent);
  }
}
