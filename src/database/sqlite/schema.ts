import type Database from 'better-sqlite3';
import {
  type Applied,
  checkVersion,
  compareApplied,
  migrate,
  type Migrating,
  recordsOf,
  type Schema,
  selectApplied,
  type WithLock,
} from '../schema';
import { render } from '../sql';
import { StoreUnavailable } from '../store';
import { DIALECT } from './dialect';
import { execute, untilFree } from './statements';

/** Reads the version of the schema, 0 in a new file. @throws {StoreUnavailable} if the file is not ours */
export function prepareVersion(db: Database.Database, schema: Schema): () => number {
  const reader = (text: string) => db.prepare<[], number>(text).pluck();
  const tables = reader('SELECT count(*) FROM sqlite_schema'); // the first, for it alone looks into the file
  const userVersion = reader('PRAGMA user_version');
  const applicationId = reader('PRAGMA application_id');
  const own = markOf(schema);
  /** The version of a newer program that lets this one run. */
  let admitted = 0;
  return () => {
    const version = userVersion.get() ?? 0;
    const owner = applicationId.get();
    if (owner !== own && !(owner === 0 && tables.get() === 0))
      throw new StoreUnavailable('it belongs to another program: name another file');
    if (version > schema.migrations.length && version !== admitted) {
      checkVersion(version, schema, readApplied(db, schema));
      admitted = version;
    }
    return version;
  };
}

/** What an earlier version of this library has kept lacks the oldest programs, or is nothing. */
function readApplied(db: Database.Database, schema: Schema): Applied[] {
  const known = db.prepare<[string], number>('SELECT count(*) FROM sqlite_schema WHERE name = ?').pluck();
  const [hasRun = 0, hasOldest = 0] = recordsOf(schema).map(({ name }) =>
    known.get(name.replaceAll('"', '')),
  );
  if (hasRun === 0) return [];
  const { text } = render(selectApplied(schema, hasOldest > 0), DIALECT);
  return db.prepare<[], Applied>(text).safeIntegers().all();
}

function markOf({ mark }: Schema): number {
  if (!/^[\x20-\x7e]{4}$/.test(mark))
    throw new Error(`expected a mark of four ASCII characters, got ${mark}`);
  return Buffer.from(mark).readInt32BE();
}

/** Brings the schema of a database up to date. */
export async function migrateFile(
  db: Database.Database,
  checkSchema: () => number,
  schema: Schema,
  migrating: Migrating,
): Promise<void> {
  const withLock: WithLock = (work) =>
    untilFree(async () => {
      db.exec('BEGIN IMMEDIATE');
      try {
        const version = checkSchema();
        for (const { create } of recordsOf(schema)) db.exec(render(create, DIALECT).text);
        const reached = await work({
          version,
          run: (statement) => execute(db.prepare(statement.text).safeIntegers(), statement.values),
        });
        db.exec(`PRAGMA application_id = ${markOf(schema)}`);
        // Written at every start: proves that a commit reaches the disk, and takes along what a process that was killed
        // between writing and syncing has left in the log, before anybody is told that it is there.
        db.exec(`PRAGMA user_version = ${reached}`);
        db.exec('COMMIT');
      } finally {
        if (db.inTransaction) db.exec('ROLLBACK');
      }
    });
  await migrate(schema, DIALECT, withLock, migrating);
}

/** @throws {StoreUnavailable} unless a database is of this program, or empty where that is admitted */
export function checkOwner(db: Database.Database, schema: Schema, admitsEmpty: boolean): void {
  const owner = db.pragma('application_id', { simple: true });
  const isEmpty = () => owner === 0 && db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
  if (owner !== markOf(schema) && !(admitsEmpty && isEmpty()))
    throw new StoreUnavailable('it belongs to another program: name another file');
}

/**
 * Looks whether a start would accept a database, and changes nothing.
 *
 * @returns the version of its schema
 * @throws {Error} if it is of another program or of a newer schema, or its migrations were others
 */
export function compareSchema(db: Database.Database, schema: Schema): number {
  checkOwner(db, schema, false);
  const version = prepareVersion(db, schema)();
  const tables = db.prepare("SELECT 1 FROM sqlite_schema WHERE name LIKE '%\\_migrations' ESCAPE '\\'");
  if (tables.get() === undefined) return version; // version 2.0.0 has made it
  const applied = readApplied(db, schema);
  if (version > 0 && applied.length === 0)
    throw new StoreUnavailable('it belongs to another program: name another file');
  compareApplied(version, applied, schema, DIALECT);
  return version;
}
