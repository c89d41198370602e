import { createRequire } from 'node:module';
import type * as Redis from '@redis/client';
import { RateLimiterPostgres, RateLimiterRedis, type RateLimiterStoreAbstract } from 'rate-limiter-flexible';
import { type Database, openDatabase, type Schema, sql, StatementError } from 'contract-first-database';

/** The number of requests that a client may send within a window of time. */
export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
  /** Without a store: counted by the primary of this worker, for all of its workers. */
  readonly byPrimary?: boolean;
}

/** A store of rate-limiter-flexible, and the connection to it, which is made on demand. */
export interface LimiterStore {
  readonly limiter: RateLimiterStoreAbstract;
  /** The connection has failed, or is silent. */
  readonly failed: () => void;
  readonly close: () => Promise<void>;
}

/** Milliseconds in which the store must connect, and count a request. */
export const STORE_TIMEOUT = 1000;

/**
 * @param url `redis://`, `rediss://` or `postgres://`
 * @param service begins each key: others may count in the same store
 */
export const openLimiterStore = (url: string, limit: RateLimit, service: string): LimiterStore =>
  (/^rediss?:/.test(url) ? redisStore : postgresStore)(url, limit, service);

type EvalOptions = Parameters<ReturnType<typeof Redis.createClient>['eval']>[1];

/** Redis, Valkey, or another server of their protocol. The connection is made anew after each failure. */
function redisStore(url: string, { requests, seconds }: RateLimit, service: string): LimiterStore {
  // Loaded on demand: that takes 130 ms.
  const { createClient } = createRequire(__filename)('@redis/client') as typeof Redis;
  const create = () => {
    const client = createClient({
      url,
      RESP: 2,
      disableClientInfo: true,
      socket: { connectTimeout: STORE_TIMEOUT, reconnectStrategy: false },
    });
    // Redis closes what is idle: the next request opens another.
    client.on('error', () => {
      if (current?.client === client) current = undefined;
    });
    const connected = client.connect();
    connected.catch(() => undefined);
    return { client, connected };
  };
  let current: ReturnType<typeof create> | undefined;
  const storeClient = {
    async eval(script: string, options: EvalOptions) {
      const { client, connected } = (current ??= create());
      await connected;
      return client.eval(script, options);
    },
  };
  const failed = () => {
    if (current?.client.isOpen) current.client.destroy();
    current = undefined;
  };
  const limiter = new RateLimiterRedis({
    storeClient,
    useRedisPackage: true,
    points: requests,
    duration: seconds,
    keyPrefix: service,
  });
  return {
    limiter,
    failed,
    close: () => {
      failed();
      return Promise.resolve();
    },
  };
}

/** The table. Counts are worth no write-ahead log: they wait for no disk and no standby, and a crash empties them. */
const SCHEMA: Schema = {
  name: 'rate_limit',
  mark: 'rate',
  migrations: [
    [
      'counts',
      sql`CREATE UNLOGGED TABLE rate_limit_counts
        (key varchar(255) PRIMARY KEY, points integer NOT NULL, expire bigint NOT NULL)`,
    ],
  ],
  probe: sql`INSERT INTO rate_limit_counts (key, points, expire) SELECT '', 0, 0 WHERE false`,
};

/** Few connections, and no long wait for a database that is away: it is asked again anyway. */
const PARAMETERS = { connections: 4, start_timeout: STORE_TIMEOUT };

/** Milliseconds: how often rows are removed whose window ended as long ago. */
const SWEEP = 60_000;
const SWEPT = 1000;

/** PostgreSQL, by the connections of packages/database/src, which reconnect by themselves. */
function postgresStore(url: string, { requests, seconds }: RateLimit, service: string): LimiterStore {
  let opening: Promise<Database> | undefined;
  const lacking = Object.entries(PARAMETERS).filter(([name]) => !new RegExp(`[?&]${name}=`).test(url));
  const complete =
    url +
    lacking.map(([name, value], i) => `${i > 0 || url.includes('?') ? '&' : '?'}${name}=${value}`).join('');
  const opened = () =>
    (opening ??= openDatabase(complete, SCHEMA).catch((error: unknown) => {
      opening = undefined;
      throw error;
    }));
  const close = async () => {
    const closing = opening;
    opening = undefined;
    await (await closing?.catch(() => undefined))?.close();
  };
  const storeClient = {
    async query({ text, values }: { readonly text: string; readonly values: readonly number[] }) {
      const parts = [...text.matchAll(/\$(\d)/g)].map(([, number]) => values[Number(number) - 1] ?? null);
      const statement = { kind: 'sql', strings: text.split(/\$\d/), parts } as const;
      const database = await opened();
      const rows = await database
        .query<{ points: bigint; expire: bigint }>(statement)
        .catch((error: unknown) => {
          // The table is gone, perhaps with its database: to open it again makes it again.
          if (error instanceof StatementError) void close().catch(() => undefined);
          throw error;
        });
      return { rows: rows.map(({ points, expire }) => ({ points: Number(points), expire: Number(expire) })) };
    },
  };
  const limiter = new RateLimiterPostgres({
    storeClient,
    storeType: 'pool',
    tableName: 'rate_limit_counts',
    tableCreated: true,
    clearExpiredByTimeout: false,
    points: requests,
    duration: seconds,
    keyPrefix: service,
  });
  const sweep = async () => {
    const ended = Date.now() - SWEEP;
    const database = await opened();
    for (let count = SWEPT; count === SWEPT;)
      // The first condition is for a row whose client came back meanwhile.
      count = await database.execute(sql`DELETE FROM rate_limit_counts WHERE expire < ${ended}
        AND key IN (SELECT key FROM rate_limit_counts WHERE expire < ${ended} LIMIT ${SWEPT})`);
  };
  const timer = setInterval(() => void sweep().catch(() => undefined), SWEEP).unref();
  return {
    limiter,
    failed: () => undefined,
    close() {
      clearInterval(timer);
      return close();
    },
  };
}
