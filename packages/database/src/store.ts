import { branded } from './brand';

/** The interface between the server and any store. */
export interface Store {
  /**
   * Resolves if the store can do its work now: if a write would be kept. The server asks at most once a second.
   *
   * @throws {StoreUnavailable} if it cannot; the message is the reason
   */
  ready(): Promise<void>;

  /** Finishes the accepted work, then releases every resource. A second call has no effect. */
  close(): Promise<void>;
}

/**
 * The store cannot do its work now, but later: it is overloaded, disconnected or closing, or its disk is full. The client
 * gets 503. No other error of a store means that.
 */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}
branded(StoreUnavailable, 'StoreUnavailable');

/** A database cannot be opened: its URL is wrong, or it is away. The message is a sentence that says why and what to do. */
export class UnusableDatabase extends Error {
  override name = 'UnusableDatabase';
}
branded(UnusableDatabase, 'UnusableDatabase');

/** Where the database has refused something: for the log, and for nobody else. */
interface Refused {
  /** Without its values. Empty if no statement was sent. */
  readonly statement: string;
  /** That of the engine, such as SQLSTATE. Empty if none. */
  readonly code: string;
}

class Refusal extends Error implements Refused {
  readonly statement: string;
  readonly code: string;

  constructor(message: string, { statement = '', code = '' }: Partial<Refused>, options?: ErrorOptions) {
    super(message, options);
    this.statement = statement;
    this.code = code;
  }
}

/** A statement, or the program around it, is wrong. The client gets 500, and the log the statement and its code. */
export class StatementError extends Refusal {
  override name = 'StatementError';
}
branded(StatementError, 'StatementError');

/**
 * A value cannot be kept, or compared with what is kept. Nothing of the statement, or of its transaction, has been written.
 * If it came with the request, the client gets 400 with its place, or 404 if it stands in the path and was only looked for.
 * A value that the program has made itself is a fault of the program: 500.
 */
export class InvalidValue extends Refusal {
  override name = 'InvalidValue';
  /** What is expected of the value, as the predicate of a sentence for the client. */
  readonly rule: string;
  /** One of them is it. Not enumerable: no value of a client reaches the log. */
  declare readonly values: readonly unknown[];

  constructor(
    message: string,
    values: readonly unknown[],
    { rule = 'must be a value that can be stored', ...at }: Partial<Refused & { rule: string }> = {},
    options?: ErrorOptions,
  ) {
    super(message, at, options);
    this.rule = rule;
    Object.defineProperty(this, 'values', { value: values });
  }

  /** Whether the statement reads or deletes. */
  get sought(): boolean {
    return /^\s*(SELECT|DELETE)\b/i.test(this.statement);
  }
}
branded(InvalidValue, 'InvalidValue');

/** A row breaks a rule of its table. Nothing of the statement, or of its transaction, has been written. */
export class ConstraintViolation extends Error {
  override name = 'ConstraintViolation';

  constructor(
    readonly constraint: 'unique' | 'foreign key' | 'other',
    message: string,
    options: ErrorOptions,
  ) {
    super(message, options);
  }
}
branded(ConstraintViolation, 'ConstraintViolation');

/** Receives measurements of a store, for metrics. */
export interface StoreObserver {
  /** The number of writes that wait for their commit. */
  waiting(count: number): void;
  /** A commit of `count` writes has ended. */
  committed(count: number, milliseconds: number, outcome: 'success' | 'failure'): void;
  /** A migration has been applied, and is committed. The first has the number 1. */
  migrated?(name: string, number: number): void;
  /** The database keeps less than it could: a sentence that says which of its settings is why. */
  warned?(message: string): void;
  /** Called with a database that is still closed: it is opened when the promise resolves. */
  opening?(database: ClosedDatabase): Promise<void>;
}

/** A copy that has been made and verified. */
export interface Copied {
  readonly tables: number;
  /** In all tables. */
  readonly rows: number;
  /** That of its schema: how many migrations have run. */
  readonly version: number;
  readonly bytes: number;
  /** The name that the replaced file of a restore has now, if there was one. */
  readonly kept?: string | undefined;
}

/** The files of a database that this process does not have open. */
export interface ClosedDatabase {
  /** Begins the messages about it. */
  readonly subject: string;
  /**
   * Copies the database to a new file, while others write to it.
   *
   * @throws {UnusableDatabase} if no whole copy can be made, or the file exists; nothing has been written then
   */
  backup(file: string): Promise<Copied>;
  /**
   * Puts a copy of a backup in the place of the database, and keeps the replaced file under another name. If the process is
   * killed meanwhile, a start finds the old database or the new one, or refuses what is there.
   *
   * @throws {UnusableDatabase} if the database is in use, or no start of this program would accept the backup; nothing has
   *   been changed then
   */
  restore(file: string): Promise<Copied>;
}
