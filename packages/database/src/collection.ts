import type { Database } from './database';
import { JSON_VALUE, type Sql, TEXT } from './column';
import { createTable, deleteFrom, insertInto, select, table, update } from './table';
import type { Queries } from './transaction';

/** An object with the key under which it is stored. */
export interface Entry<T> {
  readonly key: string;
  readonly value: T;
}

/**
 * Objects of one kind. A write resolves only when it survives the end of the process and a power failure.
 *
 * Each method rejects with a StoreUnavailable if the store cannot do its work now: the client gets 503; and with an
 * InvalidValue if it cannot hold what it is given: the client gets 400 with its place. A limit may be as large as it likes.
 */
export interface Collection<T> {
  /**
   * At most `limit` entries after a key, in the order of their keys. The first page is after the empty key. What belongs to
   * another object has its key first: `7/2`, so that those of 7 follow `7/`.
   */
  list(after: string, limit: number): Promise<readonly Entry<T>[]>;
  get(key: string): Promise<T | undefined>;
  /** Resolves to false, and changes nothing, if the key is taken. */
  add(key: string, value: T): Promise<boolean>;
  /** Reads, changes and writes one object, so that no concurrent change is lost. Resolves to undefined if there is none. */
  update(key: string, change: (value: T) => T): Promise<T | undefined>;
  /** Resolves to false if there is none. */
  remove(key: string): Promise<boolean>;
}

const tableOf = (name: string) => table(name, { key: TEXT.primaryKey(), value: JSON_VALUE.as<unknown>() });

/** The statement of a migration that makes the table of a collection. */
export const collectionTable = (name: string): Sql<unknown> => createTable(tableOf(name));

/**
 * A collection over the table of that name, which a migration has made with `collectionTable`. It keeps each object as
 * JSON text: what is unique, counted, searched by or a reference deserves columns, and so a table of its own.
 */
export function collection<T>(database: Database, name: string): Collection<T> {
  const entries = tableOf(name);
  const find = async ({ query }: Pick<Queries, 'query'>, key: string) =>
    (await query(select(entries)`WHERE key = ${key}`))[0]?.value as T | undefined;
  return {
    async list(after, limit) {
      const page = select(entries)`WHERE key > ${after} ORDER BY key LIMIT ${limit}`;
      return (await database.query(page)) as Entry<T>[];
    },
    get: (key) => find(database, key),
    async add(key, value) {
      const added = insertInto(entries, { key, value })`ON CONFLICT (key) DO NOTHING`;
      return (await database.execute(added)) === 1;
    },
    update: (key, change) =>
      database.transaction(async (queries) => {
        const found = await find(queries, key);
        if (found === undefined) return undefined;
        const value = change(found);
        await queries.execute(update(entries, { value })`WHERE key = ${key}`);
        return value;
      }),
    async remove(key) {
      return (await database.execute(deleteFrom(entries)`WHERE key = ${key}`)) === 1;
    },
  };
}
