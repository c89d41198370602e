import { join } from 'node:path';
import { startPostgres } from '../testing/postgres';
import { startProgram } from '../testing/program';
import { TOKEN } from '../crash/plants';
import { createHome } from './daemons';
import { loadAll } from './faults';
import { startPgBouncer } from './gateways';
import { query } from './patroni';
import type { Scenario } from './scenario';

/** Plants that the server acknowledges before what befalls it, and after its end. */
const PLANTS = 100;
/** Fewer than the server has places: connections of the pooler wait for each other. */
const POOL = 4;

type Mode = 'session' | 'transaction';

/**
 * A database that by itself neither waits for the disk nor limits a statement, behind PgBouncer. What was answered must be
 * there after a crash of the database, or of the pooler, all the same.
 */
const scenario =
  (mode: Mode): Scenario['run'] =>
  async (rounds, seed, report) => {
    const home = createHome();
    const postgres = await startPostgres();
    await postgres.createDatabase('plants');
    await query(postgres.port, 'ALTER DATABASE plants SET synchronous_commit = off');
    const port = await startPgBouncer(home, mode, mode, postgres.port, [
      ...(mode === 'transaction' ? [`default_pool_size = ${POOL}`] : []),
      'server_login_retry = 1',
    ]);
    const url = `postgres://postgres@127.0.0.1:${port}/plants`;
    const server = await startProgram({ DATABASE_URL: url, API_TOKENS: TOKEN, LOG_LEVEL: 'warn' });
    try {
      for (let n = 1; n <= rounds; n++) {
        const load = loadAll([[mode, server]], seed + n);
        await load.acknowledged(PLANTS, 'before the fault');
        if (n % 2 === 1) {
          await postgres.kill();
          await postgres.start();
        } else {
          await home.kill(mode);
          home.start(mode, 'pgbouncer', join(home.machine(mode), 'config'));
        }
        await load.acknowledged(PLANTS, 'after the fault');
        report(await load.stop({ settled: () => Promise.resolve(postgres) }));
      }
    } catch (error) {
      console.error(`${server.output().slice(-2000)}\n${home.logOf(mode).slice(-2000)}`);
      throw error;
    } finally {
      await server.stop('SIGKILL');
      await Promise.all([home.remove(), postgres.remove()]);
    }
  };

/** PgBouncer in each of its modes. */
export const pgBouncerScenarios = (): Record<string, Scenario> =>
  Object.fromEntries(
    (['session', 'transaction'] as const).map((mode) => [
      `pgbouncer-${mode}`,
      { lost: 'none', run: scenario(mode) },
    ]),
  );
