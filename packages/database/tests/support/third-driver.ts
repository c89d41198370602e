import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { DRIVERS } from '../../src/drivers';
import type { Driver, Result, Transaction } from '../../src/driver';
import { all, codeOf, retryTransient } from '../../src/failure';
import { migrate, recordsOf, type WithLock } from '../../src/schema';
import { type Dialect, render, type Rendered } from '../../src/sql';
import { DIALECT as SQLITE } from '../../src/sqlite/dialect';

// A third engine, as somebody would add it: one file, which nothing but the table of drivers names. It keeps its databases
// in files of SQLite by the driver that Node brings, and speaks a dialect of a name of its own.

const DIALECT: Dialect = { ...SQLITE, names: ['third'] };

/** Codes of this driver: a name for each of the numbers that matter. */
const CODES: Readonly<Record<number, string>> = {
  5: 'BUSY',
  275: 'CHECK',
  787: 'FOREIGN_KEY',
  1299: 'NOT_NULL',
  1555: 'KEY',
  2067: 'UNIQUE',
};

function coded<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    const { errcode } = error as { errcode?: number };
    throw errcode === undefined ? error : Object.assign(error as Error, { code: CODES[errcode] ?? 'ERROR' });
  }
}

/** Older versions of Node read a text up to its first U+0000, and so none is kept. */
const written = (value: unknown) =>
  typeof value === 'string' ? value.replaceAll('\u0001', '\u00011').replaceAll('\0', '\u00010') : value;
const read = (value: unknown) =>
  typeof value === 'string' ? value.replaceAll('\u00010', '\0').replaceAll('\u00011', '\u0001') : value;

function execute(db: DatabaseSync, { text, values }: Rendered): Result {
  return coded(() => {
    const statement = db.prepare(text);
    statement.setReadBigInts(true);
    const given = values.map(written) as SQLInputValue[];
    if (!/^\s*(SELECT|WITH)|\bRETURNING\b/i.test(text))
      return { rows: [], count: Number(statement.run(...given).changes) };
    const rows = statement
      .all(...given)
      .map((row) =>
        Object.fromEntries(Object.entries(row as object).map(([name, value]) => [name, read(value)])),
      );
    return { rows, count: rows.length };
  });
}

const untilFree = <T>(action: () => T | Promise<T>) => retryTransient(action, /^BUSY$/, 5000, 2);
const fileOf = (url: string) => url.replace('third:', '');

const THIRD: Driver = {
  urls: ['third:PATH'],
  accepts: /^third:./,
  dialect: DIALECT,
  faults: {
    kinds: {
      ...all('away', 'BUSY'),
      ...all('other', 'CHECK NOT_NULL'),
      ...all('unique', 'UNIQUE KEY'),
      ...all('foreign key', 'FOREIGN_KEY'),
    },
    advice: [['BUSY', 'end whoever keeps it locked']],
    passing: /^BUSY$/,
  },
  subjectOf: (url) => `third database ${fileOf(url)}`,
  async open(url, schema, { migrating }) {
    const connect = () => {
      const db = new DatabaseSync(fileOf(url));
      db.exec('PRAGMA busy_timeout = 0; PRAGMA synchronous = FULL');
      return db;
    };
    const [writer, reader] = [connect(), connect()];
    const begin = () =>
      untilFree(() => {
        coded(() => {
          writer.exec('BEGIN IMMEDIATE');
        });
      });
    await untilFree(() => {
      coded(() => {
        writer.exec('PRAGMA journal_mode = WAL');
      });
    });
    const withLock: WithLock = async (work) => {
      await begin();
      for (const { create } of recordsOf(schema)) execute(writer, render(create, DIALECT));
      const version = Number(writer.prepare('PRAGMA user_version').get()?.['user_version']);
      const reached = await work({ version, run: (statement) => execute(writer, statement) });
      writer.exec(`PRAGMA user_version = ${reached}; COMMIT`);
    };
    try {
      await migrate(schema, DIALECT, withLock, migrating);
    } catch (error) {
      for (const db of [writer, reader]) db.close();
      throw error;
    }

    /** Resolves when the transaction before has ended. */
    let turn = Promise.resolve<unknown>(undefined);
    async function beginInTurn(): Promise<Transaction> {
      const before = turn;
      const { promise, resolve } = Promise.withResolvers<undefined>();
      turn = promise;
      await before;
      const end = (text: string) => {
        coded(() => {
          writer.exec(text);
        });
        resolve(undefined);
        return Promise.resolve();
      };
      try {
        await begin();
      } catch (error) {
        resolve(undefined);
        throw error;
      }
      return {
        run: (statement) => Promise.resolve(execute(writer, statement)),
        commit: () => end('COMMIT'),
        rollback: () => end('ROLLBACK'),
      };
    }

    async function write(statement: Rendered): Promise<Result> {
      const transaction = await beginInTurn();
      try {
        const result = await transaction.run(statement);
        await transaction.commit();
        return result;
      } catch (error) {
        await transaction.rollback();
        throw error;
      }
    }

    return {
      concurrency: 1,
      run: (statement) =>
        /^\s*(SELECT|WITH)/i.test(statement.text)
          ? untilFree(() => execute(reader, statement))
          : write(statement),
      begin: beginInTurn,
      isTransient: (error, committing) => !committing && codeOf(error) === 'BUSY',
      probe: write,
      close() {
        for (const db of [writer, reader]) db.close();
        return Promise.resolve();
      },
    };
  },
};

/** Makes it an engine that `openDatabase` knows. */
export function registerThird(): void {
  DRIVERS.push(THIRD);
}
