import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { MAX_WAITING, overload } from '../batch';
import type { Connection, Driver, Transaction } from '../driver';
import { codeOf } from '../failure';
import { StoreUnavailable } from '../store';
import { copiesOf } from './copy';
import { DIALECT, FAULTS } from './dialect';
import { SqliteDatabase } from './engine';
import { checkContent, examine } from './examination';
import { type DatabaseFiles, makeFile, makeFolder, watchFiles } from './files';
import { nameLog } from './log';
import { migrateFile, prepareVersion } from './schema';
import { statementsOf, whenFree } from './statements';

const START_TIMEOUT = /[?&]start_timeout=(\d{1,7})$/;
const fileOf = (url: string) =>
  url === 'memory:' ? undefined : resolve(url.replace('sqlite:', '').replace(START_TIMEOUT, ''));

const placeOf = (file?: string) =>
  file === undefined ? undefined : statSync(file, { throwIfNoEntry: false })?.ino;

/**
 * A SQLite file, which several processes can share, or a database in memory. A write is acknowledged only if a restart would
 * find it: if the file is deleted, replaced or damaged, the database is unavailable until the file is back or the server
 * restarts. The file and its folder are created if missing.
 */
export const SQLITE: Driver = {
  copies(url, schema) {
    const file = fileOf(url);
    if (file === undefined) throw new Error('it is not persistent, so there is nothing to copy');
    return copiesOf(file, schema);
  },
  urls: ['memory:', 'sqlite:PATH'],
  accepts: /^(memory:$|sqlite:.)/s,
  dialect: DIALECT,
  faults: FAULTS,
  subjectOf(url) {
    const file = fileOf(url);
    return file === undefined ? 'SQLite in memory' : `SQLite file ${file}`;
  },
  startTimeoutOf(url) {
    const [, timeout] = START_TIMEOUT.exec(url) ?? [];
    return timeout === undefined ? undefined : Number(timeout);
  },
  async open(url, schema, { migrating }) {
    const file = fileOf(url);
    const opened: SqliteDatabase[] = [];
    const connect = (options = { readOnly: false }) => {
      const connection = new SqliteDatabase(file ?? ':memory:', options);
      opened.push(connection);
      return connection;
    };
    const versionOf = (of: SqliteDatabase) => prepareVersion(of, schema)();
    checkTexts();
    try {
      if (file !== undefined) {
        makeFolder(dirname(file));
        checkContent(file, await examine(file));
      }
      const before = placeOf(file);
      if (file !== undefined) makeFile(file);
      const db = connect();
      const placed = before ?? placeOf(file);
      // A restore that had locked the file has replaced it: both would use the same log.
      const checkPlace = () => {
        if (placeOf(file) !== placed)
          throw new StoreUnavailable('another file has replaced it in the meantime: start again');
      };
      const checkSchema = await whenFree(() => prepareVersion(db, schema));
      await whenFree(() => db.transaction('DEFERRED', checkSchema));
      checkPlace();
      if (file !== undefined) await makeDurable(db);
      checkPlace();
      await migrateFile(db, checkSchema, schema, migrating);
      // The journal that undoes a failed statement: as a file, its default, it costs more than the rows of a batch.
      db.exec('PRAGMA temp_store = MEMORY');
      if (file === undefined) return connectionOf(db, checkSchema);
      await whenFree(() => {
        nameLog(db, checkSchema());
      });
      return connectionOf(db, checkSchema, connect({ readOnly: true }), watchFiles(file, db, versionOf));
    } catch (error) {
      for (const connection of opened) connection.close();
      throw error;
    }
  },
};

/** Node before 24.16, Node 25 and Node 26.0 cut a text that they read at its first U+0000. The file itself may be locked. */
function checkTexts(): void {
  const memory = new SqliteDatabase(':memory:');
  const text = memory.value("SELECT 'a' || char(0)")();
  memory.close();
  if (text !== 'a\0')
    throw new Error(
      `the SQLite of Node ${process.versions.node} cuts a string at its first U+0000: use Node 24.16 or later, or 26.1 or later`,
    );
}

async function makeDurable(db: SqliteDatabase): Promise<void> {
  const toWal = db.value('PRAGMA journal_mode = WAL');
  if ((await whenFree(() => toWal())) !== 'wal')
    throw new Error('it cannot have a write-ahead log here: move it to a local disk');
  db.exec('PRAGMA synchronous = FULL');
  db.exec('PRAGMA fullfsync = ON'); // macOS: fsync alone leaves data in the cache of the drive
}

/**
 * @param checkSchema the version of the schema; it throws if it has become that of another program
 * @param reader sees what is committed, and nothing of a transaction that runs meanwhile; none in memory
 */
function connectionOf(
  db: SqliteDatabase,
  checkSchema: () => number,
  reader?: SqliteDatabase,
  files?: DatabaseFiles,
): Connection {
  const writing = statementsOf(db);
  const reading = reader && statementsOf(reader);
  const beginning = db.prepare('BEGIN IMMEDIATE');
  const committing = db.prepare('COMMIT');
  const lock = createLock();

  function start(): void {
    beginning.run([]);
    files?.checkLog();
    checkSchema();
  }

  function finish(): Promise<void> | undefined {
    committing.run([]);
    return files?.settle();
  }

  function end(): void {
    db.rollback();
    lock.release();
  }

  const transaction: Transaction = {
    run: ({ text, values }) => writing(text).run(values),
    async commit() {
      await finish();
      lock.release();
    },
    rollback() {
      end();
      return Promise.resolve();
    },
  };

  async function begin(): Promise<Transaction> {
    await lock.acquire();
    try {
      await whenFree(start);
      return transaction;
    } catch (error) {
      end();
      throw error;
    }
  }

  /** A transaction of one action. It awaits only what it has to, because most creations take this path. */
  async function commit<T>(action: () => T): Promise<T> {
    const turn = lock.acquire();
    if (turn) await turn;
    try {
      const starting = whenFree(start);
      if (starting) await starting;
      const result = action();
      const settling = finish();
      if (settling) await settling;
      return result;
    } finally {
      end();
    }
  }

  return {
    concurrency: 1,
    async run({ text, values }) {
      const statement = await whenFree(() => writing(text));
      if (!reading || !statement.reads) return commit(() => statement.run(values));
      return whenFree(() => {
        files?.checkPlace();
        return reading(text).run(values);
      });
    },
    begin,
    // No error after a commit is transient: the commit has succeeded, and only its proof can have failed.
    isTransient: (error, isCommitting) => !isCommitting && codeOf(error).startsWith('SQLITE_BUSY'),
    probe: ({ text, values }) =>
      commit(() => {
        // Sets the value that it already has: a commit that must reach the disk, but changes nothing.
        db.exec(`PRAGMA user_version = ${checkSchema()}`);
        return writing(text).run(values);
      }),
    close() {
      reader?.close();
      db.close();
      files?.close();
      return Promise.resolve();
    },
  };
}

function createLock() {
  const waiting: (() => void)[] = [];
  let locked = false;
  return {
    /** Resolves when nobody else holds it. @throws {StoreUnavailable} if too many wait for it */
    acquire(): Promise<void> | undefined {
      if (waiting.length === MAX_WAITING) throw overload();
      if (locked) return new Promise((resolve) => waiting.push(resolve));
      locked = true;
      return undefined;
    },
    release(): void {
      const next = waiting.shift();
      if (next) next();
      else locked = false;
    },
  };
}
