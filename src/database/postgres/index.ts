import { Pool, type PoolClient } from 'pg';
import type { Driver } from '../driver';
import { WORK_TIMEOUT } from '../transaction';
import { keepAbandoned } from './abandoned';
import { connectionOf } from './connection';
import { DIALECT, FAULTS, PARSERS, typesOf } from './dialect';
import { prepare } from './schema';
import { cancelled } from './statements';
import { readUrl } from './url';

// Only SQL that CockroachDB and YugabyteDB speak too: no advisory locks, and DDL that may be repeated, because not all of
// them can roll it back.

/** All in milliseconds. The server's own timeouts come first: they leave the connection in good order. */
const LOCK_TIMEOUT = 2000;
const STATEMENT_TIMEOUT = 4000;
/** For a server that has gone silent. */
const ANSWER_TIMEOUT = 5000;
const CONNECT_TIMEOUT = 3000;
/** Session settings that override those of the role and the database. */
const SETTINGS = [
  'client_min_messages=warning', // the only sign of a wait for a standby that was cancelled
  'DateStyle=ISO', // in which timestamps are read
  'default_transaction_isolation=read\\ committed',
  `statement_timeout=${STATEMENT_TIMEOUT}`,
  `lock_timeout=${LOCK_TIMEOUT}`,
  `idle_in_transaction_session_timeout=${WORK_TIMEOUT}`,
];

/**
 * A commit waits for the disk, and for synchronous standbys as the database is configured. Set for the session, so that
 * nobody lowers it later.
 */
const AT_LEAST_ON = `SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit')
  WHEN 'off' THEN 'on' WHEN 'local' THEN 'on' ELSE current_setting('synchronous_commit') END, false),
  pg_backend_pid() AS pid`;

/** A PostgreSQL database, which any number of processes may share. Its URL may have the parameters of the driver. */
export const POSTGRES: Driver = {
  urls: ['postgres://user:password@host/database'],
  accepts: /^postgres(ql)?:\/\/./s,
  dialect: DIALECT,
  faults: FAULTS,
  subjectOf: (url) => readUrl(url).subject,
  startTimeoutOf: (url) => readUrl(url).startTimeout,
  async open(url, schema, opening) {
    const { servers, connections } = readUrl(url);
    const target = new URL(servers[0]?.url ?? url);
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
      max: connections,
      verify: (client, done) => {
        client.query<{ pid: bigint }>(AT_LEAST_ON).then(({ rows }) => {
          backends.set(client, Number(rows[0]?.pid));
          done();
        }, done);
      },
      types: typesOf(PARSERS),
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
    try {
      await prepare(pool, schema, opening);
    } catch (error) {
      await pool.end();
      throw error;
    }
    return connectionOf(
      pool,
      keepAbandoned(config, (client) => backends.get(client)),
      schema,
    );
  },
};
