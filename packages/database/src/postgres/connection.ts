import type { PoolClient } from 'pg';
import type { Connection, Transaction } from '../driver';
import { codeOf } from '../failure';
import type { Schema } from '../schema';
import { StoreUnavailable } from '../store';
import type { Pool } from './pool';
import { checkSchema } from './schema';
import { begin as beginOn, mark, MAY_WRITE, run, send, STANDBY } from './statements';
import type { Target } from './url';

/** From so many unanswered statements on, writes are refused: the rest of the pool is for statements that read. */
const MAX_ABANDONED = 4;

/** Places of the pool that batches leave to others. */
const RESERVED = 2;

/** Transactions that stood in each other's way: the server has rolled this one back. */
const COLLISION = /^(40001|40P01)/;
/** The connection has been lost; the driver gives its own errors no code. */
const LOST = /^(08|57P0[123]|ECONNRESET|EPIPE)/;
const LOST_MESSAGE = /Connection terminated|connection error and is not queryable/;

/** Runs an action again while servers refuse it that take no writes: the pool leaves each of them. */
export async function onPrimary<T>({ servers }: Target, action: () => Promise<T>): Promise<T> {
  for (let left = servers.length; ; left--) {
    try {
      return await action();
    } catch (error) {
      if (codeOf(error) !== STANDBY || left === 0) throw error;
    }
  }
}

export function connectionOf(pool: Pool, schema: Schema, target: Target): Connection {
  /** @throws {StoreUnavailable} if too many writes before this one have not come to their end */
  function checkWritable(): void {
    if (pool.abandoned >= MAX_ABANDONED)
      throw new StoreUnavailable(
        `${pool.abandoned} statements have not ended in time, and may still run: check that a synchronous standby is running`,
      );
  }

  /** A connection of the pool, to be released once. */
  async function take() {
    const client = await pool.connect();
    let isUsable = true;
    return {
      client,
      /** Decides by an error whether the connection can be used again. */
      failed: (error: unknown, isLost = isBroken(error)): void => {
        isUsable &&= !isLost;
        pool.failed(client, error);
      },
      isUsable: (): boolean => isUsable,
      release: (): void => {
        client.release(!isUsable);
      },
    };
  }

  const alone = <T>(action: (client: PoolClient) => Promise<T>): Promise<T> =>
    onPrimary(target, async () => {
      const { client, failed, release } = await take();
      try {
        return await action(client);
      } catch (error) {
        failed(error);
        throw error;
      } finally {
        release();
      }
    });

  async function begin(): Promise<Transaction> {
    checkWritable();
    const { client, failed, isUsable, release } = await take();
    let wrote = false;
    async function attempt<T>(action: () => Promise<T>): Promise<T> {
      try {
        return await action();
      } catch (error) {
        failed(error);
        throw error;
      }
    }
    try {
      // As serializable as SQLite is.
      await attempt(() => beginOn(client, 'SERIALIZABLE'));
    } catch (error) {
      release();
      throw error;
    }
    return {
      async run(statement) {
        const result = await attempt(() => run(client, statement));
        wrote ||= result.wrote === true;
        return result;
      },
      async commit() {
        await attempt(async () => {
          if (!wrote) await mark(client, schema);
          await send(client, 'COMMIT');
        });
        release();
      },
      async rollback() {
        if (isUsable())
          await client.query('ROLLBACK').catch((error: unknown) => {
            failed(error, true);
          });
        release();
      },
    };
  }

  /** Of the last readiness check. */
  let probing: PoolClient | undefined;

  return {
    get concurrency() {
      return Math.max(1, pool.places - RESERVED - pool.abandoned);
    },
    run(statement) {
      if (pool.abandoned > 0 && MAY_WRITE.test(statement.text)) checkWritable();
      return alone(async (client) => {
        const result = await run(client, statement);
        // A conflict, or nothing to delete: that, too, holds only if what it rests on is kept.
        if (result.wrote === false) await mark(client, schema);
        return result;
      });
    },
    begin,
    // After the loss of the connection nobody knows what became of a commit.
    isTransient(error, committing) {
      const code = codeOf(error);
      return (
        COLLISION.test(code) ||
        code === STANDBY ||
        (!committing && (LOST.test(code) || LOST_MESSAGE.test(error.message)))
      );
    },
    probe(statement) {
      if (probing && pool.isAbandoned(probing))
        throw new StoreUnavailable('the write of an earlier check has not been committed yet');
      checkWritable();
      return alone(async (client) => {
        probing = client;
        await checkSchema(client, schema);
        await run(client, statement);
        await mark(client, schema);
      });
    },
    close: () => pool.end(),
  };
}

/** Whether the connection is of no more use: it is lost, or nobody knows what comes over it next. */
function isBroken(error: unknown): boolean {
  const code = codeOf(error);
  return !/^[0-9A-DF-Z][0-9A-Z]{4}$/.test(code) || LOST.test(code);
}
