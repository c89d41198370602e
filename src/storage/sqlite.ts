import Database from 'better-sqlite3';
import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { CreateOutcome, Plant, PlantStore } from '../plants/plant-store';
import { StoreUnavailable, type StoreObserver } from '../store';
import { batching } from './batch';
import { explain, patiently, type Advice } from './failure';
import { watchFiles } from './sqlite-files';

/** "Plnt": tells our files from those of other programs (https://sqlite.org/pragma.html#pragma_application_id). */
const APPLICATION_ID = 0x506c6e74;

/** Each brings the schema from the version of its index to the next. Append only: files out there count on them. */
const MIGRATIONS = ['CREATE TABLE plants (id INTEGER PRIMARY KEY, name TEXT NOT NULL, tag TEXT) STRICT'];

/** Milliseconds to wait for the commits of other processes on the same file, and between two looks at it. */
const BUSY_TIMEOUT = 5000;
const BUSY_INTERVAL = 2;

/** By SQLite's result code (https://sqlite.org/rescode.html), or the errno of making the folder. */
const ADVICE: Advice = [
  ['SQLITE_NOTADB', 'it is not a SQLite database: name another file'],
  ['SQLITE_CORRUPT', 'it is damaged: restore a backup'],
  ['SQLITE_READONLY', 'it cannot be written: let this user write the file and its folder'],
  [
    'SQLITE_CANTOPEN',
    'it cannot be opened: it must be a file that this user may write, in a folder likewise',
  ],
  ['SQLITE_FULL', 'the disk is full: make room on it'],
  ['SQLITE_BUSY', `another process has kept it locked for ${BUSY_TIMEOUT / 1000} seconds: find and end it`],
  ['SQLITE_IOERR', 'the disk fails or is full: check it'],
  ['E', 'its folder cannot be created: make it, or name a file elsewhere'],
];

/** SQLite's own busy handler would block the event loop. */
const whenFree = <T>(action: () => T) => patiently(action, /^SQLITE_BUSY/, BUSY_TIMEOUT, BUSY_INTERVAL);

/** Creates the folder so that it, too, is there after a power cut: each new entry is synced in its parent. */
function makeFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true });
  if (first === undefined) return;
  for (let path = folder; path.length >= first.length; path = dirname(path)) {
    const parent = openSync(dirname(path), 'r');
    fsyncSync(parent);
    closeSync(parent);
  }
}

/** Reads the version of the schema, 0 in a new file. @throws {Error} if the file is not ours */
function prepareVersion(db: Database.Database): () => number {
  const reader = (sql: string) => db.prepare<[], number>(sql).pluck();
  const tables = reader('SELECT count(*) FROM sqlite_schema'); // the first, for it alone looks into the file
  const userVersion = reader('PRAGMA user_version');
  const applicationId = reader('PRAGMA application_id');
  return () => {
    const version = userVersion.get() ?? 0;
    const owner = applicationId.get();
    if (owner !== APPLICATION_ID && !(owner === 0 && tables.get() === 0))
      throw new Error('it belongs to another program: name another file');
    if (version > MIGRATIONS.length)
      throw new Error(
        `its schema has version ${version}, this program knows ${MIGRATIONS.length}: run the newer program`,
      );
    return version;
  };
}

/** The statements of one durable commit, prepared once. */
function prepareWrite(
  db: Database.Database,
  schemaVersion: () => number,
): (plants: readonly Plant[]) => CreateOutcome[] {
  const insert = db.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  const select = db.prepare<[bigint], { name: string; tag: string | null }>(
    'SELECT name, tag FROM plants WHERE id = ?',
  );
  const create = ({ id, name, tag }: Plant): CreateOutcome => {
    if (insert.run(id, name, tag ?? null).changes === 1) return 'created';
    const known = select.get(id);
    return known?.name === name && known.tag === (tag ?? null) ? 'unchanged' : 'conflict';
  };
  const commit = db.transaction((plants: readonly Plant[]) => {
    const version = schemaVersion(); // of another program by now?
    if (plants.length === 0) {
      // Sets what is set already: a commit that has to reach the disk, but changes nothing.
      db.exec(`PRAGMA user_version = ${version}`);
      select.get(0n); // is the table there?
    }
    return plants.map(create);
  });
  return (plants) => commit.immediate(plants);
}

/**
 * Opens the file as a restart would, and looks for a plant that has been committed.
 *
 * @throws {Error} if the restart would not find it, or could not write
 */
function findAgain(file: string, plant: Plant | undefined): void {
  const db = new Database(file, { fileMustExist: true, timeout: 0 });
  try {
    prepareVersion(db)();
    const known = db.prepare<[bigint], { name: string }>('SELECT name FROM plants WHERE id = ?');
    if (!known.get(plant?.id ?? 0n) && plant) throw new Error('it has lost plants: restore a backup');
    db.exec('BEGIN IMMEDIATE'); // which fails if it cannot be written; nothing is
    db.exec('ROLLBACK');
  } finally {
    db.close();
  }
}

/**
 * Keeps plants in one SQLite file, which several processes may share. Ids are bound as bigint and so exact. Nothing is
 * acknowledged that a restart would not find: if the file is deleted, replaced or damaged, the store is unavailable until
 * it is back, or the server has been restarted.
 *
 * @param path of the file; it and its folder are created where missing
 * @throws {Error} when the file cannot be used, with a sentence that says why and what to do
 */
export async function openSqliteStore(path: string, observer?: StoreObserver): Promise<PlantStore> {
  const file = resolve(path);
  const subject = `SQLite file ${file}`;
  let db: Database.Database | undefined;
  try {
    makeFolder(dirname(file));
    const opened = (db = new Database(file, { timeout: 0 }));
    const schemaVersion = await whenFree(() => prepareVersion(opened));
    await whenFree(opened.transaction(schemaVersion));
    const toWal = opened.prepare('PRAGMA journal_mode = WAL').pluck();
    if ((await whenFree(() => toWal.get())) !== 'wal')
      throw new Error('it cannot have a write-ahead log here: move it to a local disk');
    opened.exec('PRAGMA synchronous = FULL');
    opened.exec('PRAGMA fullfsync = ON'); // macOS: fsync alone leaves data in the cache of the drive
    const migrate = opened.transaction(() => {
      for (const migration of MIGRATIONS.slice(schemaVersion())) opened.exec(migration);
      opened.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      // Written at every start: proves that a commit reaches the disk, and takes along what a process that was killed
      // between writing and syncing has left in the log, before anybody is told that it is there.
      opened.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    });
    await whenFree(() => {
      migrate.immediate();
    });
    const write = prepareWrite(opened, schemaVersion);
    const files = watchFiles(file);
    const size = opened
      .prepare<[], number>('SELECT page_count * page_size FROM pragma_page_count, pragma_page_size')
      .pluck();
    const verify = async (plant: Plant | undefined) => {
      await whenFree(() => {
        findAgain(file, plant);
      });
      files.accept();
    };
    return batching(
      {
        async write(plants) {
          try {
            const outcomes = await whenFree(() => {
              files.checkLog();
              return write(plants);
            });
            if (files.changed(() => size.get() ?? 0)) await verify(plants.at(-1));
            return outcomes;
          } catch (error) {
            throw new StoreUnavailable(explain(subject, error, ADVICE), { cause: error });
          }
        },
        close() {
          opened.close();
          files.close();
          return Promise.resolve();
        },
      },
      observer,
    );
  } catch (error) {
    db?.close();
    throw new Error(explain(subject, error, ADVICE), { cause: error });
  }
}
