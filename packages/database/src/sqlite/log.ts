import { randomInt } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { StoreUnavailable } from '../store';
import type { SqliteDatabase } from './engine';
import {
  COOKIE,
  type Index,
  INDEX_HEAD,
  isBehind,
  isKnownLog,
  LOG_HEADER,
  readFirst,
  readFrames,
  toIndex,
} from './log-format';

/*
 * Which write-ahead log belongs to a database file? SQLite does not know: it writes any log that is well-formed into any
 * file that stands beside it. So the file and its log carry a name, in the schema cookie (offset 40 of the first page,
 * https://sqlite.org/fileformat2.html), which may be any number. Whenever a log begins anew it gets a new name:
 *
 * 1. the first page is written with the old name, so that the log names the file that it belongs to;
 * 2. it is written with the new name, marked as open, and the log is written into the file. From now on the file alone is
 *    not enough;
 * 3. it is written with the new name, not marked: the first page of the new log. Whoever writes the whole log into the file,
 *    when the last connection is closed, removes the mark with it.
 *
 * If another process has named the log since step 2, its name is in the file, and step 3 is left to it.
 */

/*
 * The 32 bits of a name. The lowest six are those that others count up: whoever changes the schema adds one to the cookie.
 *
 *   NAMED  OPEN  24 random bits  000000
 */

/** A name that this program has given; names of older programs are small numbers. */
const NAMED = 0x8000_0000;
/** The file lacks what is in its log. */
const OPEN = 0x4000_0000;
const MAX_CHANGES = 64;

/** Names the log that has begun, by the three steps above. @param version that of the schema */
export function nameLog(db: SqliteDatabase, version: number): void {
  const name = NAMED | (randomInt(OPEN / MAX_CHANGES) * MAX_CHANGES);
  const write = (cookie: number) => {
    db.exec(`PRAGMA schema_version = ${cookie}`);
  };
  db.exec(`PRAGMA user_version = ${version}`); // step 1: this writes the first page, though nothing has changed
  db.unguarded(() => {
    write(name | OPEN); // step 2
    db.exec('PRAGMA wal_checkpoint(PASSIVE)');
    db.transaction('IMMEDIATE', () => {
      const isStillOurs = db.value('PRAGMA schema_version')() === (name | OPEN);
      if (isStillOurs) write(name); // step 3
    });
  });
}

/** Whether a database file is known to lack what is in its log. */
export const isOpen = (head: Buffer): boolean => head.readUInt32BE(COOKIE) >= NAMED + OPEN;

/**
 * What stands at a path before it is opened: a file that was closed, or none; one with a log that is its own; or `unsure`
 * where only the content of the database can tell.
 */
export type Found = 'closed' | 'logged' | 'unsure';

/**
 * Looks whether a database file and its log belong together, before SQLite makes one of both. Nobody in this process may
 * have the file open: to close it here would drop the locks of SQLite on it (https://sqlite.org/howtocorrupt.html).
 *
 * @throws {StoreUnavailable} if they do not, or the log is not whole, with a sentence that says what to do
 */
export function examineFiles(file: string): Found {
  const read = (path: string, length: number) =>
    existsSync(path) ? readHead(path, length) : Buffer.alloc(0);
  const index = toIndex(read(`${file}-shm`, INDEX_HEAD)); // before the log: if others write meanwhile, the log has more
  return examineLog(file, read(file, FILE_HEAD), index);
}

/** The bytes of a database file that have its name. */
export const FILE_HEAD = COOKIE + 4;

/** Whether a database file has the name of a schema cookie. */
export const hasName = (head: Buffer, cookie: number): boolean =>
  ((head.readUInt32BE(COOKIE) ^ cookie) & ~OPEN) === 0;

/**
 * The same of a file that is open.
 *
 * @param head the first bytes of the file; none if there is no file
 */
export function examineLog(file: string, head: Buffer, index?: Index): Found {
  const path = `${file}-wal`;
  const log = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  if (head.length === 0) {
    if (log.length === 0) return 'closed';
    throw new StoreUnavailable(
      `it is missing or empty, but its write-ahead log ${path} is not: put it back, or move the log away`,
    );
  }
  const cookie = head.length < FILE_HEAD ? 0 : head.readUInt32BE(COOKIE);
  const isOurs = (cookie & NAMED) !== 0;
  if (log.length < LOG_HEADER) {
    if (!isOurs || (cookie & OPEN) === 0) return 'closed';
    throw new StoreUnavailable(
      `its write-ahead log ${path} is missing or empty, and so are the last writes: put it back, or restore a backup; to go on without it: sqlite3 ${file} "PRAGMA schema_version = 1"`,
    );
  }
  const damaged = `its write-ahead log ${path} is damaged: restore a backup, or move the log away to lose what it holds`;
  if (!isKnownLog(log)) {
    if (isOurs) throw new StoreUnavailable(damaged);
    return 'unsure';
  }
  const { committed, cookies, lost } = readFrames(log);
  if (isOurs && (lost || isBehind(log, committed, index))) throw new StoreUnavailable(damaged);
  if (committed === 0) return 'closed';
  if (cookies.length === 0 || !(isOurs || cookies.some((one) => (one & NAMED) !== 0))) return 'unsure';
  if (cookies.some((one) => isSame(one, cookie))) return 'logged';
  throw new StoreUnavailable(
    `the write-ahead log ${path} belongs to another file, or to another state of this one: if the file is a backup, move the log and ${file}-shm away; if not, put back the file that belongs to the log`,
  );
}

/** Whether the log's name is that of the file, changes of the schema included. */
const isSame = (ofLog: number, ofFile: number) => {
  const ahead = (ofLog & ~OPEN) - (ofFile & ~OPEN);
  return ahead >= 0 && ahead < MAX_CHANGES;
};

function readHead(path: string, length: number): Buffer {
  const descriptor = openSync(path, 'r');
  try {
    return readFirst(descriptor, length);
  } finally {
    closeSync(descriptor);
  }
}
