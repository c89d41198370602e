import type { ClientBase, PoolClient, QueryResult } from 'pg';
import type { Result } from '../driver';
import { codeOf } from '../failure';
import type { Schema } from '../schema';
import type { Rendered } from '../sql';
import { StoreUnavailable } from '../store';
import { EXACT, toParameters } from './dialect';

/**
 * Rows among which a commit that changes nothing else chooses one to write, at random: so many that those of many processes
 * seldom wait for each other.
 */
const MARKS = 1024;

/** The code of a server that takes no writes: it is a standby, or has become one. Nothing has been written. */
export const STANDBY = '25006';

/** Matches statements that may write. If one has written nothing, its result rests on rows that must be durable first. */
export const MAY_WRITE = /\b(INSERT|UPDATE|DELETE|MERGE)\b/i;

export const marksOf = ({ name }: Schema) => `${name}_marks`;

/**
 * Writes something, so that the commit waits as every commit does. PostgreSQL lets one that has written nothing pass at
 * once, though it may rest on rows that a standby does not have yet.
 */
export const mark = (client: PoolClient, schema: Schema) =>
  send(
    client,
    `INSERT INTO ${marksOf(schema)} (id, at) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET at = excluded.at`,
    [Math.floor(Math.random() * MARKS), Date.now()],
  );

/** The sessions whose wait for a standby has been cancelled since their last statement began. */
export const cancelled = new WeakSet<ClientBase>();

/** What sets the settings of a transaction, for sessions that have a backend for each transaction and no settings of their own. */
export const preludes = new WeakMap<ClientBase, string>();

/** Begins a transaction. */
export const begin = (client: ClientBase, isolation: 'READ COMMITTED' | 'SERIALIZABLE') =>
  client.query([`BEGIN ISOLATION LEVEL ${isolation}`, preludes.get(client) ?? []].flat().join('; '));

/** @throws {StoreUnavailable} if the statement is committed here, and nobody knows whether a standby has it */
export async function send(client: PoolClient, text: string, values: unknown[] = [], options: object = {}) {
  if (!preludes.has(client) || client.getTransactionStatus() !== 'I')
    return sendAsItIs(client, text, values, options);
  await begin(client, 'READ COMMITTED');
  try {
    const result = await sendAsItIs(client, text, values, options);
    await sendAsItIs(client, 'COMMIT');
    return result;
  } catch (error) {
    // Without an answer nobody knows what comes over the connection next; it is not used again.
    if (/^[0-9A-Z]{5}$/.test(codeOf(error))) await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function sendAsItIs(client: PoolClient, text: string, values: unknown[] = [], options: object = {}) {
  cancelled.delete(client);
  // By callback: the driver's promise copies a stack at each error, and a second one costs more than the first.
  const result = await new Promise<QueryResult<Record<string, unknown>>>((resolve, reject) => {
    client.query<Record<string, unknown>>({ text, values, ...options }, (error, answer) => {
      // The types of the driver do not say so, but without an error this is undefined or null.
      if ((error as Error | undefined | null) ?? undefined) reject(error);
      else resolve(answer);
    });
  });
  if (cancelled.has(client))
    throw new StoreUnavailable('the wait for a synchronous standby was canceled: check that one is running');
  return result;
}

interface Ran extends Result {
  /** True: it has written, and so its commit waits. Undefined: it only reads. */
  readonly wrote: boolean | undefined;
}

export async function run(
  client: PoolClient,
  { text, values, exact }: Rendered,
  timeout?: number,
): Promise<Ran> {
  const options = { ...(exact ? { types: EXACT } : {}), ...(timeout ? { query_timeout: timeout } : {}) };
  const { rows, rowCount, command } = await send(client, text, toParameters(values), options);
  const count = rowCount ?? 0;
  const wrote = MAY_WRITE.test(text) ? MAY_WRITE.test(command) && count > 0 : undefined;
  return { rows, count, wrote };
}
