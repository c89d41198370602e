import { rmSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { escapeIdentifier, escapeLiteral, Pool, type PoolClient } from 'pg';

/**
 * Empties a database that is there for tests, for each test begins with an empty one: the file of SQLite is removed, and so
 * is the schema `public` of PostgreSQL, with all that it contains. Nothing is to be done for `memory:`.
 *
 * @returns the same URL
 * @throws {Error} if the name of the database does not contain `test`
 */
export async function emptied(url: string): Promise<string> {
  if (url === 'memory:') return url;
  const [, file] = /^sqlite:(.+)$/.exec(url) ?? [];
  const name = file ?? new URL(url).pathname.slice(1);
  if (!/test/i.test(name))
    throw new Error(
      `expected a database whose name contains "test", because the tests empty it, got ${name}`,
    );
  if (file !== undefined) {
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
    return url;
  }
  await connected(url, (client) => client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public'));
  return url;
}

/** By the URL of a PostgreSQL: what it contained when it had been emptied and opened. */
const contents = new Map<string, readonly Content[]>();

/**
 * Opens a service on a database that is emptied first, as {@link emptied} does. Creating the tables of PostgreSQL takes up to a
 * quarter of a second, and contract tests begin anew a thousand times. So, after the first time, the tables that were empty then are
 * truncated. If another row, a sequence or the list of tables has changed, all tables are created again.
 *
 * @param open applies the migrations
 * @throws {Error} if the name of the database does not contain `test`
 */
export async function openEmptied<Opened>(
  url: string,
  open: () => Opened | Promise<Opened>,
): Promise<Opened> {
  if (!/^postgres(ql)?:/.test(url)) {
    await emptied(url);
    return open();
  }
  const before = contents.get(url);
  if (before && (await connected(url, (client) => truncate(client, before)))) return open();
  await emptied(url);
  const result = await open();
  contents.set(url, await connected(url, contentOf));
  return result;
}

/** A table with a digest of its rows, or a sequence with its value. */
interface Content {
  readonly name: string;
  readonly isTable: boolean;
  /** Null if it has no rows, or has not been used. */
  readonly value: string | null;
}

async function contentOf(client: PoolClient): Promise<Content[]> {
  const { rows: tables } = await client.query<{ readonly name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  const names = new Set(tables.map(({ name }) => name));
  // In which commits of contract-first-database write something: its rows say nothing. It stands beside NAME_schema.
  const isOfMarks = (name: string) => name.endsWith('_marks') && names.has(name.replace(/marks$/, 'schema'));
  const parts = tables
    .filter(({ name }) => !isOfMarks(name))
    .map(
      ({ name }) =>
        `SELECT ${escapeLiteral(name)} AS name, true AS "isTable", md5(string_agg(r::text, ',' ORDER BY r::text)) AS value FROM public.${escapeIdentifier(name)} r`,
    );
  parts.push("SELECT sequencename, false, last_value::text FROM pg_sequences WHERE schemaname = 'public'");
  const { rows } = await client.query<Content>(`${parts.join(' UNION ALL ')} ORDER BY name`);
  return rows;
}

/** Truncates the tables that had no rows. Returns whether the database then contains what it contained before. */
async function truncate(client: PoolClient, before: readonly Content[]): Promise<boolean> {
  const empty = before.filter(({ isTable, value }) => isTable && value === null);
  const tables = empty.map(({ name }) => `public.${escapeIdentifier(name)}`).join(', ');
  try {
    // A connection that an earlier test has left open must not block this one.
    await client.query(`SET LOCAL lock_timeout = 1000; TRUNCATE ${tables} RESTART IDENTITY`);
    return isDeepStrictEqual(await contentOf(client), before);
  } catch {
    return false; // the tables are created again
  }
}

/** By the URL. A connection takes longer than what it is for, and ends after ten seconds without use or with the process. */
const pools = new Map<string, Pool>();

async function connected<T>(url: string, use: (client: PoolClient) => Promise<T>): Promise<T> {
  const pool = pools.get(url) ?? new Pool({ connectionString: url, max: 1, allowExitOnIdle: true });
  if (!pools.has(url)) pool.on('error', () => undefined); // of a connection that nobody uses
  pools.set(url, pool);
  const client = await pool.connect();
  try {
    return await use(client);
  } finally {
    client.release();
  }
}
