import { type ClientBase, Pool, types, type PoolClient, type QueryResult } from 'pg';
import { MAX_WAITING, overload } from './batch';
import { SQLSTATE } from './codes';
import type { Driver } from './database';
import { codeOf, explain, retryTransient, toStoreError, type Advice, type Faults } from './failure';
import { checkVersion, migrateFrom, type Schema } from './schema';
import { render, type Rendered, type Sql, type Value } from './sql';
import { StoreUnavailable } from './store';
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
  'client_min_messages=warning', // the only sign of a wait for a standby that was cancelled
  'default_transaction_isolation=read\\ committed',
  `statement_timeout=${STATEMENT_TIMEOUT}`,
  `lock_timeout=${LOCK_TIMEOUT}`,
  `idle_in_transaction_session_timeout=${WORK_TIMEOUT}`,
];

/**
 * A commit waits for the disk at least; where standbys are synchronous, for as much of them as the database says. Fixed for
 * the session, so that nobody lowers it later.
 */
const AT_LEAST_ON = `SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit')
  WHEN 'off' THEN 'on' WHEN 'local' THEN 'on' ELSE current_setting('synchronous_commit') END, false)`;

/**
 * Rows among which a commit that changes nothing else chooses one to write, at random: so many that those of many processes
 * seldom wait for each other.
 */
const MARKS = 1024;

/**
 * What passes by itself, by SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html) or errno. Of
 * processes that make the same table at once some get 23505, 42710 or 42P07, `IF NOT EXISTS` or not.
 */
const TRANSIENT = /^(08|23505|40|42710|42P07|53|55P03|57|XX000|ECONN|EAI_AGAIN|ETIMEDOUT)/;
/** Transactions that stood in each other's way: the server has rolled this one back. */
const COLLISION = /^(40001|40P01)/;
/** The connection has been lost; the driver gives its own errors no code. */
const LOST = /^(08|57P0[123]|ECONNRESET|EPIPE)/;
const LOST_MESSAGE = /Connection terminated|connection error and is not queryable/;
/** What the driver says without a code: of its connections, of the time-outs above, of authentication. */
const AWAY =
  /^(Connection (terminated|ended)|timeout (exceeded|expired)|Query read timeout|Client (has encountered|was closed)|Cannot use a pool after|The server does not support SSL|There was an error establishing an SSL|SASL|Received unexpected|received invalid response)/;
/** A statement that may write, of which it must not be said that nothing was to be written before that is certain. */
const MAY_WRITE = /\b(INSERT|UPDATE|DELETE|MERGE)\b/i;

const ADVICE: Advice = [
  ['28', 'check the user and the password'],
  ['3D000', 'create the database first'],
  ['42501', 'grant this user what is missing'],
  ['25006', 'name the primary server, not a standby'],
  ['ECONNREFUSED', 'start the server, or check host and port'],
  ['ENOTFOUND', 'check the name of the host'],
];

/** When the tables have just been made, unless they were there. */
const ADVICE_AT_FIRST: Advice = ['42703', '42P10'].map((code) => [
  code,
  'a table of that name belongs to another program: use a database of its own',
]);

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

function toParameter(value: Value): Value {
  if (typeof value === 'string') return toText(value);
  // The digits that JavaScript prints of such a number are not all its own.
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
    ? BigInt(value)
    : value;
}

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
    verify: (client, done) => {
      client.query(AT_LEAST_ON).then(() => {
        done();
      }, done);
    },
    types: { getTypeParser: (oid, format): unknown => PARSERS.get(oid) ?? types.getTypeParser(oid, format) },
  });
  // The loss of an idle connection concerns nobody: the pool has dropped it already.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    // Without a listener the loss of the connection would end the process; the query under way reports it too.
    client.on('error', () => undefined);
    // A commit whose wait for a standby has been cancelled succeeds, with a warning in the language of the server.
    client.on('notice', ({ routine, file }) => {
      if (routine === 'SyncRepWaitForLSN' || file === 'syncrep.c') cancelled.add(client);
    });
  });
  const subject = `PostgreSQL at ${target.host}${target.pathname}`;
  try {
    await retryTransient(() => prepare(pool, schema), TRANSIENT, OPEN_TIMEOUT, OPEN_INTERVAL);
  } catch (error) {
    await pool.end();
    throw new Error(explain(subject, error, ADVICE), { cause: error });
  }
  return createDriver(pool, { subject, kinds: SQLSTATE, advice: ADVICE, away: AWAY }, schema);
}

/** Proves that the database can be used, and migrates it. */
async function prepare(pool: Pool, schema: Schema): Promise<void> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ encoding: string; commit: string }>(
      "SELECT current_setting('server_encoding') AS encoding, current_setting('synchronous_commit') AS commit",
    );
    if (rows[0]?.encoding !== 'UTF8')
      throw new Error(`expected the encoding UTF8, got ${rows[0]?.encoding}: create a database with it`);
    if (['off', 'local'].includes(rows[0].commit))
      throw new Error(
        `synchronous_commit is ${rows[0].commit}: let the pooler in between keep sessions apart`,
      );
    await migrate(client, schema);
    await run(client, schema.probe);
    await mark(client, schema).catch(async (error: unknown) => {
      if (codeOf(error) !== NO_TABLE) throw error;
      // It holds nothing that anybody owns, and whoever may write the tables of the store needs it.
      const table = marksOf(schema);
      await client.query(`CREATE TABLE IF NOT EXISTS ${table} (id int PRIMARY KEY, at bigint NOT NULL);
        GRANT SELECT, INSERT, UPDATE ON ${table} TO PUBLIC`);
      await mark(client, schema);
    });
  } finally {
    client.release(true);
  }
}

const NO_TABLE = '42P01';

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
    if (codeOf(error) === NO_TABLE) return 0;
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
  if (locked === 0)
    await run(client, schema.probe).catch((error: unknown) => {
      throw new Error(explain('the first use', error, ADVICE_AT_FIRST), { cause: error });
    });
  await client.query(`UPDATE ${table} SET version = $1 WHERE id = 1`, [schema.migrations.length]);
  await send(client, 'COMMIT');
}

const marksOf = ({ name }: Schema) => `${name}_marks`;

/**
 * Writes something, so that the commit waits as every commit does. PostgreSQL lets one that has written nothing pass at
 * once, though it may rest on rows that a standby does not have yet.
 */
const mark = (client: PoolClient, schema: Schema) =>
  send(
    client,
    `INSERT INTO ${marksOf(schema)} (id, at) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET at = excluded.at`,
    [Math.floor(Math.random() * MARKS), Date.now()],
  );

/** The sessions whose wait for a standby has been cancelled since their last statement began. */
const cancelled = new WeakSet<ClientBase>();

/** @throws {StoreUnavailable} if the statement is committed here, and nobody knows whether a standby has it */
async function send(client: PoolClient, text: string, values?: unknown[]) {
  cancelled.delete(client);
  // By callback: the driver's promise copies a stack at each error, and a second one costs more than the first.
  const result = await new Promise<QueryResult<Record<string, unknown>>>((resolve, reject) => {
    client.query<Record<string, unknown>>(text, values ?? [], (error, answer) => {
      // The types of the driver do not say so, but without an error this is undefined or null.
      if ((error as Error | undefined | null) ?? undefined) reject(error);
      else resolve(answer);
    });
  });
  if (cancelled.has(client))
    throw new StoreUnavailable(
      'somebody has cancelled the wait for a synchronous standby: see that one runs',
    );
  return result;
}

interface Ran<Row> extends Result<Row> {
  /** True: it has written, and so its commit waits. Undefined: it only reads. */
  readonly wrote: boolean | undefined;
}

async function run<Row>(client: PoolClient, query: Sql<Row>): Promise<Ran<Row>> {
  const { text, values } = render(query, 'postgres');
  const { rows, rowCount, command } = await send(client, text, toParameters(values));
  const count = rowCount ?? 0;
  const wrote = MAY_WRITE.test(text) ? MAY_WRITE.test(command) && count > 0 : undefined;
  return { rows: rows as Row[], count, wrote };
}

function createDriver(pool: Pool, faults: Faults, schema: Schema): Driver {
  async function guarded<T>(action: () => Promise<T>, failed?: Sql<unknown>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      throw toStoreError(faults, error, failed && render(failed, 'postgres'));
    }
  }

  const connect = (): Promise<PoolClient> =>
    pool.waitingCount < MAX_WAITING ? pool.connect() : Promise.reject(overload());

  async function inSession<T>(action: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await connect();
    let broken = false;
    try {
      return await action(client);
    } catch (error) {
      broken = isBroken(error);
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async function begin(): Promise<Session> {
    const client = await guarded(connect);
    let broken = false;
    let wrote = false;
    const attempt = <T>(action: () => Promise<T>, query?: Sql<unknown>): Promise<T> =>
      guarded(action, query).catch((error: unknown) => {
        broken ||= isBroken(error);
        throw error;
      });
    try {
      // As serializable as SQLite is.
      await attempt(() => client.query('BEGIN ISOLATION LEVEL SERIALIZABLE'));
    } catch (error) {
      client.release(true);
      throw error;
    }
    return {
      async run<Row>(query: Sql<Row>) {
        const result = await attempt(() => run(client, query), query);
        wrote ||= result.wrote === true;
        return result;
      },
      async commit() {
        await attempt(async () => {
          if (!wrote) await mark(client, schema);
          await send(client, 'COMMIT');
        });
        client.release();
      },
      async rollback() {
        if (!broken) await client.query('ROLLBACK').catch(() => (broken = true));
        client.release(broken);
      },
    };
  }

  return {
    run: (query) =>
      guarded(
        () =>
          inSession(async (client) => {
            const result = await run(client, query);
            // A conflict, or nothing to delete: that, too, holds only if what it rests on is kept.
            if (result.wrote === false) await mark(client, schema);
            return result;
          }),
        query,
      ),
    transaction: (work) => runTransaction(begin, work, isTransient),
    probe: () =>
      guarded(
        () =>
          inSession(async (client) => {
            await run(client, schema.probe);
            await mark(client, schema);
          }),
        schema.probe,
      ),
    close: () => pool.end(),
  };
}

/** Whether the session is of no more use: its connection is lost, or nobody knows what comes over it next. */
function isBroken(error: unknown): boolean {
  const code = codeOf(error);
  return !/^[0-9A-DF-Z][0-9A-Z]{4}$/.test(code) || LOST.test(code);
}

/** After the loss of the connection nobody knows what became of a commit. */
function isTransient(error: Error, committing: boolean): boolean {
  const code = codeOf(error);
  return COLLISION.test(code) || (!committing && (LOST.test(code) || LOST_MESSAGE.test(error.message)));
}
