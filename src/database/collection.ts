import type { Database } from './database';
import { type Sql, TEXT } from './column';
import { identifier, sql } from './sql';
import { createTable } from './table';
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

interface Row {
  readonly key: string;
  readonly value: string;
}

/** The statement of a migration that makes the table of a collection. */
export const collectionTable = (name: string): Sql<unknown> =>
  createTable(name, sql`key ${TEXT} PRIMARY KEY, value ${TEXT} NOT NULL`);

/**
 * A collection over the table of that name, which a migration has made with `collectionTable`. It keeps each object as
 * JSON text: what is unique, counted, searched by or a reference deserves columns, and so a table of its own.
 */
export function collection<T>(database: Database, name: string): Collection<T> {
  const table = identifier(name);
  const find = async ({ query }: Pick<Queries, 'query'>, key: string): Promise<T | undefined> => {
    const [row] = await query(sql<Row>`SELECT key, value FROM ${table} WHERE key = ${key}`);
    return row && (read(row.value) as T);
  };
  return {
    async list(after, limit) {
      const rows = await database.query(sql<Row>`
        SELECT key, value FROM ${table} WHERE key > ${after} ORDER BY key LIMIT ${limit}`);
      return rows.map(({ key, value }) => ({ key, value: read(value) as T }));
    },
    get: (key) => find(database, key),
    async add(key, value) {
      const added = await database.execute(sql`
        INSERT INTO ${table} (key, value) VALUES (${key}, ${write(value)}) ON CONFLICT (key) DO NOTHING`);
      return added === 1;
    },
    update: (key, change) =>
      database.transaction(async (queries) => {
        const found = await find(queries, key);
        if (found === undefined) return undefined;
        const changed = change(found);
        await queries.execute(sql`UPDATE ${table} SET value = ${write(changed)} WHERE key = ${key}`);
        return changed;
      }),
    async remove(key) {
      return (await database.execute(sql`DELETE FROM ${table} WHERE key = ${key}`)) === 1;
    },
  };
}

/**
 * JSON text. A bigint, which handlers have for an integer of 64 bits, is # and its digits. A text that begins with # has
 * another before it, so that nothing a client sends is read as a bigint.
 *
 * @throws {TypeError} for a number and for bytes that JSON cannot hold
 */
const write = (value: unknown): string =>
  JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, name, member: unknown) {
    if (typeof member === 'bigint') return `#${member}`;
    const isBytes = ArrayBuffer.isView(this[name]);
    if (isBytes || (typeof member === 'number' && !Number.isFinite(member)))
      throw new TypeError(
        `expected a value of JSON, got ${isBytes ? 'bytes' : String(member)}: give it a column`,
      );
    return typeof member === 'string' && member.startsWith('#') ? `#${member}` : member;
  });

const read = (text: string): unknown =>
  JSON.parse(text, (_, member: unknown) => {
    if (typeof member !== 'string' || !member.startsWith('#')) return member;
    return member.startsWith('##') ? member.slice(1) : BigInt(member.slice(1));
  });
