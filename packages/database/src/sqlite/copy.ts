import { createHash, randomBytes } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  createReadStream,
  existsSync,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { codeOf, explain } from '../failure';
import type { Schema } from '../schema';
import { type ClosedDatabase, type Copied, StoreUnavailable } from '../store';
import { FAULTS } from './dialect';
import { SqliteDatabase, SqliteError } from './engine';
import { checkContent, checkRegular, examine, keyOf, markerOf } from './examination';
import { makeFolder, sync } from './files';
import { checkOwner, compareSchema } from './schema';

/** What stands beside a database file while it is open, or after its process was killed. */
const BESIDE = ['-wal', '-shm', '-journal'];

/** The last bytes of a backup: the digest of all before. SQLite ignores them. */
const SEAL = /^\nsha256 ([0-9a-f]{64})\n$/;
const SEAL_LENGTH = 73;

/** Copies the file of a database that this process does not have open. */
export function copiesOf(file: string, schema: Schema): Pick<ClosedDatabase, 'backup' | 'restore'> {
  const place = () => (existsSync(file) ? realpathSync(file) : file);
  return {
    backup: (to) => explained(to, () => backup(place(), resolve(to), schema)),
    restore: (from) => explained(from, () => restore(place(), resolve(from), schema)),
  };
}

const isOfSystem = (error: unknown) => /^E[A-Z\d]+$/.test(codeOf(error));

/** Names the file that the operating system refuses: it may be another than that of the database. */
async function explained<T>(copy: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!isOfSystem(error)) throw error;
    const { path = copy, dest = path } = error as NodeJS.ErrnoException & { readonly dest?: string };
    throw new StoreUnavailable(
      `cannot read or write ${dest} (${codeOf(error)}): check the permissions and the disk`,
    );
  }
}

async function backup(file: string, to: string, schema: Schema): Promise<Copied> {
  const taken = ['', ...BESIDE].map((end) => to + end).find((path) => existsSync(path));
  if (taken !== undefined)
    throw new StoreUnavailable(`${taken} already exists and is not overwritten: use another file`);
  if ([...BESIDE.map((end) => file + end), markerOf(file)].includes(to))
    throw new StoreUnavailable(`${to} is a name that SQLite uses beside the database: use another file`);
  if (!existsSync(file)) throw new StoreUnavailable('it does not exist, so there is nothing to back up');
  checkContent(file, await examine(file));
  makeFolder(dirname(to));
  return beside(to, async (part) => {
    const copied = await copyContent(file, part, schema, statSync(file).mode);
    appendFileSync(part, `\nsha256 ${await digestOf(part)}\n`);
    sync(part);
    linkSync(part, to); // unlike a rename it fails if somebody else has made the file
    sync(dirname(to));
    return copied;
  });
}

async function restore(file: string, from: string, schema: Schema): Promise<Copied> {
  if (!statSync(from, { throwIfNoEntry: false })?.isFile())
    throw new StoreUnavailable(`cannot restore from ${from}: there is no such file`);
  checkRegular(file);
  if (existsSync(file) && keyOf(from) === keyOf(file))
    throw new StoreUnavailable('the backup is the database itself: use another file');
  const replaced = statSync(file, { throwIfNoEntry: false });
  makeFolder(dirname(file));
  return beside(file, async (part) => {
    let copied: Copied;
    try {
      await checkSeal(from);
      checkContent(from, await examine(from));
      copied = await copyContent(from, part, schema, (replaced ?? statSync(from)).mode);
    } catch (error) {
      if (isOfSystem(error)) throw error;
      throw new StoreUnavailable(explain(`the backup ${from}`, error, FAULTS.advice));
    }
    if (replaced && process.getuid?.() === 0) chownSync(part, replaced.uid, replaced.gid);
    sync(part);
    return { ...copied, kept: await replace(file, part, schema) };
  });
}

/** Makes a file under a name of its own, which is gone in the end: what has been made has another name by then. */
async function beside(file: string, make: (part: string) => Promise<Copied>): Promise<Copied> {
  const part = `${file}.part-${randomBytes(6).toString('hex')}`;
  try {
    return await make(part);
  } finally {
    for (const end of ['', ...BESIDE]) rmSync(part + end, { force: true });
  }
}

/**
 * Copies what is committed in a database, while others write to it, and verifies the copy. It is whole without a log, and has
 * the name of none.
 *
 * @param mode of the file whose user and group may read and write the copy
 */
async function copyContent(from: string, to: string, schema: Schema, mode: number): Promise<Copied> {
  closeSync(openSync(to, 'wx', 0o600));
  chmodSync(to, mode & 0o770);
  const source = new SqliteDatabase(from, { readOnly: true });
  try {
    source.exec('BEGIN'); // one state from here on: without it each commit of others would begin the copy anew
    const rows = countRows(source);
    await source.backup(to); // which gives it the schema cookie 1, the name of no log
    const copy = new SqliteDatabase(to);
    try {
      copy.exec('PRAGMA journal_mode = DELETE');
      const damage = copy.value('PRAGMA integrity_check(1)')();
      if (damage !== 'ok') throw new SqliteError(String(damage), 'SQLITE_CORRUPT');
      const version = compareSchema(copy, schema);
      const found = countRows(copy);
      if (JSON.stringify(found) !== JSON.stringify(rows))
        throw new StoreUnavailable('the copy has different rows: try again');
      const total = rows.reduce((sum, [, count]) => sum + count, 0);
      return { tables: rows.length, rows: total, version, bytes: statSync(to).size };
    } finally {
      copy.close();
    }
  } finally {
    source.close();
  }
}

function countRows(db: SqliteDatabase): [name: string, rows: number][] {
  const tables = db.lists(
    `SELECT name FROM pragma_table_list
     WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
  );
  return tables().map(([name]) => [
    String(name),
    Number(db.value(`SELECT count(*) FROM "${String(name).replaceAll('"', '""')}"`)()),
  ]);
}

async function digestOf(file: string, bytes = statSync(file).size): Promise<string> {
  const digest = createHash('sha256');
  await pipeline(createReadStream(file, { end: bytes - 1 }), digest);
  return digest.digest('hex');
}

/** @throws {StoreUnavailable} if a backup is not as it was written, or one of another program ends in the middle of a page */
async function checkSeal(file: string): Promise<void> {
  const damaged = (what: string) => new StoreUnavailable(`it is damaged, ${what}: restore another`);
  const descriptor = openSync(file, 'r');
  const [head, end] = [Buffer.alloc(18), Buffer.alloc(SEAL_LENGTH)];
  let size: number;
  try {
    ({ size } = fstatSync(descriptor));
    readSync(descriptor, head, 0, head.length, 0);
    readSync(descriptor, end, 0, SEAL_LENGTH, Math.max(0, size - SEAL_LENGTH));
  } finally {
    closeSync(descriptor);
  }
  if (size === 0) throw damaged('it is empty');
  const [, digest] = SEAL.exec(end.toString('latin1')) ?? [];
  const page = head.readUInt16BE(16); // https://sqlite.org/fileformat2.html#page_size
  const isCut = head.toString('latin1', 0, 6) === 'SQLite' && size % (page === 1 ? 65_536 : page) > 0;
  if (digest === undefined && isCut) throw damaged('it is truncated');
  if (digest !== undefined && size > SEAL_LENGTH && digest !== (await digestOf(file, size - SEAL_LENGTH)))
    throw damaged('its content does not match its digest');
}

/**
 * Puts a new file in the place of a database that nobody has open.
 *
 * @returns the name that the replaced file has now, if there was one
 */
async function replace(file: string, part: string, schema: Schema): Promise<string | undefined> {
  const marker = markerOf(file);
  const isAgain = existsSync(marker); // one that was killed has moved some of the files already
  const kept =
    (isAgain && readFileSync(marker, 'utf8')) ||
    `${file}.replaced-${new Date().toISOString().replace(/\W/g, '')}`;
  const folder = dirname(file);
  const left = BESIDE.filter((end) => existsSync(file + end));
  if (!existsSync(file) && left.length === 0 && !isAgain) {
    linkSync(part, file);
    sync(folder);
    return undefined;
  }
  const closed = (await isWhole(file)) ? closeFile(file, schema) : undefined;
  const lock = closed ?? lockFile(file);
  try {
    if (!closed) {
      // From here on until the marker is gone nobody starts on what is there.
      writeFileSync(marker, kept, { mode: 0o600 });
      sync(marker);
      sync(folder);
      for (const end of left) renameSync(file + end, kept + end);
    }
    if (existsSync(file) && !existsSync(kept)) linkSync(file, kept); // a rename would leave no file for a moment
    renameSync(part, file);
    sync(folder);
    rmSync(marker, { force: true });
  } finally {
    lock?.close();
  }
  return kept;
}

async function isWhole(file: string): Promise<boolean> {
  try {
    checkContent(file, await examine(file));
    return existsSync(file);
  } catch {
    return false;
  }
}

const inUse = () =>
  new StoreUnavailable('a process has it open: stop every server and tool that uses it, then restore again');
const isBusy = (error: unknown) => codeOf(error).startsWith('SQLITE_BUSY');

/**
 * Puts the log of a database into its file, and locks it until it is closed.
 *
 * @returns undefined if it is damaged
 * @throws {StoreUnavailable} if others have it open, or it belongs to another program
 */
function closeFile(file: string, schema: Schema): SqliteDatabase | undefined {
  const db = new SqliteDatabase(file, { exists: true });
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE');
    checkOwner(db, schema, true);
    db.exec('PRAGMA journal_mode = DELETE');
    db.exec('BEGIN EXCLUSIVE');
    rmSync(`${file}-shm`, { force: true }); // one of a process that was killed
    return db;
  } catch (error) {
    db.close();
    if (isBusy(error)) throw inUse();
    if (error instanceof StoreUnavailable) throw error;
    return undefined;
  }
}

/**
 * Locks a file whose content nobody can read, or whose log is not its own, so that SQLite must not see them together: under
 * another name, since its locks are those of the inode. Beside a log SQLite takes the lock before it reads the file.
 */
function lockFile(file: string): { close(): void } | undefined {
  if (!existsSync(file)) return undefined;
  const alias = `${file}.lock-${randomBytes(6).toString('hex')}`;
  linkSync(file, alias);
  writeFileSync(`${alias}-wal`, 'x', { mode: 0o600 }); // SQLite ignores an empty log
  const db = new SqliteDatabase(alias);
  const close = () => {
    db.close();
    for (const end of ['', ...BESIDE]) rmSync(alias + end, { force: true });
  };
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    if (!isBusy(error)) return { close };
    close();
    throw inUse();
  }
  return { close };
}
