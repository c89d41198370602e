import type { PoolClient } from 'pg';
import { type Advice, codeOf, explain, retryTransient } from '../failure';
import {
  checkVersion,
  compareApplied,
  migrate,
  MIGRATION_TIMEOUT,
  recordsOf,
  type Schema,
  selectApplied,
  type WithLock,
} from '../schema';
import { render, type Rendered } from '../sql';
import type { Opening } from '../start';
import { runOn } from '../transaction';
import { DIALECT } from './dialect';
import { OUTSIDE_TIMEOUT, runOutside } from './outside';
import type { Pool } from './pool';
import { begin, mark, marksOf, run, send } from './statements';

/** For a table that was there before those of the store were made. */
const ADVICE_AT_FIRST: Advice = ['42703', '42P10'].map((code) => [
  code,
  'a table of that name belongs to another program: use a separate database',
]);

/** Milliseconds to wait for the lock of a table: whoever waits for it keeps those behind him from it. */
const TABLE_TIMEOUT = 250;
/**
 * Of processes that make the same table at once some get one of these, `IF NOT EXISTS` or not; and the milliseconds in which that
 * is over, and between two attempts.
 */
const SAME_TABLE = [/^(23505|42710|42P07|XX000)/, 5000, 100] as const;

/** Proves that the database can be used, and migrates it. */
export async function prepare(pool: Pool, schema: Schema, opening: Opening): Promise<void> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ encoding: string }>(
      "SELECT current_setting('server_encoding') AS encoding",
    );
    if (rows[0]?.encoding !== 'UTF8')
      throw new Error(`expected the encoding UTF8, got ${rows[0]?.encoding}: create a database with it`);
    await migrateTables(client, pool, schema, opening);
    await run(client, render(schema.probe, DIALECT));
    await mark(client, schema).catch(async (error: unknown) => {
      if (codeOf(error) !== NO_TABLE) throw error;
      // Its rows belong to nobody, and every role that writes the tables of the store needs it.
      const table = marksOf(schema);
      await makeBy(client)(`CREATE TABLE IF NOT EXISTS ${table} (id int PRIMARY KEY, at bigint NOT NULL);
        GRANT SELECT, INSERT, UPDATE ON ${table} TO PUBLIC`);
      await mark(client, schema);
    });
  } catch (error) {
    pool.failed(client, error);
    throw error;
  } finally {
    client.release(true);
  }
}

const NO_LOCK = '55P03';
const NO_TABLE = '42P01';
const NO_PRIVILEGE = '42501';

async function versionOf(client: PoolClient, { name }: Schema, lock = ''): Promise<number> {
  const text = `SELECT version FROM ${name}_schema WHERE id = 1${lock}`;
  const { rows } = await client.query<{ version: bigint }>(text);
  return Number(rows[0]?.version ?? 0);
}

const appliedIn = async (client: PoolClient, schema: Schema) =>
  (await runOn({ run: (statement) => run(client, statement) }, DIALECT)(selectApplied(schema))).rows;

/** @throws {StoreUnavailable} if a newer program has migrated the database since, and does not let this one run on it */
export async function checkSchema(client: PoolClient, schema: Schema): Promise<void> {
  const version = await versionOf(client, schema);
  if (version > schema.migrations.length) checkVersion(version, schema, await appliedIn(client, schema));
}

/** Runs statements that make a table which others may be making now. */
const makeBy = (client: PoolClient) => (text: string) =>
  retryTransient(() => client.query(text), ...SAME_TABLE);

/**
 * If several processes start together, the one that holds the lock of the version row migrates. The others do not stand in line
 * for it: CREATE INDEX CONCURRENTLY would wait for them.
 */
async function migrateTables(
  client: PoolClient,
  pool: Pool,
  schema: Schema,
  { migrating, timeout }: Opening,
): Promise<void> {
  if (!/^[a-z][a-z0-9_]{0,50}$/.test(schema.name))
    throw new Error(`expected a name of lower case letters, digits and _, got ${schema.name}`);
  const table = `${schema.name}_schema`;
  const readVersion = (lock?: string) => versionOf(client, schema, lock);
  const perform = (statement: Rendered) => run(client, statement, MIGRATION_TIMEOUT);

  /** Whether there is nothing to do: that needs no privilege beyond reading. */
  async function isCurrent(): Promise<boolean> {
    const version = await readVersion();
    const applied = await appliedIn(client, schema);
    checkVersion(version, schema, applied);
    const lacking = compareApplied(version, applied, schema, DIALECT);
    return version >= schema.migrations.length && lacking.length === 0;
  }

  const withLock: WithLock = async (work) => {
    let isFirst = false;
    let aside: PoolClient | undefined;
    const runAside = async (statement: Rendered) => {
      if (pool.places < 2) throw new Error('expected connections=3 or more in the URL, got connections=2');
      await client.query(`SET LOCAL idle_in_transaction_session_timeout = ${OUTSIDE_TIMEOUT}`);
      aside ??= await pool.connect();
      return runOutside(aside, statement, timeout);
    };
    // One that keeps a snapshot would be waited for by what runs outside of it.
    await begin(client, 'READ COMMITTED');
    try {
      const version = await readVersion(' FOR UPDATE NOWAIT').catch((error: unknown) => {
        throw codeOf(error) === NO_LOCK
          ? new Error('another process is migrating it', { cause: error })
          : error;
      });
      for (const name of ['statement_timeout', 'idle_in_transaction_session_timeout'])
        await client.query(`SET LOCAL ${name} = ${MIGRATION_TIMEOUT}`);
      await client.query(`SET LOCAL lock_timeout = ${TABLE_TIMEOUT}`);
      const reached = await work({ version, run: perform, outside: { run: runAside } });
      isFirst = version === 0 && reached === schema.migrations.length;
      if (isFirst) await run(client, render(schema.probe, DIALECT));
      isFirst = false;
      await client.query(`UPDATE ${table} SET version = $1 WHERE id = 1`, [reached]);
      await send(client, 'COMMIT');
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw isFirst ? await explainFirstUse(client, schema, error) : error;
    } finally {
      aside?.release(true);
    }
  };

  const isMissing = (error: unknown) => {
    if (codeOf(error) !== NO_TABLE) throw error;
    return false;
  };
  if (await isCurrent().catch(isMissing)) return;
  const make = makeBy(client);
  try {
    await make(`CREATE TABLE IF NOT EXISTS ${table} (id int PRIMARY KEY, version int NOT NULL)`);
    await client.query(`INSERT INTO ${table} (id, version) VALUES (1, 0) ON CONFLICT (id) DO NOTHING`);
    for (const { name, create } of recordsOf(schema))
      await make(`${render(create, DIALECT).text}; GRANT SELECT ON ${name} TO PUBLIC`);
  } catch (error) {
    // An earlier version has kept less, and who may migrate the database will.
    if (codeOf(error) === NO_PRIVILEGE && (await readVersion()) >= schema.migrations.length) return;
    throw error;
  }
  await migrate(schema, DIALECT, withLock, migrating);
}

/** The tables that have just been made are gone again: one that is still there was there before. */
async function explainFirstUse(client: PoolClient, schema: Schema, error: unknown): Promise<Error> {
  const again = await run(client, render(schema.probe, DIALECT)).then(() => '', codeOf);
  return new Error(explain('the first use', error, again === NO_TABLE ? [] : ADVICE_AT_FIRST), {
    cause: error,
  });
}
