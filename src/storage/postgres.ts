import { Pool, type PoolClient } from 'pg';
import type { CreateOutcome, Plant, PlantStore } from '../plants/plant-store';
import { StoreUnavailable, type StoreObserver } from '../store';
import { batching } from './batch';
import { codeOf, explain, patiently, type Advice } from './failure';

// Only SQL that CockroachDB and YugabyteDB speak too: no advisory locks, and DDL that may be repeated, because not all of
// them can roll it back.

/** Each brings the schema from the version of its index to the next. Append only: databases out there count on them. */
const MIGRATIONS = [
  'CREATE TABLE IF NOT EXISTS plants (id bigint PRIMARY KEY, name text NOT NULL, tag text)',
];
const SCHEMA = 'CREATE TABLE IF NOT EXISTS plant_store_schema (id int PRIMARY KEY, version int NOT NULL)';
const VERSION = 'SELECT version FROM plant_store_schema WHERE id = 1';

/** By id, as every process does: two batches never wait for each other in a circle. */
const INSERT = `INSERT INTO plants (id, name, tag)
  SELECT id, name, tag FROM unnest($1::bigint[], $2::text[], $3::text[]) AS batch (id, name, tag) ORDER BY id
  ON CONFLICT (id) DO NOTHING RETURNING id`;
const SELECT = 'SELECT id, name, tag FROM plants WHERE id = ANY($1::bigint[])';

/** All in milliseconds. The server's own timeouts come first: they leave the connection in good order. */
const LOCK_TIMEOUT = 2000;
const STATEMENT_TIMEOUT = 4000;
/** For a server that has gone silent. */
const ANSWER_TIMEOUT = 5000;
const CONNECT_TIMEOUT = 3000;
/** For a database that starts at the same time as this process, or nine others that do. */
const OPEN_TIMEOUT = 10_000;
const OPEN_INTERVAL = 200;

/** How often ids are tried that were taken, but free when looked at. */
const ATTEMPTS = 3;

/** What a session must have, whatever the defaults of the role and the database are. */
const SETTINGS = [
  'synchronous_commit=on',
  'default_transaction_isolation=read\\ committed',
  `statement_timeout=${STATEMENT_TIMEOUT}`,
  `lock_timeout=${LOCK_TIMEOUT}`,
  `idle_in_transaction_session_timeout=${STATEMENT_TIMEOUT}`,
];

/**
 * What passes by itself, by SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html) or errno. Of
 * processes that make the same table at once some get 23505, 42710 or 42P07, `IF NOT EXISTS` or not.
 */
const TRANSIENT = /^(08|23505|40|42710|42P07|53|55P03|57|XX000|ECONN|EAI_AGAIN|ETIMEDOUT)/;

const ADVICE: Advice = [
  ['28', 'check the user and the password'],
  ['3D000', 'create the database first'],
  ['42501', 'grant this user what is missing'],
  ['25006', 'name the primary server, not a standby'],
  ['42703', 'its table plants belongs to another program: use a database of its own'],
  ['42P10', 'its table plants belongs to another program: use a database of its own'],
  ['ECONNREFUSED', 'start the server, or check host and port'],
  ['ENOTFOUND', 'check the name of the host'],
];

/** A row as the driver reads it: bigint as decimal digits. */
interface Row {
  readonly id: string;
  readonly name: string;
  readonly tag: string | null;
}

/**
 * `text` cannot hold U+0000: it is written as U+0001 "0", and so U+0001 as U+0001 "1". Every string has exactly one such
 * form, no two have the same, and for nearly all it is the string itself.
 */
function toText(value: string): string {
  return value.replaceAll('\u0001', '\u00011').replaceAll('\0', '\u00010');
}

function toRow({ id, name, tag }: Plant): Row {
  return { id: String(id), name: toText(name), tag: tag === undefined ? null : toText(tag) };
}

async function write(pool: Pool, plants: readonly Plant[]): Promise<CreateOutcome[]> {
  const rows = plants.map(toRow);
  const firsts = new Map<string, Row>();
  for (const row of rows) if (!firsts.has(row.id)) firsts.set(row.id, row);
  const created = await insert(pool, [...firsts.values()], firsts);
  return rows.map(({ id, name, tag }) => {
    if (created.delete(id)) return 'created';
    const stored = firsts.get(id);
    return stored?.name === name && stored.tag === tag ? 'unchanged' : 'conflict';
  });
}

/**
 * Inserts the rows whose ids are free, and puts those that stand in the way of the others into `stored`.
 *
 * @returns the ids of those inserted
 */
async function insert(pool: Pool, batch: readonly Row[], stored: Map<string, Row>): Promise<Set<string>> {
  const created = new Set<string>();
  let rest = batch;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const inserted = await pool.query<Row>(INSERT, [
      rest.map(({ id }) => id),
      rest.map(({ name }) => name),
      rest.map(({ tag }) => tag),
    ]);
    for (const { id } of inserted.rows) created.add(id);
    rest = rest.filter(({ id }) => !created.has(id));
    if (rest.length === 0) return created;
    // A statement of its own, so that it sees what the insertion has waited for.
    const found = await pool.query<Row>(SELECT, [rest.map(({ id }) => id)]);
    for (const row of found.rows) stored.set(row.id, row);
    const known = new Set(found.rows.map(({ id }) => id));
    rest = rest.filter(({ id }) => !known.has(id));
    if (rest.length === 0) return created;
    // What stood in the way has been deleted since: their ids are free now.
  }
  throw new Error(`plants were deleted while they were created, ${ATTEMPTS} times in a row: try again`);
}

/** @returns how many of the migrations the database has */
async function schemaVersion(client: PoolClient, query: string): Promise<number> {
  const version = (await client.query<{ version: number }>(query)).rows[0]?.version ?? 0;
  if (version > MIGRATIONS.length)
    throw new Error(
      `its schema has version ${version}, this program knows ${MIGRATIONS.length}: run the newer program`,
    );
  return version;
}

/** Of any number of processes that start at once, the one that locks the row of the version migrates. */
async function migrate(client: PoolClient): Promise<void> {
  const version = await schemaVersion(client, VERSION).catch((error: unknown) => {
    if (codeOf(error) === '42P01') return 0; // no such table
    throw error;
  });
  // Nothing to do needs no privilege beyond reading.
  if (version === MIGRATIONS.length) return;
  await client.query(SCHEMA);
  await client.query(
    'INSERT INTO plant_store_schema (id, version) VALUES (1, 0) ON CONFLICT (id) DO NOTHING',
  );
  await client.query('BEGIN');
  const locked = await schemaVersion(client, `${VERSION} FOR UPDATE`);
  for (const migration of MIGRATIONS.slice(locked)) await client.query(migration);
  await client.query('UPDATE plant_store_schema SET version = $1 WHERE id = 1', [MIGRATIONS.length]);
  await client.query('COMMIT');
}

async function prepare(pool: Pool): Promise<void> {
  const client = await pool.connect();
  // Without a listener the loss of the connection would end the process; the query under way reports it too.
  client.on('error', () => undefined);
  try {
    const { rows } = await client.query<{ encoding: string; commit: string }>(
      "SELECT current_setting('server_encoding') AS encoding, current_setting('synchronous_commit') AS commit",
    );
    if (rows[0]?.encoding !== 'UTF8')
      throw new Error(`expected the encoding UTF8, got ${rows[0]?.encoding}: create a database with it`);
    if (rows[0].commit !== 'on')
      throw new Error(`synchronous_commit is ${rows[0].commit}: let the pooler in between pass it on`);
    await migrate(client);
    await write(pool, []);
  } finally {
    client.release(true);
  }
}

/**
 * Keeps plants in PostgreSQL, which any number of processes may share.
 *
 * @param url `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with the parameters of the driver
 * @throws {Error} when the database cannot be used, with a sentence that says why and what to do
 */
export async function openPostgresStore(url: string, observer?: StoreObserver): Promise<PlantStore> {
  if (!URL.canParse(url)) throw new Error('expected postgres://user:password@host:port/database, got no URL');
  const target = new URL(url);
  const options = [target.searchParams.get('options') ?? '', ...SETTINGS.map((setting) => `-c ${setting}`)];
  target.searchParams.set('options', options.join(' '));
  const pool = new Pool({
    connectionString: target.href,
    max: 2, // one to write, as only one batch is at a time, and one to see whether that would work
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    query_timeout: ANSWER_TIMEOUT,
    keepAlive: true,
  });
  // The loss of an idle connection concerns nobody: the pool has dropped it already.
  pool.on('error', () => undefined);
  const subject = `PostgreSQL at ${target.host}${target.pathname}`;
  try {
    await patiently(() => prepare(pool), TRANSIENT, OPEN_TIMEOUT, OPEN_INTERVAL);
  } catch (error) {
    await pool.end();
    throw new Error(explain(subject, error, ADVICE), { cause: error });
  }
  return batching(
    {
      write: (plants) =>
        write(pool, plants).catch((error: unknown) => {
          throw new StoreUnavailable(explain(subject, error, ADVICE), { cause: error });
        }),
      close: () => pool.end(),
    },
    observer,
  );
}
