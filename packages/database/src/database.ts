import { createBatch, type Batch } from './batch';
import type { Connection, Driver } from './driver';
import { toStoreError } from './failure';
import type { Sql } from './column';
import { only } from './outcome';
import { render, type Rendered } from './sql';
import { StoreUnavailable, type Store, type StoreObserver } from './store';
import { queriesOf, type Queries, runOn, runTransaction } from './transaction';

/** A database that is open, with the schema of one store. */
export interface Database extends Store, Queries {
  /**
   * Runs work in a serializable transaction: nobody else writes what it has read until it is committed, and it is
   * committed and durable, or rolled back, when the promise settles. The work awaits the statements of its argument and
   * nothing else. It may be run more than once, after an attempt that was rolled back.
   *
   * @throws what the work throws, and what `Queries` throws; a statement that fails fails the transaction, whatever the
   * work makes of the error
   */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;

  /**
   * Lets writes that wait share a commit. The function that it returns resolves to the outcome of the item. One batch is
   * written at a time, in the order of its items; with `keyOf` and where that pays, several at once, which share no key.
   *
   * @param write resolves to the outcomes of the items, in their order, when all are durable; if it rejects, all do
   * @param lengthOf UTF-16 code units of an item's strings, by which a batch is bounded besides its number of rows
   * @param keyOf what an item writes, such as its id: a string, a number or a bigint. Items of one key are written in their
   * order; nothing that `write` does for one key may depend on another.
   */
  batched<Item, Outcome>(
    write: (items: readonly Item[]) => Promise<readonly Outcome[]>,
    lengthOf: (item: Item) => number,
    keyOf?: (item: Item) => string | number | bigint,
  ): (item: Item) => Promise<Outcome>;
}

interface Options {
  /** Begins the message of each error. */
  readonly subject: string;
  /** The statement of the readiness check. */
  readonly probe: Sql<unknown>;
  readonly observer?: StoreObserver | undefined;
}

const refuse = () => Promise.reject(new StoreUnavailable('the store is closed'));

/**
 * The database as one of its transactions sees it: what a store over it reads and writes is part of the transaction, also in a
 * batch or in a transaction of the store.
 *
 * @param queries what the work of the transaction got
 */
export function within(database: Database, queries: Queries): Database {
  return {
    ...database,
    ...queries,
    transaction: (work) => work(queries),
    batched: (write) => async (item) => only(await write([item])),
  };
}

/** The database of a connection: what no driver does for itself. */
export function createDatabase(
  { dialect, faults }: Pick<Driver, 'dialect' | 'faults'>,
  connection: Connection,
  { subject, probe, observer }: Options,
): Database {
  const batches: Batch<never, unknown>[] = [];
  const isTransient = connection.isTransient.bind(connection);
  let running = 0;
  let idle: (() => void) | undefined;
  let probing: Promise<unknown> | undefined;
  let closing: Promise<void> | undefined;
  let closed = false;

  async function explained<T>(action: () => Promise<T>, statement?: Rendered): Promise<T> {
    try {
      return await action();
    } catch (error) {
      throw toStoreError(faults, subject, error, statement);
    }
  }

  const refined = (error: unknown, statement: Rendered) => toStoreError(faults, subject, error, statement);
  const runAlone = runOn(connection, dialect, refined);

  async function begin() {
    const transaction = await explained(() => connection.begin());
    return {
      run: runOn(transaction, dialect, refined),
      commit: () => explained(() => transaction.commit()),
      rollback: () => transaction.rollback(),
    };
  }

  async function whileOpen<T>(action: () => Promise<T>): Promise<T> {
    if (closed) return refuse();
    running++;
    try {
      return await action(); // so that the stack of its error has the caller
    } finally {
      if (--running === 0) idle?.();
    }
  }

  async function check(): Promise<void> {
    const statement = render(probe, dialect);
    await explained(() => connection.probe(statement), statement);
  }

  async function finish(): Promise<void> {
    await Promise.all(batches.map((batch) => batch.end()));
    closed = true;
    if (running > 0) await new Promise<void>((resolve) => (idle = resolve));
    await probing?.catch(() => undefined);
    await connection.close();
  }

  return {
    ...queriesOf((query) => whileOpen(() => runAlone(query))),
    transaction: (work) => whileOpen(() => runTransaction(begin, work, isTransient)),
    batched(write, lengthOf, keyOf) {
      const concurrency = () => connection.concurrency;
      const keys = concurrency() > 1 ? keyOf : undefined; // else they are of no use
      const batch = createBatch(write, lengthOf, { keyOf: keys, concurrency, observer });
      batches.push(batch);
      return (item) => (closing ? refuse() : batch.add(item));
    },
    async ready() {
      if (closing) return refuse();
      for (const batch of batches) {
        const refused = batch.refusal();
        if (refused) throw refused;
      }
      await (probing ??= check().finally(() => (probing = undefined)));
    },
    close: () => (closing ??= finish()),
  };
}
