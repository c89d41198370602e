import type { Faults } from './failure';
import type { Schema } from './schema';
import type { Dialect, Rendered, Result } from './sql';
import type { Opening } from './start';
import type { ClosedDatabase } from './store';

/**
 * One kind of database, and all in which it differs from the others. Another one is a folder beside `sqlite/` that exports
 * its driver, and a line in `drivers.ts`: neither the rest of this folder nor any store changes.
 */
export interface Driver {
  /** The forms of its URLs, for people: `sqlite:PATH`. */
  readonly urls: readonly string[];
  /** Matches its URLs. */
  readonly accepts: RegExp;
  readonly dialect: Dialect;
  /** What its errors mean. An error has its code in `code`, or its cause has. */
  readonly faults: Faults;
  /**
   * Which database a URL names, without a password: it begins each message about it.
   *
   * @throws {Error} if the URL cannot be read
   */
  subjectOf(url: string): string;
  /** The `start_timeout` of a URL, in milliseconds: how long to wait for its database. */
  startTimeoutOf?(url: string): number | undefined;
  /**
   * Connects to a database, brings its schema up to date under a lock, and proves that a commit is kept.
   *
   * @throws {Error} of the engine, or with a sentence that says what is wrong
   */
  open(url: string, schema: Schema, opening: Opening): Promise<Connection>;
  /** Copies its databases. An engine without it has tools of its own for that. @throws {Error} as `open` does */
  copies?(url: string, schema: Schema): Pick<ClosedDatabase, 'backup' | 'restore'>;
}

/** A database that is open. It throws the errors of its engine, or those of `store.ts`. */
export interface Connection {
  /** How many writes that share a commit may be under way at once: what else runs keeps a place. At least 1. */
  readonly concurrency: number;
  /** Runs a statement. What it has written, or what its result rests on, is durable when it has been answered. */
  run(statement: Rendered): Promise<Result> | Result;
  /** Begins a serializable transaction. */
  begin(): Promise<Transaction>;
  /** Whether a transaction may begin again after an error. After one of `commit` it must not if that may have succeeded. */
  isTransient(error: Error, committing: boolean): boolean;
  /** Runs a statement that changes nothing, and commits something, as durably as any other write. */
  probe(statement: Rendered): Promise<unknown>;
  /** Called once, when nothing runs. */
  close(): Promise<void>;
}

/** A transaction that has begun. It ends with a commit that succeeds, or with `rollback`. */
export interface Transaction {
  run(statement: Rendered): Promise<Result> | Result;
  commit(): Promise<void>;
  /** Never rejects. */
  rollback(): Promise<void>;
}

export type { Result };
