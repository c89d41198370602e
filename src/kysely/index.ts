/** Kysely over a database of `src/database`: on its connections, in its transactions, with its errors. */
import { DefaultQueryExecutor, type Dialect, DialectAdapterBase, Kysely, Transaction } from 'kysely';
import type { Database, Queries } from '../database';
import { Compiler } from './compiler';
import { databaseProvider, DRIVER, queriesProvider } from './connection';

/**
 * Builds queries for an open database, or for the queries of its `transaction()`.
 *
 * Its `transaction().execute(work)` is that of the database: serializable, repeated from its beginning after a collision,
 * and failed once a statement has failed. Values, rows and errors are those of `Queries`. What cannot be the same is refused
 * with a `TypeError`: other isolation, transactions without work, streams, tables, `destroy()`.
 */
export function kysely<Tables>(database: Database): Kysely<Tables>;
export function kysely<Tables>(queries: Queries): Transaction<Tables>;
export function kysely<Tables>(target: Database | Queries): Kysely<Tables> {
  const isDatabase = 'transaction' in target;
  const provider = isDatabase ? databaseProvider(target) : queriesProvider(target);
  const executor = new DefaultQueryExecutor(new Compiler(), new Adapter(), provider);
  const props = { config: { dialect: DIALECT }, dialect: DIALECT, driver: DRIVER, executor };
  return isDatabase ? new Kysely(props) : new Transaction(props);
}

const refuseTables = () =>
  new TypeError('expected the migrations of the schema to make and describe the tables, got those of Kysely');

class Adapter extends DialectAdapterBase {
  override get supportsReturning(): boolean {
    return true;
  }

  override acquireMigrationLock(): Promise<never> {
    return Promise.reject(refuseTables());
  }

  override releaseMigrationLock(): Promise<never> {
    return Promise.reject(refuseTables());
  }
}

/** Of it Kysely uses the last. */
const DIALECT: Dialect = {
  createDriver: () => DRIVER,
  createQueryCompiler: () => new Compiler(),
  createAdapter: () => new Adapter(),
  createIntrospector() {
    throw refuseTables();
  },
};
