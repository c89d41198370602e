import { Pool, types, type PoolClient } from 'pg';
import { MAX_WAITING, overload } from '../batch';
import { SQLSTATE } from '../codes';
import type { Driver } from '../database';
import { codeOf, explain, retryTransient, toStoreError, type Advice, type Faults } from '../failure';
import { type Abandoned, keepAbandoned } from './abandoned';
import { prepare } from './schema';
import { cancelled, mark, MAY_WRITE, run, send } from './statements';
import { PARSERS } from './dialect';
import type { Schema } from '../schema';
import { render, type Sql } from '../sql';
import { StoreUnavailable } from '../store';
import { runTransaction, type Session, WORK_TIMEOUT } from '../transaction';

// Only SQL that CockroachDB and YugabyteDB speak too: no advisory locks, and DDL that may be repeated, because not all of
// them can roll it back.

/** Connections of one process; ten processes fit into the hundred that a PostgreSQL allows by default. */
const MAX_CONNECTIONS = 8;
/** Statements that nobody awaits any more, up to which others may write: the rest of the pool is for those that read. */
const MAX_ABANDONED = 4;

/** All in milliseconds. The server's own timeouts come first: they leave the connection in good order. */
const LOCK_TIMEOUT = 2000;
const STATEMENT_TIMEOUT = 4000;
/** For a server that has gone silent. */
const ANSWER_TIMEOUT = 5000;
const CONNECT_TIMEOUT = 3000;
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
  WHEN 'off' THEN 'on' WHEN 'local' THEN 'on' ELSE current_setting('synchronous_commit') END, false),
  pg_backend_pid() AS pid`;

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
/** What the driver says when ANSWER_TIMEOUT is over. */
const NO_ANSWER = 'Query read timeout';
/** What the driver says without a code: of its connections, of the time-outs above, of authentication. */
const AWAY =
  /^(Connection (terminated|ended)|timeout (exceeded|expired)|Query read timeout|Client (has encountered|was closed)|Cannot use a pool after|The server does not support SSL|There was an error establishing an SSL|SASL|Received unexpected|received invalid response)/;

const ADVICE: Advice = [
  ['28', 'check the user and the password'],
  ['3D000', 'create the database first'],
  ['42501', 'grant this user what is missing'],
  ['25006', 'name the primary server, not a standby'],
  ['ECONNREFUSED', 'start the server, or check host and port'],
  ['ENOTFOUND', 'check the name of the host'],
];

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
  const config = {
    connectionString: target.href,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    query_timeout: ANSWER_TIMEOUT,
    keepAlive: true,
  };
  const backends = new WeakMap<PoolClient, number>();
  const pool = new Pool({
    ...config,
    max: MAX_CONNECTIONS,
    verify: (client, done) => {
      client.query<{ pid: bigint }>(AT_LEAST_ON).then(({ rows }) => {
        backends.set(client, Number(rows[0]?.pid));
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
  const abandoned = keepAbandoned(config, (client) => backends.get(client));
  return createDriver(pool, abandoned, { subject, kinds: SQLSTATE, advice: ADVICE, away: AWAY }, schema);
}

function createDriver(pool: Pool, abandoned: Abandoned, faults: Faults, schema: Schema): Driver {
  async function guarded<T>(action: () => Promise<T>, failed?: Sql<unknown>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      throw toStoreError(faults, error, failed && render(failed, 'postgres'));
    }
  }

  // By callback, as `send` has it: a promise of the driver costs two more.
  const connect = () =>
    new Promise<PoolClient>((resolve, reject) => {
      if (pool.waitingCount >= MAX_WAITING) reject(overload());
      else
        pool.connect((error, client) => {
          if (client) resolve(client);
          else reject(error ?? new Error('expected a connection of the pool, got none'));
        });
    });

  /** @throws {StoreUnavailable} if too many writes before this one have not come to their end */
  function checkWritable(): void {
    if (abandoned.count >= MAX_ABANDONED)
      throw new StoreUnavailable(
        `${abandoned.count} statements have not ended in time, and may still run: see that a synchronous standby runs`,
      );
  }

  /** A session of the pool, to be released once. */
  function sessionOf(client: PoolClient) {
    let isUsable = true;
    let isAbandoned = false;
    return {
      isUsable: (): boolean => isUsable,
      failed(error: unknown) {
        if (!isAbandoned && (error as Error).message === NO_ANSWER) {
          isAbandoned = true;
          abandoned.add(client);
        }
        isUsable &&= !isBroken(error);
      },
      discard: () => {
        isUsable = false;
      },
      release() {
        if (!isAbandoned) client.release(!isUsable);
      },
    };
  }

  async function inSession<T>(action: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await connect();
    const session = sessionOf(client);
    try {
      return await action(client);
    } catch (error) {
      session.failed(error);
      throw error;
    } finally {
      session.release();
    }
  }

  async function begin(): Promise<Session> {
    const client = await guarded(() => {
      checkWritable();
      return connect();
    });
    const session = sessionOf(client);
    const attempt = <T>(action: () => Promise<T>, query?: Sql<unknown>): Promise<T> =>
      guarded(
        () =>
          action().catch((error: unknown) => {
            session.failed(error);
            throw error;
          }),
        query,
      );
    let wrote = false;
    try {
      // As serializable as SQLite is.
      await attempt(() => client.query('BEGIN ISOLATION LEVEL SERIALIZABLE'));
    } catch (error) {
      session.release();
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
        session.release();
      },
      async rollback() {
        if (session.isUsable()) await attempt(() => client.query('ROLLBACK')).catch(session.discard);
        session.release();
      },
    };
  }

  /** Of the last readiness check. */
  let probing: PoolClient | undefined;

  return {
    run: (query) =>
      guarded(async () => {
        if (abandoned.count > 0 && MAY_WRITE.test(render(query, 'postgres').text)) checkWritable();
        return inSession(async (client) => {
          const result = await run(client, query);
          // A conflict, or nothing to delete: that, too, holds only if what it rests on is kept.
          if (result.wrote === false) await mark(client, schema);
          return result;
        });
      }, query),
    transaction: (work) => runTransaction(begin, work, isTransient),
    probe: () =>
      guarded(async () => {
        if (probing && abandoned.has(probing))
          throw new StoreUnavailable('the write of an earlier check has not been committed yet');
        checkWritable();
        await inSession(async (client) => {
          probing = client;
          await run(client, schema.probe);
          await mark(client, schema);
        });
      }, schema.probe),
    close() {
      abandoned.close();
      return pool.end();
    },
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
