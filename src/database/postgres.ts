import { Pool, types, type PoolClient } from 'pg';
import { MAX_WAITING, overload } from './batch';
import type { Driver } from './database';
import { codeOf, explain, retryTransient, toStoreError, type Advice, type Constraints } from './failure';
import { checkVersion, migrateFrom, type Schema } from './schema';
import { render, type Rendered, type Sql, type Value } from './sql';
import { type Result, runTransaction, type Session, WORK_TIMEOUT } from './transaction';

// Only SQL that CockroachDB and YugabyteDB speak too: no advisory locks, and DDL that may be repeated, because not all of
// them can roll it back.

/** Connections of one process; ten processes fit into the hundred that a PostgreSQL allows by default. */
const MAX_CONNECTIONS = 8;

/** All in milliseconds. The server's own timeouts come first: they leave the connection in good order. */
const LOCK_TIMEOUT = 2000;
const STATEMENT_TIMEOUT = 4000;
/** For a server that has gone silent. */
const ANSWER_TIMEOUT = 5000;
const CONNECT_TIMEOUT = 3000;
/** A migration may rewrite a table. */
const MIGRATION_TIMEOUT = 600_000;
/** For a database that starts at the same time as this process, or nine others that do. */
const OPEN_TIMEOUT = 10_000;
const OPEN_INTERVAL = 200;

/** What a session must have, whatever the defaults of the role and the database are. */
const SETTINGS = [
  'synchronous_commit=on',
  'default_transaction_isolation=read\\ committed',
  `statement_timeout=${STATEMENT_TIMEOUT}`,
  `lock_timeout=${LOCK_TIMEOUT}`,
  `idle_in_transaction_session_timeout=${WORK_TIMEOUT}`,
];

/**
 * What passes by itself, by SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html) or errno. Of
 * processes that make the same table at once some get 23505, 42710 or 42P07, `IF NOT EXISTS` or not.
 */
const TRANSIENT = /^(08|23505|40|42710|42P07|53|55P03|57|XX000|ECONN|EAI_AGAIN|ETIMEDOUT)/;
/** Transactions that stood in each other's way: the server has rolled this one back. */
const COLLISION = /^(40001|40P01)/;
const SQLSTATE = /^[0-9A-Z]{5}$/;
/** The connection has been lost; the driver gives its own errors no code. */
const LOST = /^(08|57P0[123]|ECONNRESET|EPIPE)/;
const LOST_MESSAGE = /Connection terminated|connection error and is not queryable/;

const ADVICE: Advice = [
  ['28', 'check the user and the password'],
  ['3D000', 'create the database first'],
  ['42501', 'grant this user what is missing'],
  ['25006', 'name the primary server, not a standby'],
  ['42703', 'a table of that name belongs to another program: use a database of its own'],
  ['42P10', 'a table of that name belongs to another program: use a database of its own'],
  ['ECONNREFUSED', 'start the server, or check host and port'],
  ['ENOTFOUND', 'check the name of the host'],
];

const CONSTRAINTS: Constraints = [
  ['23505', 'unique'],
  ['23503', 'foreign key'],
  ['23', 'other'],
];

/**
 * `text` cannot hold U+0000: it is written as U+0001 "0", and so U+0001 as U+0001 "1". Every string has exactly one such
 * form, no two have the same, their order is that of the strings, and for nearly all it is the string itself.
 */
function toText(value: string): string {
  return value.replaceAll('\u0001', '\u00011').replaceAll('\0', '\u00010');
}

function fromText(text: string): string {
  return text.includes('\u0001') ? text.replaceAll('\u00010', '\0').replaceAll('\u00011', '\u0001') : text;
}

const toParameter = (value: Value) => (typeof value === 'string' ? toText(value) : value);
const toParameters = (values: Rendered['values']) =>
  values.map((value) => (Array.isArray(value) ? value.map(toParameter) : toParameter(value as Value)));

/** How the driver reads a type, by its OID; the others as it always does. */
const PARSERS = new Map<number, (text: string) => unknown>([
  [types.builtins.INT2, BigInt],
  [types.builtins.INT4, BigInt],
  [types.builtins.INT8, BigInt],
  [types.builtins.BOOL, (text) => (text === 't' ? 1n : 0n)],
  // The sum of bigints, or the average.
  [types.builtins.NUMERIC, (text) => (/^-?\d+$/.test(text) ? BigInt(text) : Number(text))],
  [types.builtins.TEXT, fromText],
  [types.builtins.VARCHAR, fromText],
]);

/**
 * Opens a PostgreSQL database, which any number of processes may share.
 *
 * @param url `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with the parameters of the driver
 * @throws {Error} when the database cannot be used, with a sentence that says why and what to do
 */
export async function openPostgres(url: string, schema: Schema): Promise<Driver> {
  if (!URL.canParse(url)) throw new Error('expected postgres://user:password@host:port/database, got no URL');
  const target = new URL(url);
  const options = [target.searchParams.get('options') ?? '', ...SETTINGS.map((setting) => `-c ${setting}`)];
  target.searchParams.set('options', options.join(' '));
  const pool = new Pool({
    connectionString: target.href,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    query_timeout: ANSWER_TIMEOUT,
    keepAlive: true,
    types: { getTypeParser: (oid, format): unknown => PARSERS.get(oid) ?? types.getTypeParser(oid, format) },
  });
  // The loss of an idle connection concerns nobody: the pool has dropped it already.
  pool.on('error', () => undefined);
  const subject = `PostgreSQL at ${target.host}${target.pathname}`;
  try {
    await retryTransient(() => prepare(pool, schema), TRANSIENT, OPEN_TIMEOUT, OPEN_INTERVAL);
  } catch (error) {
    await pool.end();
    throw new Error(explain(subject, error, ADVICE), { cause: error });
  }
  return createDriver(pool, subject, schema);
}

/** Proves that the database can be used, and migrates it. */
async function prepare(pool: Pool, schema: Schema): Promise<void> {
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
    await migrate(client, schema);
    await run(pool, schema.probe);
  } finally {
    client.release(true);
  }
}

/** Of any number of processes that start at once, the one that locks the row of the version migrates. */
async function migrate(client: PoolClient, schema: Schema): Promise<void> {
  if (!/^[a-z][a-z0-9_]{0,50}$/.test(schema.name))
    throw new Error(`expected a name of lower case letters, digits and _, got ${schema.name}`);
  const table = `${schema.name}_schema`;
  const readVersion = async (lock: string) => {
    const text = `SELECT version FROM ${table} WHERE id = 1${lock}`;
    const version = Number((await client.query<{ version: bigint }>(text)).rows[0]?.version ?? 0);
    checkVersion(version, schema);
    return version;
  };
  const version = await readVersion('').catch((error: unknown) => {
    if (codeOf(error) === '42P01') return 0; // no such table
    throw error;
  });
  // Nothing to do needs no privilege beyond reading.
  if (version === schema.migrations.length) return;
  await client.query(`CREATE TABLE IF NOT EXISTS ${table} (id int PRIMARY KEY, version int NOT NULL)`);
  await client.query(`INSERT INTO ${table} (id, version) VALUES (1, 0) ON CONFLICT (id) DO NOTHING`);
  await client.query('BEGIN');
  const locked = await readVersion(' FOR UPDATE');
  await client.query(`SET LOCAL statement_timeout = ${MIGRATION_TIMEOUT}`);
  await migrateFrom(locked, schema, (statement) => {
    const { text, values } = render(statement, 'postgres');
    const query = { text, values: toParameters(values), query_timeout: MIGRATION_TIMEOUT };
    return client.query(query);
  });
  await client.query(`UPDATE ${table} SET version = $1 WHERE id = 1`, [schema.migrations.length]);
  await client.query('COMMIT');
}

async function run<Row>(target: Pool | PoolClient, query: Sql<Row>): Promise<Result<Row>> {
  const { text, values } = render(query, 'postgres');
  const { rows, rowCount } = await target.query(text, toParameters(values));
  return { rows: rows as Row[], count: rowCount ?? 0 };
}

function createDriver(pool: Pool, subject: string, schema: Schema): Driver {
  async function guarded<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      throw toStoreError(subject, error, ADVICE, CONSTRAINTS);
    }
  }

  const bounded = <T>(action: () => Promise<T>): Promise<T> =>
    pool.waitingCount < MAX_WAITING ? guarded(action) : Promise.reject(overload());

  async function begin(): Promise<Session> {
    const client = await bounded(() => pool.connect());
    const ignore = () => undefined; // the query under way reports it too
    client.on('error', ignore);
    const release = (broken: boolean) => {
      client.off('error', ignore);
      client.release(broken);
    };
    try {
      // As serializable as SQLite is.
      await guarded(() => client.query('BEGIN ISOLATION LEVEL SERIALIZABLE'));
    } catch (error) {
      release(true);
      throw error;
    }
    let broken = false;
    const attempt = <T>(action: () => Promise<T>): Promise<T> =>
      guarded(action).catch((error: unknown) => {
        broken ||= !SQLSTATE.test(codeOf(error)) || LOST.test(codeOf(error));
        throw error;
      });
    return {
      run: (query) => attempt(() => run(client, query)),
      async commit() {
        await attempt(() => client.query('COMMIT'));
        release(false);
      },
      async rollback() {
        if (!broken) await client.query('ROLLBACK').catch(() => (broken = true));
        release(broken);
      },
    };
  }

  return {
    run: (query) => bounded(() => run(pool, query)),
    transaction: (work) => runTransaction(begin, work, isTransient),
    probe: () => guarded(() => run(pool, schema.probe)),
    close: () => pool.end(),
  };
}

/** After the loss of the connection nobody knows what became of a commit. */
function isTransient(error: Error, committing: boolean): boolean {
  const code = codeOf(error);
  return COLLISION.test(code) || (!committing && (LOST.test(code) || LOST_MESSAGE.test(error.message)));
}
