import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../testing/postgres';
import { startProgram } from '../testing/program';
import { readPlants } from '../crash/databases';
import { compare, newLedger, sendPlants, TOKEN } from '../crash/plants';
import { within } from '../program';
import { createHome, POSTGRES_BIN } from './daemons';
import { PATIENCE, query, until } from './patroni';
import type { Outcome, Scenario } from './scenario';

/** The commands of docs/postgres-backup.md, by their headings, and the configuration. */
function readPage() {
  const page = readFileSync(join(__dirname, '../../docs/postgres-backup.md'), 'utf8');
  const commands = new Map<string, string>();
  for (const section of page.split(/^## /m).slice(1)) {
    const [, text] = /^```sh\n([^]*?)^```/m.exec(section) ?? [];
    if (text !== undefined) commands.set(section.slice(0, section.indexOf('\n')), text);
  }
  return { commands, config: /^```ini\n([^]*?)^```/m.exec(page)?.[1] ?? '' };
}

const PLANTS = 200;
/** The moment that the page goes back to. */
const MOMENT = /(?<=--target=')[^']*/;

/** Makes backups under load, a mistake, and a lost disk, by the commands of the page. */
async function round(seed: number): Promise<Outcome> {
  const { commands, config } = readPage();
  const home = createHome();
  const folder = home.machine('plants');
  const [port, data] = [await freePort(), join(folder, 'data')];
  const environment = {
    PATH: `${POSTGRES_BIN}:/usr/bin:/bin`,
    PGDATA: data,
    PGHOST: folder,
    PGPORT: String(port),
    PGUSER: 'postgres',
    PGDATABASE: 'postgres',
    PGBACKREST_CONFIG: join(folder, 'pgbackrest.conf'),
    PGBACKREST_LOG_LEVEL_FILE: 'off',
    PGBACKREST_LOCK_PATH: join(folder, 'lock'),
    PGBACKREST_SPOOL_PATH: join(folder, 'spool'),
    PGBACKREST_REPO1_PATH: join(folder, 'repository'),
    PGBACKREST_PG1_PATH: data,
    PGBACKREST_PG1_PORT: String(port),
    PGBACKREST_PG1_SOCKET_PATH: folder,
  };
  const run = (script: string) => home.run('plants', environment, 'bash', '-euo', 'pipefail', '-c', script);
  const runPage = (heading: string, change = (script: string) => script) => {
    const script = commands.get(heading);
    if (script === undefined) throw new Error(`expected commands below "${heading}" in the page, got none`);
    commands.delete(heading);
    return run(change(script));
  };
  await run('command -v pgbackrest').catch(() => {
    throw new Error('pgbackrest missing: apt-get install --no-install-recommends pgbackrest');
  });
  await run(`cat > "$PGBACKREST_CONFIG" <<'END'\n${config}END
    initdb --auth=trust --encoding=UTF8 --locale=C --username=postgres
    cat >> "$PGDATA/postgresql.conf" <<END
listen_addresses = '127.0.0.1'
port = $PGPORT
unix_socket_directories = '$PGHOST'
END
    pg_ctl start
    createdb plants`);
  const url = `postgres://postgres@127.0.0.1:${port}/plants`;
  const server = await startProgram({ DATABASE_URL: url, API_TOKENS: TOKEN, LOG_LEVEL: 'warn' });
  const ledger = newLedger();
  let silence = 0;
  /** Sends plants while something happens, and some more afterwards. */
  async function during(work: () => Promise<unknown>): Promise<void> {
    const load = sendPlants(Number(new URL(server.url).port), ledger, seed, { connections: 8, rest: 10 });
    await within(PATIENCE, load.acknowledged(PLANTS), 'nothing is acknowledged');
    await work();
    await within(PATIENCE, load.acknowledged(PLANTS), 'nothing is acknowledged');
    silence = Math.max(silence, load.silence());
    await within(PATIENCE, load.stop(), 'a request is not answered');
  }
  let [lost, foreign] = [0, 0];
  const look = async () => {
    const found = compare(ledger, await readPlants(url));
    lost += found.lost;
    foreign += found.foreign;
  };
  try {
    await during(() => runPage('Set up'));
    await during(() => runPage('Back up'));
    const [row] = await query<{ moment: string }>(port, 'SELECT now()::text AS moment');
    await query(port, "DELETE FROM plants; INSERT INTO plants VALUES (-1, 'a mistake')");
    await runPage('Go back to a moment', (script) => script.replace(MOMENT, row?.moment ?? ''));
    await look();
    await during(() => Promise.resolve());
    const [segment] = await query<{ name: string }>(port, 'SELECT pg_walfile_name(pg_switch_wal()) AS name');
    await until('an archived segment', async () => {
      const archived = `SELECT 1 FROM pg_stat_archiver WHERE last_archived_wal >= '${segment?.name}'`;
      return (await query(port, archived))[0];
    });
    await home.kill('plants');
    rmSync(data, { recursive: true });
    await run('mkdir -m 700 "$PGDATA"');
    await runPage('Replace a lost disk');
    await look();
    if (commands.size > 0)
      throw new Error(`commands that nothing has run: ${[...commands.keys()].join(', ')}`);
    const wrong = foreign + ledger.unexpected.length;
    return {
      rounds: 1,
      acknowledged: ledger.acknowledged.length,
      lost,
      wrong,
      silences: { direct: [silence] },
    };
  } catch (error) {
    console.error(home.logOf('plants').slice(-4000));
    throw error;
  } finally {
    await server.stop('SIGKILL');
    await home.remove();
  }
}

export const backupScenarios = (): Record<string, Scenario> => ({
  'postgres-backup': {
    lost: 'none',
    async run(rounds, seed, report) {
      for (let n = 1; n <= rounds; n++) report(await round(seed + n));
    },
  },
});
