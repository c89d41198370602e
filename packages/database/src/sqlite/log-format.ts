/** The format of a write-ahead log and its index (https://sqlite.org/walformat.html). log.ts has what this program adds to it. */
import { fstatSync, readSync } from 'node:fs';
import { endianness } from 'node:os';

/** Bytes. */
export const LOG_HEADER = 32;
const FRAME_HEADER = 24;
/** The place of the schema cookie in the first page of a database (https://sqlite.org/fileformat2.html). */
export const COOKIE = 40;

const MAGIC = 0x377f0682; // or one more: checksums of big-endian words
const VERSION = 3_007_000;

/** Whether a log begins with one of the two words with which every log begins. */
export const isLogHeader = (head: Buffer): boolean => (head.readUInt32BE() & ~1) === MAGIC;

/** Whether SQLite knows the format of a log. */
export const isKnownLog = (log: Buffer): boolean => isLogHeader(log) && log.readUInt32BE(4) === VERSION;

/** The salts of a log, which are others each time it begins anew. */
const saltsOf = (head: Buffer): Buffer => head.subarray(16, 24);

/** The first bytes of a file that is open; fewer where it has fewer. */
export function readFirst(descriptor: number, length: number): Buffer {
  const first = Buffer.alloc(length);
  return first.subarray(0, readSync(descriptor, first, 0, length, 0));
}

export interface Index {
  /** Frames up to the last commit. */
  readonly frames: number;
  readonly salts: Buffer;
}

/** Bytes of an index that say all of it. */
export const INDEX_HEAD = 48;

/**
 * What the index of the log says of it (https://sqlite.org/walformat.html#walidxfmt): so many frames were committed, and
 * synced, before. Its words are those of the machine; an index of another one is not understood, and no loss.
 */
export function toIndex(head: Buffer): Index | undefined {
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
    known.salts.equals(saltsOf(head)) &&
    fstatSync(log).size >= LOG_HEADER + known.frames * (FRAME_HEADER + head.readUInt32BE(8))
  );
}

export interface Frames {
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

export function readFrames(log: Buffer): Frames {
  const isBig = (log.readUInt32BE() & 1) === 1;
  const size = FRAME_HEADER + log.readUInt32BE(8);
  const salts = saltsOf(log);
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

/** Whether an index has frames of a log, as it is now, that the log lacks. */
export const isBehind = (log: Buffer, committed: number, index: Index | undefined): boolean =>
  index !== undefined && index.salts.equals(saltsOf(log)) && index.frames > committed;
