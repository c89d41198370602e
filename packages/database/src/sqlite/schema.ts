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
import type { SqliteDatabase } from './engine';
import { untilFree } from './statements';

/** Reads the version of the schema, 0 in a new file. @throws {StoreUnavailable} if the file is not ours */
export function prepareVersion(db: SqliteDatabase, schema: Schema): () => number {
  const tables = db.value('SELECT count(*) FROM sqlite_schema'); // the first, for it alone looks into the file
  const userVersion = db.value('PRAGMA user_version');
  const applicationId = db.value('PRAGMA application_id');
  const own = markOf(schema);
  /** The version of a newer program that lets this one run. */
  let admitted = 0;
  return () => {
    const version = Number(userVersion());
    const owner = applicationId();
    if (owner !== own && !(owner === 0 && tables() === 0))
      throw new StoreUnavailable('it belongs to another program: use another file');
    if (version > schema.migrations.length && version !== admitted) {
      checkVersion(version, schema, readApplied(db, schema));
      admitted = version;
    }
    return version;
  };
}

/** What an earlier version of this library has kept lacks the oldest programs, or is nothing. */
function readApplied(db: SqliteDatabase, schema: Schema): Applied[] {
  const known = db.value('SELECT count(*) FROM sqlite_schema WHERE name = ?');
  const [hasRun = 0, hasOldest = 0] = recordsOf(schema).map(({ name }) =>
    Number(known(name.replaceAll('"', ''))),
  );
  if (hasRun === 0) return [];
  const { text } = render(selectApplied(schema, hasOldest > 0), DIALECT);
  return db.prepare(text).run([]).rows as Applied[];
}

function markOf({ mark }: Schema): number {
  if (!/^[\x20-\x7e]{4}$/.test(mark))
    throw new Error(`expected a mark of four ASCII characters, got ${mark}`);
  return Buffer.from(mark).readInt32BE();
}

/** Brings the schema of a database up to date. */
export async function migrateFile(
  db: SqliteDatabase,
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
          run: ({ text, values }) => db.prepare(text).run(values),
        });
        db.exec(`PRAGMA application_id = ${markOf(schema)}`);
        // Written at every start: proves that a commit reaches the disk, and takes along what a process that was killed
        // between writing and syncing has left in the log, before anybody is told that it is there.
        db.exec(`PRAGMA user_version = ${reached}`);
        db.exec('COMMIT');
      } finally {
        db.rollback();
      }
    });
  await migrate(schema, DIALECT, withLock, migrating);
}

/** @throws {StoreUnavailable} unless a database is of this program, or empty where that is admitted */
export function checkOwner(db: SqliteDatabase, schema: Schema, admitsEmpty: boolean): void {
  const owner = db.value('PRAGMA application_id')();
  const isEmpty = () => owner === 0 && db.value('SELECT 1 FROM sqlite_schema')() === undefined;
  if (owner !== markOf(schema) && !(admitsEmpty && isEmpty()))
    throw new StoreUnavailable('it belongs to another program: use another file');
}

/**
 * Looks whether a start would accept a database, and changes nothing.
 *
 * @returns the version of its schema
 * @throws {Error} if it is of another program or of a newer schema, or its migrations were others
 */
export function compareSchema(db: SqliteDatabase, schema: Schema): number {
  checkOwner(db, schema, false);
  const version = prepareVersion(db, schema)();
  const tables = db.value("SELECT 1 FROM sqlite_schema WHERE name LIKE '%\\_migrations' ESCAPE '\\'");
  if (tables() === undefined) return version; // version 2.0.0 has made it
  const applied = readApplied(db, schema);
  if (version > 0 && applied.length === 0)
    throw new StoreUnavailable('it belongs to another program: use another file');
  compareApplied(version, applied, schema, DIALECT);
  return version;
}
