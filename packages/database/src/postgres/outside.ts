/** Statements of migrations that run outside a transaction. */
import type { PoolClient } from 'pg';
import type { Rendered, Result } from '../sql';
import { run } from './statements';

/** Milliseconds that one may take: it builds an index of a large table, and is in nobody's way. */
export const OUTSIDE_TIMEOUT = 86_400_000;

const NAME = '(?:"(?:[^"]|"")+"|[\\w$\\u0080-\\uffff]+)';
const INDEX = new RegExp(
  `^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (?<safe>IF NOT EXISTS )?(?<name>(?!ON )${NAME} )?ON (?:ONLY )?(?<table>${NAME}(?:\\.${NAME})?)`,
  'i',
);
/** A quoted name, or white space and comments. */
const BETWEEN = /("(?:[^"]|"")*")|(?:\s|--.*|\/\*[^]*?\*\/)+/g;

/** Whether the index is there and can be used. No row: it is not there. */
const VALID = `SELECT i.indisvalid AS valid, format('%I.%I', n.nspname, c.relname) AS name
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE i.indrelid = to_regclass($1) AND c.relname = (parse_ident($2))[1]`;

/**
 * Runs a statement that may have been cut off when it ran before. An index that was cut off is there, but is not used, and
 * `IF NOT EXISTS` takes it for made: it is dropped and made again.
 *
 * @param patience milliseconds to wait for a lock: it makes nobody else wait who only reads or writes rows
 */
export async function runOutside(client: PoolClient, statement: Rendered, patience: number): Promise<Result> {
  const index = INDEX.exec(
    `${statement.text.replaceAll(BETWEEN, (_, name?: string) => name ?? ' ').trim()} `,
  )?.groups;
  if (index && !(index['safe'] && index['name']))
    throw new Error(
      'expected CREATE INDEX CONCURRENTLY IF NOT EXISTS with a name: it runs again if it was cut off',
    );
  const { rows } = await client.query<{ pid: bigint }>('SELECT pg_backend_pid() AS pid');
  if (!('processID' in client) || Number(rows[0]?.pid) !== client.processID)
    throw new Error(
      'expected the server itself, got a pooler in between: migrate with a URL that bypasses it',
    );
  for (const setting of [`statement_timeout = ${OUTSIDE_TIMEOUT}`, `lock_timeout = ${Math.max(1, patience)}`])
    await client.query(`SET ${setting}`);
  if (index) {
    const found = await client.query<{ valid: boolean; name: string }>(VALID, [
      index['table'],
      index['name']?.trim(),
    ]);
    const [{ valid, name } = { valid: true, name: '' }] = found.rows;
    if (!valid)
      await run(client, { text: `DROP INDEX CONCURRENTLY IF EXISTS ${name}`, values: [] }, OUTSIDE_TIMEOUT);
  }
  return run(client, statement, OUTSIDE_TIMEOUT);
}
