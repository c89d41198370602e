import { codeOf, retryTransient } from '../failure';
import { BUSY_TIMEOUT } from './dialect';
import type { SqliteDatabase, Statement } from './engine';

/** Statements that stay compiled. */
const MAX_STATEMENTS = 256;

/** Compiles each statement once. */
export function statementsOf(db: SqliteDatabase): (text: string) => Statement {
  const statements = new Map<string, Statement>();
  return (text) => {
    const known = statements.get(text);
    if (known) return known;
    const [oldest] = statements.keys();
    if (oldest !== undefined && statements.size === MAX_STATEMENTS) statements.delete(oldest);
    const statement = db.prepare(text);
    statements.set(text, statement);
    return statement;
  };
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
