import Database from 'better-sqlite3';
import { dirname, resolve } from 'node:path';
import { SQLITE_RESULT } from '../codes';
import type { Driver } from '../database';
import {
  codeOf,
  explain,
  retryTransient,
  toStoreError,
  type Advice,
  type Failed,
  type Faults,
} from '../failure';
import { createLock } from '../lock';
import type { Schema } from '../schema';
import { render, type Sql } from '../sql';
import { checkContent, examine, inUse, keyOf } from './examination';
import { makeFolder, watchFiles } from './files';
import { nameLog } from './log';
import { compareWithRestart } from './restart';
import { migrate, prepareVersion } from './schema';
import { execute, type Statement, statementsOf } from './statements';
import { type Result, runTransaction, type Session } from '../transaction';

/** Milliseconds to wait for the commits of other processes on the same file, and between two looks at it. */
const BUSY_TIMEOUT = 5000;
const BUSY_INTERVAL = 2;
const BUSY = /^SQLITE_BUSY/;

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

/** After a commit nothing is: only what proves it can have failed. */
const isTransient = (error: unknown, committing: boolean) =>
  !committing && codeOf(error).startsWith('SQLITE_BUSY');

/** SQLite's own busy handler would block the event loop. */
function whenFree<T>(action: () => T): T | Promise<T> {
  try {
    return action();
  } catch (error) {
    if (!codeOf(error).startsWith('SQLITE_BUSY')) throw error;
  }
  return retryTransient(action, BUSY, BUSY_TIMEOUT, BUSY_INTERVAL);
}

/**
 * Opens a SQLite file, which several processes may share. Nothing is acknowledged that a restart would not find: if the
 * file is deleted, replaced or damaged, the database is unavailable until it is back, or the server has been restarted.
 *
 * @param path of the file; it and its folder are created where missing. Undefined: a database in memory
 * @throws {Error} when the file cannot be used, with a sentence that says why and what to do
 */
export async function openSqlite(path: string | undefined, schema: Schema): Promise<Driver> {
  const file = path === undefined ? undefined : resolve(path);
  const subject = file === undefined ? 'SQLite in memory' : `SQLite file ${file}`;
  const opened: Database.Database[] = [];
  const connect = (options: Database.Options = {}) => {
    const connection = new Database(file ?? ':memory:', { timeout: 0, ...options });
    opened.push(connection);
    return connection;
  };
  try {
    if (file !== undefined) makeFolder(dirname(file));
    if (file !== undefined) checkContent(file, await examine(file));
    const db = connect();
    const checkSchema = await whenFree(() => prepareVersion(db, schema));
    await whenFree(db.transaction(checkSchema));
    if (file !== undefined) await makeDurable(db);
    await retryTransient(() => migrate(db, checkSchema, schema), BUSY, BUSY_TIMEOUT, BUSY_INTERVAL);
    if (file !== undefined)
      await whenFree(() => {
        nameLog(db, checkSchema());
      });
    // What undoes a statement that fails: a file for the 64 KB that it has by default costs more than the rows of a batch.
    db.exec('PRAGMA temp_store = MEMORY');
    // Sees what is committed, and nothing of a transaction that runs meanwhile.
    const reader = file === undefined ? undefined : connect({ readonly: true });
    return createDriver(db, reader, file, subject, checkSchema, schema);
  } catch (error) {
    for (const connection of opened) connection.close();
    throw new Error(explain(subject, error, ADVICE), { cause: error });
  }
}

async function makeDurable(db: Database.Database): Promise<void> {
  const toWal = db.prepare('PRAGMA journal_mode = WAL').pluck();
  if ((await whenFree(() => toWal.get())) !== 'wal')
    throw new Error('it cannot have a write-ahead log here: move it to a local disk');
  db.exec('PRAGMA synchronous = FULL');
  db.exec('PRAGMA fullfsync = ON'); // macOS: fsync alone leaves data in the cache of the drive
}

function createDriver(
  db: Database.Database,
  reader: Database.Database | undefined,
  file: string | undefined,
  subject: string,
  checkSchema: () => number,
  schema: Schema,
): Driver {
  const files = file === undefined ? undefined : watchFiles(file);
  const key = file === undefined ? '' : keyOf(file);
  inUse.push(key);
  const writing = statementsOf(db);
  const reading = reader && statementsOf(reader);
  const pageBytes = db
    .prepare<[], number>('SELECT page_count * page_size FROM pragma_page_count, pragma_page_size')
    .pluck();
  const probe = render(schema.probe, 'sqlite');
  const cookie = db.prepare<[], number>('PRAGMA schema_version').pluck();
  const commitOne = db.transaction((statement: Statement, values: readonly unknown[]) => {
    checkSchema(); // of another program by now?
    return execute(statement, values);
  });
  const commitProbe = db.transaction(() => {
    // Sets what is set already: a commit that has to reach the disk, but changes nothing.
    db.exec(`PRAGMA user_version = ${checkSchema()}`);
    execute(writing(probe.text), probe.values);
  });
  const lock = createLock();

  const faults: Faults = { subject, kinds: SQLITE_RESULT, advice: ADVICE };
  const toError = (error: unknown, failed?: Failed) => toStoreError(faults, error, failed);
  const changed = () => files?.changed(() => pageBytes.get() ?? 0) === true;

  /** @throws {Error} if a restart would not find what has been committed */
  async function verify(): Promise<void> {
    await whenFree(() => {
      if (file !== undefined)
        compareWithRestart(
          file,
          db,
          (fresh) => prepareVersion(fresh, schema)(),
          () => files?.checkName(cookie.get() ?? 0),
        );
    });
    files?.accept();
  }

  /** What has been committed is acknowledged when a restart would find it, and can tell the log from others. */
  function settle(): Promise<void> | undefined {
    const isChanged = changed();
    const needsName = files?.needsName() === true;
    return isChanged || needsName ? verifyAndName(isChanged, needsName) : undefined;
  }

  async function verifyAndName(isChanged: boolean, needsName: boolean): Promise<void> {
    if (isChanged) await verify();
    if (!needsName) return;
    await whenFree(() => {
      nameLog(db, checkSchema());
    });
    if (changed()) files?.accept();
  }

  async function commit<T>(action: () => T): Promise<T> {
    await lock.acquire();
    try {
      const result = await whenFree(() => {
        files?.checkLog();
        return action();
      });
      const settling = settle();
      if (settling) await settling;
      return result;
    } finally {
      lock.release();
    }
  }

  function beginSession(): void {
    files?.checkLog();
    db.exec('BEGIN IMMEDIATE');
    try {
      checkSchema();
    } catch (error) {
      db.exec('ROLLBACK');
      throw error;
    }
  }

  const session: Session = {
    async run<Row>(query: Sql<Row>) {
      const { text, values } = render(query, 'sqlite');
      try {
        return await Promise.resolve(execute<Row>(writing(text), values));
      } catch (error) {
        throw toError(error, { text, values });
      }
    },
    async commit() {
      try {
        db.exec('COMMIT');
        await settle();
      } catch (error) {
        throw toError(error);
      }
    },
    rollback() {
      if (db.inTransaction) db.exec('ROLLBACK');
      return Promise.resolve();
    },
  };

  async function begin(): Promise<Session> {
    try {
      await whenFree(beginSession);
      return session;
    } catch (error) {
      throw toError(error);
    }
  }

  return {
    async run<Row>(query: Sql<Row>) {
      const { text, values } = render(query, 'sqlite');
      try {
        const statement = await whenFree(() => writing(text));
        if (!reading || !statement.readonly)
          return (await commit(() => commitOne.immediate(statement, values))) as Result<Row>;
        return await whenFree(() => {
          files?.checkPlace();
          return execute<Row>(reading(text), values);
        });
      } catch (error) {
        throw toError(error, { text, values });
      }
    },
    async transaction(work) {
      await lock.acquire();
      try {
        return await runTransaction(begin, work, isTransient);
      } finally {
        lock.release();
      }
    },
    async probe() {
      try {
        await commit(() => {
          commitProbe.immediate();
        });
      } catch (error) {
        throw toError(error);
      }
    },
    close() {
      reader?.close();
      db.close();
      files?.close();
      inUse.splice(inUse.indexOf(key), 1);
      return Promise.resolve();
    },
  };
}
