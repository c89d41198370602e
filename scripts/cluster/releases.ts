import { join } from 'node:path';
import { Client } from 'pg';
import { type Postgres, startPostgres } from '../testing/postgres';
import { startProcess } from '../testing/process';
import { readPlants } from '../crash/databases';
import { compare, newLedger, sendPlants, TOKEN } from '../crash/plants';
import { randomOf, within } from '../program';
import { PATIENCE, query, until } from './patroni';
import type { Outcome, Scenario } from './scenario';
import { SOURCES } from '../testing/sources';

const PROGRAM = join(__dirname, '../testing/releases.ts');
/** Clients of each server. A migration must fill rows faster than older releases write them. */
const PACE = { connections: 4, rest: 50 };

/** Releases beside each other, which rename a column; they are killed while they migrate, restarted and put back. */
async function round(postgres: Postgres, seed: number, n: number): Promise<Outcome> {
  const DATABASE_URL = await postgres.createDatabase(`round${n}`);
  const ask = (sql: string) => query(postgres.port, sql, `round${n}`);
  const ledger = newLedger();
  let silence = 0;
  const environment = { HOST: '127.0.0.1', PORT: '0', API_TOKENS: TOKEN, DATABASE_URL };
  const run = (release: number) => startProcess([...SOURCES, PROGRAM, String(release)], environment);
  /** Starts a server that gets plants until it leaves. */
  async function enter(release: number, pace = PACE) {
    const server = run(release);
    const [url] = await within(PATIENCE, server.printed(/http:\/\/[\d.]+:\d+/), 'a server does not start');
    const load = sendPlants(Number(new URL(url).port), ledger, seed + n, pace);
    const more = (count: number) => within(PATIENCE, load.acknowledged(count), 'no plant is acknowledged');
    async function leave(): Promise<void> {
      await more(50);
      silence = Math.max(silence, load.silence());
      await within(PATIENCE, load.stop(), 'a request is not answered');
      const seen = [(await fetch(`${url}/-/ready`)).status, await server.stop()].join();
      if (seen !== '200,0') throw new Error(`release ${release}: ready and exit ${seen}: ${server.output()}`);
    }
    return { more, leave };
  }
  /** Starts release 2, and kills it when the database says so. */
  async function kill(when: string, sql: string): Promise<void> {
    const server = run(2);
    await until(when, async () => (await ask(sql))[0]);
    await server.stop('SIGKILL');
  }

  const filler = await enter(1, { connections: 32, rest: 0 });
  await filler.more(2000); // 100 batches
  await filler.leave();
  const [first, old] = await Promise.all([enter(1), enter(1)]);
  const reader = new Client(DATABASE_URL);
  await reader.connect();
  await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1'); // the index waits for it
  await kill('an index that is not valid', 'SELECT 1 FROM pg_index WHERE NOT indisvalid');
  // What the killed process has begun is cut off, or goes on.
  if (n % 2 === 0) await ask('SELECT pg_terminate_backend(pid) FROM pg_stat_progress_create_index');
  await reader.end();
  await old.leave();
  const restarted = await enter(1);
  const share = randomOf(seed, n, 'share') * 0.8;
  await kill('rows that are filled', `SELECT 1 FROM plants HAVING count(name) > ${share} * count(*)`);
  const [next, doomed] = await Promise.all([enter(2), enter(2)]);
  await doomed.leave();
  const back = await enter(1);
  await next.more(50);
  for (const { leave } of [first, restarted, back]) await leave();
  const last = await enter(3);
  for (const { leave } of [next, last]) await leave();

  const [index] = await ask("SELECT 1 FROM pg_index WHERE indexrelid = 'names'::regclass AND indisvalid");
  const { acknowledged, lost, foreign } = compare(ledger, await readPlants(DATABASE_URL));
  const wrong = foreign + ledger.unexpected.length + (index ? 0 : 1);
  return { rounds: 1, acknowledged, lost, wrong, failed: ledger.failed, silences: { releases: [silence] } };
}

export const migrationsWhileServing: Scenario = {
  lost: 'none',
  async run(rounds, seed, report) {
    const postgres = await startPostgres();
    for (let n = 1; n <= rounds; n++) report(await round(postgres, seed, n));
  },
};
