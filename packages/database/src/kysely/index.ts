/** Kysely on a database of `packages/database/src`, with the same connections, transactions and errors. */
import {
  type ColumnType,
  DefaultQueryExecutor,
  type Dialect,
  DialectAdapterBase,
  HandleEmptyInListsPlugin,
  Kysely,
  replaceWithNoncontingentExpression,
  Transaction,
} from 'kysely';
import type { Column, Database, Queries, Table } from '..';
import { TABLE } from '../column';
import { Compiler } from './compiler';
import { databaseProvider, DRIVER, queriesProvider } from './connection';
import type { Names } from './scope';

/** Tables by their names. */
type Tables = Readonly<Record<string, Table>>;

/** NULL is null in every row. */
type Read<R> = undefined extends R ? Exclude<R, undefined> | null : R;

type TypeOf<C> =
  C extends Column<infer R, infer W>
    ? ColumnType<Read<R>, undefined extends W ? W | Extract<Read<R>, null> : W, Read<R>>
    : never;

/** The tables as Kysely has them: `selectFrom('books')`. */
export type TablesOf<T extends Tables> = {
  readonly [Name in keyof T]: T[Name] extends Table<infer C>
    ? { readonly [Key in keyof C]: TypeOf<C[Key]> }
    : never;
};

/**
 * Builds queries for an open database, or for the queries of its `transaction()`, over tables that are defined once:
 * kysely(database, { books, loans }). Columns determine how values are written and read. Without tables, values and rows are
 * those of `sql`, and `Rows` is their type.
 *
 * `transaction().execute(work)` behaves like the database's: serializable, repeated from the beginning after a collision, and
 * failed once a statement has failed. Errors are those of `Queries`. What Kysely cannot do in the same way is rejected with a
 * `TypeError`: other isolation levels, transactions without work, streams, Kysely's own tables, `destroy()`.
 */
export function kysely<T extends Tables>(database: Database, tables: T): Kysely<TablesOf<T>>;
export function kysely<T extends Tables>(queries: Queries, tables: T): Transaction<TablesOf<T>>;
export function kysely<Rows>(database: Database): Kysely<Rows>;
export function kysely<Rows>(queries: Queries): Transaction<Rows>;
export function kysely<Rows>(target: Database | Queries, tables: Tables = {}): Kysely<Rows> {
  const isDatabase = 'transaction' in target;
  const provider = isDatabase ? databaseProvider(target) : queriesProvider(target);
  const executor = new DefaultQueryExecutor(new Compiler(namesOf(tables)), new Adapter(), provider, [
    EMPTY_LISTS,
  ]);
  const props = { config: { dialect: DIALECT }, dialect: DIALECT, driver: DRIVER, executor };
  return isDatabase ? new Kysely(props) : new Transaction(props);
}

/** PostgreSQL does not accept `IN ()`. */
const EMPTY_LISTS = new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression });

function namesOf(tables: Tables): ReadonlyMap<string, Names> {
  const entries = Object.entries(tables).map(([key, table]) => {
    const { name, columns } = table[TABLE];
    if (name !== `"${key}"`) throw new TypeError(`expected the table ${name} under its name, got ${key}`);
    return [key, new Map(Object.entries(columns))] as const;
  });
  return new Map(entries);
}

const refuseTables = () =>
  new TypeError(
    'expected the migrations of the schema to create and describe the tables, got those of Kysely',
  );

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

/** Kysely calls only `createIntrospector`. */
const DIALECT: Dialect = {
  createDriver: () => DRIVER,
  createQueryCompiler: () => new Compiler(new Map()),
  createAdapter: () => new Adapter(),
  createIntrospector() {
    throw refuseTables();
  },
};
