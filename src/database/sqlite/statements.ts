import type Database from 'better-sqlite3';
import type { Result } from '../driver';
import { codeOf, retryTransient } from '../failure';
import { BUSY_TIMEOUT } from './dialect';

/** Statements that stay compiled. */
const MAX_STATEMENTS = 256;

export type Statement = Database.Statement;

/** Compiles each statement once. */
export function statementsOf(db: Database.Database): (text: string) => Statement {
  const statements = new Map<string, Statement>();
  return (text) => {
    const known = statements.get(text);
    if (known) return known;
    const [oldest] = statements.keys();
    if (oldest !== undefined && statements.size === MAX_STATEMENTS) statements.delete(oldest);
    const statement = db.prepare(text).safeIntegers();
    statements.set(text, statement);
    return statement;
  };
}

export function execute(statement: Statement, values: readonly unknown[]): Result {
  try {
    return executeWith(statement, values);
  } catch (error) {
    if (!isTooBig(error)) throw error;
  }
  try {
    return executeWith(statement, values.map(withinInt64));
  } catch (error) {
    throw isTooBig(error) ? Object.assign(error as Error, { code: 'SQLITE_TOOBIG' }) : error; // a string
  }
}

/** Whether the driver cannot pass a value on; nothing has run then. */
const isTooBig = (error: unknown) => (error as Error).name === 'RangeError';

function executeWith(statement: Statement, values: readonly unknown[]): Result {
  if (!statement.reader) return { rows: [], count: statement.run(...values).changes };
  const rows = statement.all(...values);
  return { rows, count: rows.length };
}

const INT64_MIN = -(2 ** 63);

/**
 * SQLite has no integers beyond 64 bits. As a double such a number compares with every integer as it should, and no column
 * of integers takes it.
 */
function withinInt64(value: unknown): unknown {
  if (typeof value !== 'bigint' || BigInt.asIntN(64, value) === value) return value;
  const double = Number(value);
  return value < 0n && double === INT64_MIN ? INT64_MIN - 2048 : double; // the next double
}

const BUSY = /^SQLITE_BUSY/; // and its extended codes
/** Milliseconds between two looks at a file that is locked. */
const BUSY_INTERVAL = 2;

/** Waits for the commits of other processes. SQLite's own busy handler would block the event loop. */
export const untilFree = <T>(action: () => T | Promise<T>): Promise<T> =>
  retryTransient(action, BUSY, BUSY_TIMEOUT, BUSY_INTERVAL);

/** The same, without a promise where nobody is in the way. */
export function whenFree<T>(action: () => T): T | Promise<T> {
  try {
    return action();
  } catch (error) {
    if (!codeOf(error).startsWith('SQLITE_BUSY')) throw error;
  }
  return untilFree(action);
}
