import { createDatabase, type Database } from './database';
import type { Connection, Driver } from './driver';
import { DRIVERS } from './drivers';
import { explain } from './failure';
import { nameOf } from './column';
import { columnsNotAdded } from './migration';
import type { Schema } from './schema';
import { raw, render, sql } from './sql';
import { type Opening, persist } from './start';
import { type ClosedDatabase, type StoreObserver, UnusableDatabase } from './store';

/** What a database URL may look like: `memory:, sqlite:PATH or ...`. */
export function databaseUrls(): string {
  const urls = DRIVERS.flatMap(({ urls: forms }) => forms);
  return `${urls.slice(0, -1).join(', ')} or ${urls.at(-1)}`;
}

const driverOf = (url: string): Driver | undefined => DRIVERS.find(({ accepts }) => accepts.test(url));

/** Whether there is a driver for the database of a URL. */
export const isDatabaseUrl = (url: string): boolean => driverOf(url) !== undefined;

/** What is wrong with a URL that has a driver, without a password; undefined if nothing is. */
export function wrongOfUrl(url: string): string | undefined {
  try {
    driverOf(url)?.subjectOf(url);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Milliseconds for which a start waits, where the URL has no `start_timeout`. */
export const START_TIMEOUT = 60_000;

/**
 * Opens the database that a URL names, and brings its schema up to date: `memory:` (a SQLite database of this process),
 * `sqlite:PATH` or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. For the `start_timeout` of the URL, in milliseconds, it waits
 * while the database is away, or somebody has locked what is needed, and tells the observer.
 *
 * @throws {UnusableDatabase} when there is no such database or it cannot be used, with a sentence that says why and what to do
 */
export async function openDatabase(url: string, schema: Schema, observer?: StoreObserver): Promise<Database> {
  const driver = driverOf(url);
  if (!driver) {
    // Only the scheme is repeated: what follows may hold a password.
    const [, scheme] = /^([a-z][a-z\d+.-]*):/i.exec(url) ?? [];
    const got = scheme === undefined ? 'none' : `one that begins with "${scheme}:"`;
    throw new UnusableDatabase(`expected a database URL like ${databaseUrls()}, got ${got}`);
  }
  const wrong = wrongOfUrl(url);
  if (wrong !== undefined) throw new UnusableDatabase(wrong);
  const { faults } = driver;
  const subject = driver.subjectOf(url);
  await observer?.opening?.(closedDatabase(driver, subject, url, schema));
  const timeout = driver.startTimeoutOf?.(url) ?? START_TIMEOUT;
  const open = async (opening: Opening) => {
    const opened = await driver.open(url, schema, opening);
    try {
      await checkAdded(opened, driver, schema);
      return opened;
    } catch (error) {
      await opened.close();
      throw error;
    }
  };
  const connection = await persist(open, { subject, faults, timeout, observer });
  return createDatabase(driver, connection, { subject, probe: schema.probe, observer });
}

/** Each request that needs such a column would fail. A migration may add it without `addColumn`. */
async function checkAdded(
  connection: Connection,
  { dialect }: Driver,
  { migrations }: Schema,
): Promise<void> {
  for (const column of columnsNotAdded(migrations)) {
    const { table } = column.rules.place ?? {};
    try {
      await connection.run(render(sql`SELECT ${column} FROM ${raw(table ?? '')} WHERE FALSE`, dialect));
    } catch (cause) {
      const [of = '', name = ''] = nameOf(column).split('.');
      const step = `{ name: '${name} of ${of}', oldest: ${migrations.length}, steps: [addColumn(${of}.${name})] }`;
      throw new Error(`no migration adds ${of}.${name}: append ${step} to migrations`, { cause });
    }
  }
}

async function explained<T>({ faults }: Driver, subject: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw new UnusableDatabase(explain(subject, error, faults.advice), { cause: error });
  }
}

function closedDatabase(driver: Driver, subject: string, url: string, schema: Schema): ClosedDatabase {
  const copy = (direction: 'backup' | 'restore') => (file: string) =>
    explained(driver, subject, () => {
      const copies = driver.copies?.(url, schema);
      if (copies) return copies[direction](file);
      throw new Error('use the tools of its engine: docs/postgres-backup.md shows those of PostgreSQL');
    });
  return { subject, backup: copy('backup'), restore: copy('restore') };
}
