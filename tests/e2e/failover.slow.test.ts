import { Client } from 'pg';
import { startPostgres } from '../../scripts/testing/postgres';
import { startProgram } from '../../scripts/testing/program';
import { createLink } from '../../scripts/cluster/link';
import { until } from '../../scripts/cluster/patroni';
import { readPlants } from '../../scripts/crash/databases';
import { compare, newLedger, sendPlants, TOKEN } from '../../scripts/crash/plants';

// The small form of `make cluster`: a primary and its standby of the package, a server under load that knows both, a fault of the
// primary, and the standby in its place. Nobody fences the old primary here; Patroni does.

async function createPair(synchronous: boolean) {
  const settings = ['wal_keep_size=64MB', 'fsync=off'];
  const primary = await startPostgres({
    settings: synchronous ? [...settings, 'synchronous_standby_names=standby'] : settings,
  });
  const standby = await startPostgres({ settings: ['fsync=off'], standbyOf: primary.port });
  const url = new URL(await primary.createDatabase());
  const links = await Promise.all([primary, standby].map(({ port }) => createLink(port)));
  const urlOf = (port: number) => `postgres://postgres@127.0.0.1:${port}${url.pathname}`;
  /** The value of an expression. */
  const ask = async (port: number, expression: string): Promise<unknown> => {
    const client = new Client(urlOf(port));
    await client.connect();
    const { rows } = await client.query<{ value: unknown }>(`SELECT ${expression} AS value`);
    await client.end();
    return rows[0]?.value;
  };
  return { primary, standby, links, url, urlOf, ask };
}
type Pair = Awaited<ReturnType<typeof createPair>>;

/** An operator makes the primary read-only, and waits until the standby has all that it has acknowledged. */
async function handOver({ primary, standby, ask }: Pair): Promise<void> {
  const client = new Client(`postgres://postgres@127.0.0.1:${primary.port}/postgres`);
  await client.connect();
  await client.query('ALTER SYSTEM SET default_transaction_read_only = on');
  await client.query('SELECT pg_reload_conf()');
  await client.end();
  const writing = '(SELECT count(*)::int FROM pg_stat_activity WHERE backend_xid IS NOT NULL)';
  await until('no write', async () => ((await ask(primary.port, writing)) === 0 ? true : undefined));
  const position = String(await ask(primary.port, 'pg_current_wal_lsn()'));
  const caughtUp = `pg_last_wal_replay_lsn() >= '${position}'`;
  await until('a standby that has all', async () =>
    (await ask(standby.port, caughtUp)) === true ? true : undefined,
  );
}

const FAULTS = {
  'was killed': ({ primary }: Pair) => primary.kill(),
  'was frozen': ({ primary }: Pair) => {
    primary.freeze();
  },
  'was cut off': ({ links: [link] }: Pair) => link?.cut(),
  'became read-only': handOver,
};

test.each<[fault: keyof typeof FAULTS, kind: string, what: string]>([
  ['was killed', 'synchronous', 'nothing'],
  ['was frozen', 'synchronous', 'nothing'],
  ['was cut off', 'synchronous', 'nothing'],
  ['became read-only', 'asynchronous', 'nothing'],
  ['was killed', 'asynchronous', 'what a standby that was behind did not have'],
])(
  'a primary %s: writes go on at its %s standby, and of what was acknowledged %s is lost',
  async (fault, kind, what) => {
    const pair = await createPair(kind === 'synchronous');
    const { primary, standby, links, url, urlOf, ask } = pair;
    const hosts = links.map(({ port }) => `127.0.0.1:${port}`).join();
    const server = await startProgram({
      DATABASE_URL: `postgres://postgres@${hosts}${url.pathname}`,
      API_TOKENS: TOKEN,
    });
    const ledger = newLedger();
    const load = sendPlants(Number(new URL(server.url).port), ledger, 1, { connections: 8, rest: 2 });
    try {
      await load.acknowledged(200);
      if (what !== 'nothing') {
        standby.freeze();
        await load.acknowledged(50);
      }
      await FAULTS[fault](pair);
      if (what === 'nothing') await ask(standby.port, 'pg_promote()');
      else {
        await standby.kill(); // with what the network held for it
        await standby.start();
      }
      await load.acknowledged(100);
      await load.stop();
      const { lost, foreign } = compare(ledger, await readPlants(urlOf(standby.port)));
      expect({ foreign, unexpected: ledger.unexpected }).toEqual({ foreign: 0, unexpected: [] });
      if (what === 'nothing') expect(lost).toBe(0);
      else expect(lost).toBeGreaterThanOrEqual(50);
      expect(await server.stop()).toBe(0);
    } finally {
      await server.stop('SIGKILL');
      for (const link of links) link.heal();
      await Promise.all([primary.remove(), standby.remove()]);
    }
  },
  40_000,
);
