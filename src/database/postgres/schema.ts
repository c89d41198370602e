import type { Pool, PoolClient } from 'pg';
import { type Advice, codeOf, explain } from '../failure';
import { checkVersion, migrateFrom, type Schema } from '../schema';
import { render } from '../sql';
import { DIALECT, toParameters } from './dialect';
import { mark, marksOf, run, send } from './statements';

/** A migration may rewrite a table. */
const MIGRATION_TIMEOUT = 600_000;

/** When the tables have just been made, unless they were there. */
const ADVICE_AT_FIRST: Advice = ['42703', '42P10'].map((code) => [
  code,
  'a table of that name belongs to another program: use a database of its own',
]);

/** Proves that the database can be used, and migrates it. */
export async function prepare(pool: Pool, schema: Schema): Promise<void> {
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
    await run(client, render(schema.probe, DIALECT));
    await mark(client, schema).catch(async (error: unknown) => {
      if (codeOf(error) !== NO_TABLE) throw error;
      // Its rows belong to nobody, and every role that writes the tables of the store needs it.
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

/** If several processes start together, the one that holds the lock of the version row migrates. */
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
  // A schema that is up to date needs no privilege beyond reading.
  if (version === schema.migrations.length) return;
  await client.query(`CREATE TABLE IF NOT EXISTS ${table} (id int PRIMARY KEY, version int NOT NULL)`);
  await client.query(`INSERT INTO ${table} (id, version) VALUES (1, 0) ON CONFLICT (id) DO NOTHING`);
  await client.query('BEGIN');
  const locked = await readVersion(' FOR UPDATE');
  await client.query(`SET LOCAL statement_timeout = ${MIGRATION_TIMEOUT}`);
  await migrateFrom(locked, schema, (statement) => {
    const { text, values } = render(statement, DIALECT);
    const query = { text, values: toParameters(values), query_timeout: MIGRATION_TIMEOUT };
    return client.query(query);
  });
  if (locked === 0)
    await run(client, render(schema.probe, DIALECT)).catch((error: unknown) => {
      throw new Error(explain('the first use', error, ADVICE_AT_FIRST), { cause: error });
    });
  await client.query(`UPDATE ${table} SET version = $1 WHERE id = 1`, [schema.migrations.length]);
  await send(client, 'COMMIT');
}
