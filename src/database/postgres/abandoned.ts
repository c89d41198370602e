import { Client, type ClientConfig, type PoolClient } from 'pg';

/** Milliseconds between two looks at what has become of the backends. */
const CHECK_INTERVAL = 5000;

/**
 * Sessions whose statement nobody awaits any more, though its backend may still run: a commit that waits for a standby
 * does so until that is back, whatever its client does. Such a session keeps its place in the pool until the backend has
 * answered or ended, so that a silent standby never costs more backends than the pool has places. Nothing is cancelled:
 * that would show rows to others which no standby has.
 */
export interface Abandoned {
  readonly count: number;
  has(client: PoolClient): boolean;
  add(client: PoolClient): void;
  /** Gives all of them up. */
  close(): void;
}

/**
 * @param config of one more connection, which looks for the backends: a network that is cut hides their end
 * @param backendOf its process in the server
 */
export function keepAbandoned(
  config: ClientConfig,
  backendOf: (client: PoolClient) => number | undefined,
): Abandoned {
  const sessions = new Set<PoolClient>();
  let timer: NodeJS.Timeout | undefined;
  let observer: Client | undefined;

  const end = (client: Client) => void client.end().catch(() => undefined);

  async function findEnded(among: readonly PoolClient[]): Promise<PoolClient[]> {
    observer = new Client(config);
    observer.on('error', () => undefined);
    try {
      await observer.connect();
      const { rows } = await observer.query<{ pid: number }>(
        'SELECT pid FROM pg_stat_activity WHERE pid = ANY($1)',
        [among.map(backendOf)],
      );
      const running = new Set<number | undefined>(rows.map(({ pid }) => pid));
      return among.filter((client) => !running.has(backendOf(client)));
    } catch {
      return []; // nobody knows
    } finally {
      end(observer);
    }
  }

  function watch(): void {
    timer ??= setTimeout(() => {
      void findEnded([...sessions]).then((ended) => {
        ended.forEach(end);
        timer = undefined;
        if (sessions.size > 0) watch();
      });
    }, CHECK_INTERVAL).unref();
  }

  return {
    get count() {
      return sessions.size;
    },
    has: (client) => sessions.has(client),
    add(client) {
      sessions.add(client);
      client.once('drain', () => {
        end(client);
      });
      client.once('end', () => {
        sessions.delete(client);
        client.release(true);
      });
      watch();
    },
    close() {
      clearTimeout(timer);
      for (const client of sessions) end(client);
      if (observer) end(observer);
    },
  };
}
