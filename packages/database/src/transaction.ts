import { setTimeout as sleep } from 'node:timers/promises';
import { readRow, type Sql } from './column';
import { type Dialect, render, type Rendered, type Result, type Runner } from './sql';
import { StoreUnavailable } from './store';

/**
 * Runs statements. Outside a transaction each is one of its own: what it writes is durable when the promise resolves.
 *
 * @throws {ConstraintViolation} if a row breaks a rule of its table
 * @throws {InvalidValue} if a value cannot be kept, or compared with what is kept
 * @throws {StatementError} if the statement is wrong
 * @throws {StoreUnavailable} if the database is away; outside a transaction, what it writes may then be there or not
 */
export interface Queries {
  /** Resolves to the rows that the statement returns. */
  readonly query: <Row>(query: Sql<Row>) => Promise<Row[]>;
  /** Resolves to the number of rows that the statement has written. */
  readonly execute: (statement: Sql<unknown>) => Promise<number>;
}

/** Runs a statement. Its errors are those of `Queries`. */
export type Run = <Row>(query: Sql<Row>) => Promise<Result<Row>>;

export const queriesOf = (run: Run): Queries => ({
  query: async (query) => (await run(query)).rows,
  execute: async (statement) => (await run(statement)).count,
});

/** Runs statements where a driver does. @param refine makes of an error of the engine the one that is thrown */
export const runOn =
  (
    target: Runner,
    dialect: Dialect,
    refine: (error: unknown, statement: Rendered) => unknown = (error) => error,
  ): Run =>
  async <Row>(query: Sql<Row>) => {
    const statement = render(query, dialect);
    const { columns } = query;
    try {
      const { count, rows } = await target.run(statement);
      return { count, rows: (columns ? rows.map((row) => readRow(columns, row)) : rows) as Row[] };
    } catch (error) {
      throw refine(error, statement);
    }
  };

/** The `Transaction` of a driver, with the errors of `Queries`. */
interface Begun {
  readonly run: Run;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** Milliseconds that the work of a transaction may take: until it ends, others wait for its locks. */
export const WORK_TIMEOUT = 4000;
/** Milliseconds in which a transaction is repeated, and at most between two attempts. */
const RETRY_TIMEOUT = 5000;
const RETRY_INTERVAL = 20;

/**
 * Runs work in a transaction, and again from its beginning if that has not been committed for a reason that is transient.
 * A failed statement aborts the transaction, even if the callback catches the error.
 *
 * @param isTransient whether to begin again; after an error of `commit` it must not be if that may have succeeded
 */
export async function runTransaction<T>(
  begin: () => Promise<Begun>,
  work: (queries: Queries) => Promise<T>,
  isTransient: (error: Error, committing: boolean) => boolean,
): Promise<T> {
  const deadline = Date.now() + RETRY_TIMEOUT;
  for (;;) {
    let committing = false;
    let failure: Error | undefined;
    try {
      const transaction = await begin();
      const attempt = guard(transaction.run);
      try {
        const value = await inTime(work(attempt.queries), WORK_TIMEOUT);
        attempt.end();
        committing = true;
        await transaction.commit();
        return value;
      } catch (error) {
        failure = attempt.failure();
        attempt.abandon();
        await transaction.rollback();
        throw error;
      }
    } catch (error) {
      const reason = failure ?? (error instanceof StoreUnavailable ? error : undefined);
      if (!reason || !isTransient(reason, committing) || Date.now() > deadline) throw error;
    }
    // Those that were in each other's way do not meet again at once.
    await sleep(Math.random() * RETRY_INTERVAL);
  }
}

/** The statements of one attempt: none after its end, none after one that has failed. */
export function guard(runOne: Run) {
  let failure: Error | undefined;
  let over = false;
  const run: Run = async (query) => {
    if (over)
      throw new Error('the transaction has ended: await each of its queries before its work resolves');
    if (failure) throw failure;
    try {
      return await runOne(query);
    } catch (error) {
      failure ??= error as Error;
      throw error;
    }
  };
  return {
    queries: queriesOf(run),
    failure: () => failure,
    abandon: () => {
      over = true;
    },
    /** @throws {Error} if a statement has failed */
    end() {
      over = true;
      if (failure) throw failure;
    },
  };
}

/** @throws {StoreUnavailable} if the work takes longer than so many milliseconds */
export async function inTime<T>(work: Promise<T>, timeout: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(
        new StoreUnavailable(
          `a transaction did not finish within ${timeout} ms: await only its queries in it`,
        ),
      );
    }, timeout);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
