import { randomInt } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import { StoreUnavailable } from '../store';
import type { Database } from './engine';

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

/** A name that this program has given; names of older programs are small numbers. */
const NAMED = 0x8000_0000;
/** The file lacks what is in its log. */
const OPEN = 0x4000_0000;
/** Other programs that change the schema count the cookie up. */
const MAX_CHANGES = 64;

/** Bytes. */
export const LOG_HEADER = 32;
const FRAME_HEADER = 24;
const COOKIE = 40;
const WAL_MAGIC = 0x377f0682; // or one more: checksums of big-endian words
const VERSION = 3_007_000;

export const isLogHeader = (head: Buffer): boolean => (head.readUInt32BE() & ~1) === WAL_MAGIC;

/** Names the log that has begun. */
export function nameLog(db: Database, version: number): void {
  const name = randomInt(OPEN / MAX_CHANGES) * MAX_CHANGES;
  const write = (cookie: number) => {
    db.exec(`PRAGMA schema_version = ${cookie | 0}`);
  };
  db.exec(`PRAGMA user_version = ${version}`); // writes the first page, though nothing has changed
  db.unguarded(() => {
    write(NAMED | OPEN | name);
    db.exec('PRAGMA wal_checkpoint(PASSIVE)');
    db.transaction('IMMEDIATE', () => {
      if (db.value('PRAGMA schema_version')() === (NAMED | OPEN | name)) write(NAMED | name);
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
      `its write-ahead log ${path} is missing or empty, and what was written last with it: put it back, or restore a backup; to go on without it: sqlite3 ${file} "PRAGMA schema_version = 1"`,
    );
  }
  const damaged = `its write-ahead log ${path} is damaged: restore a backup, or move the log away to lose what it holds`;
  if (!isLogHeader(log) || log.readUInt32BE(4) !== VERSION) {
    if (isOurs) throw new StoreUnavailable(damaged);
    return 'unsure';
  }
  const { committed, cookies, lost } = readFrames(log);
  const isBehind =
    index !== undefined && index.salts.equals(log.subarray(16, 24)) && index.frames > committed;
  if (isOurs && (lost || isBehind)) throw new StoreUnavailable(damaged);
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

/** The first bytes of a file that is open; fewer where it has fewer. */
export function readFirst(descriptor: number, length: number): Buffer {
  const first = Buffer.alloc(length);
  return first.subarray(0, readSync(descriptor, first, 0, length, 0));
}

interface Index {
  /** Frames up to the last commit. */
  readonly frames: number;
  readonly salts: Buffer;
}

/** Bytes of an index that say all of it. */
const INDEX_HEAD = 48;

/**
 * What the index of the log says of it (https://sqlite.org/walformat.html#walidxfmt): so many frames were committed, and
 * synced, before. Its words are those of the machine; an index of another one is not understood, and no loss.
 */
function toIndex(head: Buffer): Index | undefined {
  if (head.length < INDEX_HEAD) return undefined;
  const word = (at: number) => (endianness() === 'LE' ? head.readUInt32LE(at) : head.readUInt32BE(at));
  return word(0) === VERSION && head[12] === 1
    ? { frames: word(16), salts: head.subarray(32, 40) }
    : undefined;
}

/**
 * Whether a log has all frames of its index, by which SQLite finds rows in it. Nobody may write meanwhile.
 *
 * @param log and its index, as descriptors of files that are open
 */
export function isIndexed(log: number, index: number): boolean {
  const known = toIndex(readFirst(index, INDEX_HEAD));
  if (!known || known.frames === 0) return true;
  const head = readFirst(log, LOG_HEADER);
  return (
    head.length === LOG_HEADER &&
    isLogHeader(head) &&
    known.salts.equals(head.subarray(16, 24)) &&
    fstatSync(log).size >= LOG_HEADER + known.frames * (FRAME_HEADER + head.readUInt32BE(8))
  );
}

interface Frames {
  /** Frames up to the last commit. */
  readonly committed: number;
  /** The schema cookies of the first page, as often as it was written. */
  readonly cookies: readonly number[];
  /**
   * Whether the header is damaged, or commits follow after a frame that is: SQLite would forget them. One may be that of
   * the last transaction, which a power cut has ended.
   */
  readonly lost: boolean;
}

function readFrames(log: Buffer): Frames {
  const isBig = (log.readUInt32BE() & 1) === 1;
  const size = FRAME_HEADER + log.readUInt32BE(8);
  const salts = log.subarray(16, 24);
  let sums = checksum(log, 0, 24, isBig, [0, 0]);
  const isHeader = sums[0] === log.readUInt32BE(24) && sums[1] === log.readUInt32BE(28);
  let isValid = isHeader;
  const cookies: number[] = [];
  let named = 0;
  let committed = 0;
  let after = 0;
  for (let n = 1, at = LOG_HEADER; at + size <= log.length; n++, at += size) {
    if (!log.subarray(at + 8, at + 16).equals(salts)) {
      isValid = false; // of an earlier log, as all that follow; or damaged
      continue;
    }
    if (isValid) {
      sums = checksum(log, at, 8, isBig, sums);
      sums = checksum(log, at + FRAME_HEADER, size - FRAME_HEADER, isBig, sums);
      isValid = sums[0] === log.readUInt32BE(at + 16) && sums[1] === log.readUInt32BE(at + 20);
    }
    const isCommit = log.readUInt32BE(at + 4) !== 0;
    if (!isValid) {
      if (isCommit) after++;
      continue;
    }
    if (log.readUInt32BE(at) === 1) cookies.push(log.readUInt32BE(at + FRAME_HEADER + COOKIE));
    if (!isCommit) continue;
    committed = n;
    named = cookies.length;
  }
  return { committed, cookies: cookies.slice(0, named), lost: !isHeader || after > 1 };
}

type Sums = readonly [number, number];

/** https://sqlite.org/fileformat2.html#checksum_algorithm */
function checksum(log: Buffer, from: number, length: number, isBig: boolean, [a, b]: Sums): Sums {
  const view = new DataView(log.buffer, log.byteOffset + from, length);
  for (let at = 0; at < length; at += 8) {
    a = (a + view.getUint32(at, !isBig) + b) >>> 0;
    b = (b + view.getUint32(at + 4, !isBig) + a) >>> 0;
  }
  return [a, b];
}
