import { closeSync, existsSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../failure';
import { StoreUnavailable } from '../store';
import { SqliteDatabase, SqliteError } from './engine';
import { examineFiles, type Found } from './log';

/** Bytes of a file that was not closed, up to which its content is checked; each gigabyte would take seconds. */
const MAX_CHECKED = 64 * 1024 * 1024;
/** Another process may write while the files are read: what does not fit then fits a moment later. */
const EXAMINATIONS = 4;

/** The files that this process has open, by device and inode, with what others have opened of them. */
const inUse = new Map<string, { users: number; readonly descriptors: number[] }>();

export function keyOf(file: string): string {
  const { dev, ino } = statSync(file);
  return `${dev} ${ino}`;
}

/**
 * Takes a file for open until the function that it returns is called, after SQLite has closed it. Whoever closes it last
 * closes all descriptors: to close one drops the locks that SQLite has on the file in this process
 * (https://sqlite.org/howtocorrupt.html, section 2.2).
 */
export function keepOpen(file: string, descriptors: readonly number[]): () => void {
  const key = keyOf(file);
  const kept = inUse.get(key) ?? { users: 0, descriptors: [] };
  inUse.set(key, kept);
  kept.users++;
  kept.descriptors.push(...descriptors);
  return () => {
    if (--kept.users > 0) return;
    inUse.delete(key);
    kept.descriptors.forEach(closeSync);
  };
}

/** Looks again, up to so many times, if the files do not belong together: another process may be naming the log. */
export async function lookAgain<T>(attempts: number, look: () => T | Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await look();
    } catch (error) {
      if (codeOf(error) !== '' || attempt === attempts) throw error;
    }
    await sleep(2 ** attempt);
  }
}

/** The file that stands beside a database while a restore moves its files; it has the name that they get. */
export const markerOf = (file: string): string => `${file}.restoring`;

/** @throws {StoreUnavailable} if a file is a pipe or a device: to read it may never end, and nobody wants it replaced */
export function checkRegular(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found && !found.isFile() && !found.isDirectory())
    throw new StoreUnavailable('it is not a regular file: use another');
}

/** @throws {Error} if the file and its log do not belong together, or are not whole */
export async function examine(file: string): Promise<Found> {
  if (existsSync(markerOf(file)))
    throw new StoreUnavailable('a restore of it was interrupted: restore the backup again');
  try {
    checkRegular(file);
    // A file that this process has open has been examined.
    return await lookAgain(EXAMINATIONS, () =>
      existsSync(file) && inUse.has(keyOf(file)) ? 'closed' : examineFiles(file),
    );
  } catch (error) {
    if (codeOf(error) !== '') return 'closed'; // what cannot be read SQLite explains better
    throw error;
  }
}

/** @throws {Error} if the content of a database that was not closed is damaged, as far as its size allows to look */
export function checkContent(file: string, found: Found): void {
  if (found === 'closed' || (found === 'logged' && statSync(file).size > MAX_CHECKED)) return;
  const db = new SqliteDatabase(file, { readOnly: true }); // one that may write would put the log into the file
  try {
    const first = db.value('PRAGMA quick_check(1)')();
    if (first !== 'ok') throw new SqliteError(String(first), 'SQLITE_CORRUPT');
  } finally {
    db.close();
  }
}
