import type { PoolClient } from 'pg';
import { type Advice, codeOf, explain } from '../failure';
import {
  appliedTable,
  checkVersion,
  compareApplied,
  migrate,
  type Migrated,
  MIGRATION_TIMEOUT,
  readApplied,
  type Schema,
  type WithLock,
} from '../schema';
import { render, type Rendered } from '../sql';
import { runOn } from '../transaction';
import { DIALECT } from './dialect';
import type { Pool } from './pool';
import { LOCK_TIMEOUT } from './servers';
import { begin, mark, marksOf, run, send, STANDBY } from './statements';

/** For a table that was there before those of the store were made. */
const ADVICE_AT_FIRST: Advice = ['42703', '42P10'].map((code) => [
  code,
  'a table of that name belongs to another program: use a database of its own',
]);

/** Proves that the database can be used, and migrates it. */
export async function prepare(pool: Pool, schema: Schema, report?: Migrated): Promise<void> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ encoding: string }>(
      "SELECT current_setting('server_encoding') AS encoding",
    );
    if (rows[0]?.encoding !== 'UTF8')
      throw new Error(`expected the encoding UTF8, got ${rows[0]?.encoding}: create a database with it`);
    await migrateTables(client, schema, report);
    await run(client, render(schema.probe, DIALECT));
    await mark(client, schema).catch(async (error: unknown) => {
      if (codeOf(error) !== NO_TABLE) throw error;
      // Its rows belong to nobody, and every role that writes the tables of the store needs it.
      const table = marksOf(schema);
      await client.query(`CREATE TABLE IF NOT EXISTS ${table} (id int PRIMARY KEY, at bigint NOT NULL);
        GRANT SELECT, INSERT, UPDATE ON ${table} TO PUBLIC`);
      await mark(client, schema);
    });
  } catch (error) {
    if (codeOf(error) === STANDBY) pool.leave(client);
    throw error;
  } finally {
    client.release(true);
  }
}

/** Not a type of the driver's. */
const LONG = { query_timeout: MIGRATION_TIMEOUT };
const NO_TABLE = '42P01';
const NO_PRIVILEGE = '42501';

/** If several processes start together, the one that holds the lock of the version row migrates. */
async function migrateTables(client: PoolClient, schema: Schema, report?: Migrated): Promise<void> {
  if (!/^[a-z][a-z0-9_]{0,50}$/.test(schema.name))
    throw new Error(`expected a name of lower case letters, digits and _, got ${schema.name}`);
  const table = `${schema.name}_schema`;
  const readVersion = async (lock = '') => {
    const text = `SELECT version FROM ${table} WHERE id = 1${lock}`;
    const { rows } = await client.query<{ version: bigint }>({ text, ...LONG });
    return Number(rows[0]?.version ?? 0);
  };
  const perform = (statement: Rendered) => run(client, statement, MIGRATION_TIMEOUT);

  const read = () => readApplied(runOn({ run: perform }, DIALECT), schema);

  /** Whether there is nothing to do: that needs no privilege beyond reading. */
  async function isCurrent(): Promise<boolean> {
    const version = await readVersion();
    checkVersion(version, schema);
    const lacking = compareApplied(version, await read(), schema, DIALECT);
    return version === schema.migrations.length && lacking.length === 0;
  }

  const withLock: WithLock = async (work) => {
    let isFirst = false;
    await begin(client, 'READ COMMITTED');
    try {
      for (const name of ['statement_timeout', 'idle_in_transaction_session_timeout', 'lock_timeout'])
        await client.query(`SET LOCAL ${name} = ${MIGRATION_TIMEOUT}`);
      const version = await readVersion(' FOR UPDATE');
      // Whoever waits for the lock of a table keeps those behind him from it.
      await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT}`);
      const reached = await work({ version, run: perform });
      isFirst = version === 0 && reached === schema.migrations.length;
      if (isFirst) await run(client, render(schema.probe, DIALECT));
      isFirst = false;
      await client.query(`UPDATE ${table} SET version = $1 WHERE id = 1`, [reached]);
      await send(client, 'COMMIT');
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw isFirst ? await explainFirstUse(client, schema, error) : error;
    }
  };

  const missing = (error: unknown) => {
    if (codeOf(error) !== NO_TABLE) throw error;
    return undefined;
  };
  if (await isCurrent().catch(missing)) return;
  try {
    await client.query(`CREATE TABLE IF NOT EXISTS ${table} (id int PRIMARY KEY, version int NOT NULL)`);
    await client.query(`INSERT INTO ${table} (id, version) VALUES (1, 0) ON CONFLICT (id) DO NOTHING`);
    if (!(await read().catch(missing)))
      await client.query(`${render(appliedTable(schema), DIALECT).text};
        GRANT SELECT ON ${schema.name}_migrations TO PUBLIC`);
  } catch (error) {
    // Version 2.0.0 has kept no checksums, and who may migrate the database will.
    if (codeOf(error) === NO_PRIVILEGE && (await readVersion()) === schema.migrations.length) return;
    throw error;
  }
  await migrate(schema, DIALECT, withLock, report);
}

/** The tables that have just been made are gone again: one that is still there was there before. */
async function explainFirstUse(client: PoolClient, schema: Schema, error: unknown): Promise<Error> {
  const again = await run(client, render(schema.probe, DIALECT)).then(() => '', codeOf);
  return new Error(explain('the first use', error, again === NO_TABLE ? [] : ADVICE_AT_FIRST), {
    cause: error,
  });
}
