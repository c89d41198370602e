import {
  createTable,
  type Database,
  openDatabase,
  type PerDialect,
  type Queries,
  type Schema,
  sql,
  type StoreObserver,
  TEXT,
} from 'contract-first-server/database';
import type { Collection, NightMuseumStore } from '../night-museum/night-museum-store';

const COLUMNS = sql`key ${TEXT} PRIMARY KEY, value ${TEXT} NOT NULL`;

const SCHEMA: Schema = {
  name: 'night_museum',
  mark: 'Nigh',
  // Append only, because databases out there have run the first ones: ['prices', sql`ALTER TABLE ...`]
  migrations: [['collections', createTable('events', COLUMNS), createTable('tickets', COLUMNS)]],
  probe: sql`INSERT INTO events (key, value) SELECT key, value FROM events WHERE 1 = 0`,
};

/**
 * Opens the store in the database that a URL names: `memory:`, `sqlite:PATH` or
 * `postgres://USER:PASSWORD@HOST:PORT/DATABASE`.
 *
 * @throws {Error} when it cannot be used, with a sentence that says why and what to do
 */
export async function openStore(url: string, observer?: StoreObserver): Promise<NightMuseumStore> {
  const database = await openDatabase(url, SCHEMA, observer);
  return {
    events: collection(database, 'events'),
    tickets: collection(database, 'tickets'),
    ready: () => database.ready(),
    close: () => database.close(),
  };
}

interface Row {
  readonly key: string;
  readonly value: string;
}

/**
 * Keeps each object as JSON text. What is unique, counted, searched by or a reference deserves columns. A migration adds
 * them, here as a table of its own:
 *
 *     [
 *       'loans',
 *       createTable(
 *         'loans',
 *         sql`id ${IDENTITY}, item ${TEXT} NOT NULL REFERENCES events (key), code ${TEXT} NOT NULL UNIQUE`,
 *       ),
 *     ],
 *
 * IDENTITY contains PRIMARY KEY. A statement that breaks a rule of its table throws a ConstraintViolation:
 *
 *     try {
 *       const [row] = await database.query(sql<{ id: bigint }>`
 *         INSERT INTO loans (item, code) VALUES (${item}, ${code}) RETURNING id`);
 *       return row?.id;
 *     } catch (error) {
 *       if (error instanceof ConstraintViolation && error.constraint === 'unique') return 'taken';
 *       if (error instanceof ConstraintViolation && error.constraint === 'foreign key') return 'no such item';
 *       throw error;
 *     }
 */
function collection<T>(database: Database, name: string): Collection<T> {
  const table: PerDialect = { kind: 'dialect', sqlite: name, postgres: name };
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
    get: (key) => find({ query: (statement) => database.query(statement) }, key),
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

/** JSON text. Integers of 64 bits are bigints in handlers, and stay bigints. */
const write = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'bigint' ? { $int64: String(member) } : member,
  );

const read = (text: string): unknown =>
  JSON.parse(text, (_, member: unknown) =>
    typeof member === 'object' && member !== null && '$int64' in member
      ? BigInt(String(member.$int64))
      : member,
  );
