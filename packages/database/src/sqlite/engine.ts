import {
  backup,
  constants,
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { Result } from '../driver';

/*
 * The SQLite of Node (https://nodejs.org/api/sqlite.html), with what the driver needs and Node's module lacks: names of result
 * codes, texts of one statement only, and whether a statement writes.
 */

/** Primary result codes in the order of their numbers (https://sqlite.org/rescode.html). */
const PRIMARY = (
  'OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY ' +
  'SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB NOTICE WARNING'
).split(' ');
/** Extended result codes of a primary one, in the order of their second byte, which begins at 1. */
const EXTENDED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ERROR: 'MISSING_COLLSEQ RETRY SNAPSHOT RESERVESIZE KEY UNABLE',
    ABORT: ' ROLLBACK',
    BUSY: 'RECOVERY SNAPSHOT TIMEOUT',
    LOCKED: 'SHAREDCACHE VTAB',
    READONLY: 'RECOVERY CANTLOCK ROLLBACK DBMOVED CANTINIT DIRECTORY',
    IOERR:
      'READ SHORT_READ WRITE FSYNC DIR_FSYNC TRUNCATE FSTAT UNLOCK RDLOCK DELETE BLOCKED NOMEM ACCESS CHECKRESERVEDLOCK LOCK ' +
      'CLOSE DIR_CLOSE SHMOPEN SHMSIZE SHMLOCK SHMMAP SEEK DELETE_NOENT MMAP GETTEMPPATH CONVPATH VNODE AUTH BEGIN_ATOMIC ' +
      'COMMIT_ATOMIC ROLLBACK_ATOMIC DATA CORRUPTFS IN_PAGE BADKEY CODEC',
    CORRUPT: 'VTAB SEQUENCE INDEX',
    CANTOPEN: 'NOTEMPDIR ISDIR FULLPATH CONVPATH DIRTYWAL SYMLINK',
    CONSTRAINT:
      'CHECK COMMITHOOK FOREIGNKEY FUNCTION NOTNULL PRIMARYKEY TRIGGER UNIQUE VTAB ROWID PINNED DATATYPE',
  }),
);

/** `SQLITE_BUSY_SNAPSHOT` for 517. One that a newer SQLite has added has the name of its primary code. */
export function nameOf(code: number): string {
  const primary = PRIMARY[code & 0xff] ?? 'ERROR';
  const extended = EXTENDED.get(primary)?.split(' ')[(code >> 8) - 1] ?? '';
  return ['SQLITE', primary, extended].filter((part) => part !== '').join('_');
}

/** An error of SQLite. */
export class SqliteError extends Error {
  constructor(
    message: string,
    /** The name of its extended result code. */
    readonly code: string,
  ) {
    super(message);
  }
}

/** Gives the errors of SQLite their names. */
function named<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw toNamed(error);
  }
}

function toNamed(error: unknown): unknown {
  const { errcode, message } = error as { readonly errcode?: number; readonly message: string };
  return errcode === undefined ? error : new SqliteError(message, nameOf(errcode));
}

/** What a statement does that only reads. */
const READS = new Set([
  constants.SQLITE_SELECT,
  constants.SQLITE_READ,
  constants.SQLITE_FUNCTION,
  constants.SQLITE_RECURSIVE,
]);

/** What may follow a statement: https://sqlite.org/lang_comment.html */
const NOTHING = /^(?:[\s;]|--.*|\/\*(?:(?!\*\/)[^])*(?:\*\/|$))*$/;

const INT64_MIN = -(2 ** 63);

/**
 * A value as SQLite takes it, which has no integers beyond 64 bits. As a double such a number compares with every integer as it
 * should, and no column of integers takes it. The least integer is one, also as a double: before SQLite 3.54 no key took that.
 */
function bound(value: unknown): SQLInputValue {
  if (value === INT64_MIN) return BigInt(value);
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) !== value) {
    const double = Number(value);
    return double === INT64_MIN ? INT64_MIN - 2048 : double; // the next double
  }
  return value as SQLInputValue; // Node rejects what it cannot bind
}

/** The rows of a statement that answers lists: its type has those of objects. */
const listsOf = (statement: StatementSync, values: readonly SQLInputValue[]) =>
  statement.all(...values) as unknown as SQLOutputValue[][];

/** A compiled statement. Integers of its rows are bigints. */
export class Statement {
  readonly #statement: StatementSync;
  /** None of a statement that answers no rows. */
  readonly #columns: readonly string[];

  constructor(
    statement: StatementSync,
    /** Whether it changes nothing. */
    readonly reads: boolean,
  ) {
    this.#statement = statement;
    this.#columns = statement.columns().map(({ name }) => name);
    if (this.#columns.includes('__proto__'))
      throw new SqliteError('expected a name for a column other than __proto__', 'SQLITE_ERROR');
    statement.setReturnArrays(true);
  }

  run(values: readonly unknown[]): Result {
    return named(() => {
      if (this.#columns.length === 0)
        return { rows: [], count: Number(this.#statement.run(...values.map(bound)).changes) };
      const rows = listsOf(this.#statement, values.map(bound)).map((list) => this.#toRow(list));
      return { rows, count: rows.length };
    });
  }

  /** Takes two thirds of the time that Node takes to make objects. */
  #toRow(list: readonly SQLOutputValue[]): Readonly<Record<string, SQLOutputValue>> {
    const row: Record<string, SQLOutputValue> = {};
    let i = 0;
    for (const name of this.#columns) row[name] = list[i++] ?? null;
    return row;
  }
}

/** A connection. It waits for no lock. Foreign keys are enforced. */
export class SqliteDatabase {
  readonly #db: DatabaseSync;
  #reads = true;

  /**
   * @param file its path, made if it is missing, or `:memory:`
   * @throws {SqliteError}
   */
  constructor(file: string, { readOnly = false, exists = false } = {}) {
    const place = exists ? new URL(`${pathToFileURL(file).href}?mode=rw`) : file;
    this.#db = named(() => new DatabaseSync(place, { readOnly, readBigInts: true, timeout: 0 }));
    // Set once: to set it expires all statements. SQLite asks it while it compiles a statement.
    this.#db.setAuthorizer((action) => {
      if (!READS.has(action)) this.#reads = false;
      return constants.SQLITE_OK;
    });
  }

  /** @throws {SqliteError} if the text is not one statement */
  prepare(text: string): Statement {
    this.#reads = true;
    const statement = this.#prepare(text);
    return new Statement(statement, this.#reads);
  }

  #prepare(text: string): StatementSync {
    const statement = named(() => this.#db.prepare(text));
    // Node drops what follows the first statement.
    const rest = text.slice(statement.sourceSQL.length);
    if (!NOTHING.test(rest))
      throw new SqliteError(`expected one statement, got another: ${rest}`, 'SQLITE_ERROR');
    return statement;
  }

  /** Compiles a statement that answers its rows as lists, of which integers are bigints. */
  lists(text: string): (...values: SQLInputValue[]) => SQLOutputValue[][] {
    const statement = this.#prepare(text);
    statement.setReturnArrays(true);
    return (...values) => named(() => listsOf(statement, values));
  }

  /** Compiles a statement that answers the first value of its first row. An integer is a number. */
  value(text: string): (...values: SQLInputValue[]) => SQLOutputValue | undefined {
    const statement = this.#prepare(text);
    statement.setReadBigInts(false);
    return (...values) => {
      const row = named(() => statement.get(...values));
      return row && Object.values(row)[0];
    };
  }

  /** Runs statements without values. */
  exec(text: string): void {
    named(() => {
      this.#db.exec(text);
    });
  }

  /** Runs an action in a transaction. */
  transaction<T>(kind: 'DEFERRED' | 'IMMEDIATE', action: () => T): T {
    this.exec(`BEGIN ${kind}`);
    try {
      const result = action();
      this.exec('COMMIT');
      return result;
    } finally {
      this.rollback();
    }
  }

  /** Ends a transaction, if there is one. */
  rollback(): void {
    if (this.#db.isTransaction) this.exec('ROLLBACK');
  }

  /** Runs an action that may write what a statement otherwise must not: the schema cookie. */
  unguarded(action: () => void): void {
    this.#db.enableDefensive(false);
    try {
      action();
    } finally {
      this.#db.enableDefensive(true);
    }
  }

  /** Copies what is committed into another file, while others write. */
  async backup(to: string): Promise<void> {
    try {
      await backup(this.#db, to);
    } catch (error) {
      throw toNamed(error);
    }
  }

  /** Closes it, if it is open. */
  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }
}
