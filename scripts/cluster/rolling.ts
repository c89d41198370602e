import { startPostgres } from '../testing/postgres';
import { startProgram } from '../testing/program';
import { readPlants } from '../crash/databases';
import { compare, newLedger, sendPlants, TOKEN } from '../crash/plants';
import { within } from '../program';
import { createHome, type Home, quietPort } from './daemons';
import { startHaproxy } from './gateways';
import { PATIENCE, until } from './patroni';
import type { Scenario } from './scenario';

interface Options {
  readonly mode: 'http' | 'tcp';
  /** How often HAProxy tries again, with another server, what it could not send. */
  readonly retries: 0 | 3;
  /** SHUTDOWN_DELAY: that of the image is 5,000. */
  readonly delay?: number;
  readonly workers?: number;
}

/** With the first, 20 rounds send more than 100,000 requests. */
const PACES = [
  { connections: 64, rest: 150 },
  { connections: 64, rest: 2000 }, // a client that pauses has a connection that is idle when its server stops
];

/** Starts three servers behind HAProxy. Each is its own health check; HAProxy notices within 2 seconds that it is not ready. */
async function startService(home: Home, url: string, { mode, retries, delay = 5000, workers = 1 }: Options) {
  const ports: (readonly [port: number, probes: number])[] = [];
  while (ports.length < 3) ports.push([await quietPort(), await quietPort()]);
  const stats = await quietPort();
  const start = ([port, probes]: readonly [number, number]) =>
    startProgram({
      PORT: String(port),
      OPS_PORT: String(probes),
      DATABASE_URL: url,
      API_TOKENS: TOKEN,
      LOG_LEVEL: 'warn',
      SHUTDOWN_DELAY: String(delay),
      WORKERS: String(workers),
    });
  const servers = await Promise.all(ports.map(start));
  const entry = await startHaproxy(home, 'haproxy', [
    `mode ${mode}`,
    `retries ${retries}`,
    retries > 0 ? 'option redispatch 1' : '',
    'option httpchk GET /-/ready',
    'default-server inter 1s fall 2 rise 1',
    ...ports.map(([port, probes], n) => `server s${n} 127.0.0.1:${port} check port ${probes}`),
    'listen stats',
    'mode http',
    `bind 127.0.0.1:${stats}`,
    'stats enable',
    'stats uri /',
  ]);
  /** Resolves when HAProxy sends requests to all servers. */
  const settled = () =>
    until('HAProxy to find all servers', async () => {
      const csv = await (await fetch(`http://127.0.0.1:${stats}/;csv`)).text();
      return csv.match(/^plants,s\d,.*,UP,/gm)?.length === ports.length || undefined;
    });
  await settled();
  return {
    entry,
    /** Ends each server, starts another one in its place, and goes on once HAProxy knows it. */
    async replaceAll(): Promise<void> {
      for (const port of ports) {
        const server = servers.shift();
        const status = await within(PATIENCE, Promise.resolve(server?.stop()), 'a server does not end');
        if (status !== 0) throw new Error(`a server has ended with status ${String(status)}`);
        servers.push(await start(port));
        await settled();
      }
    },
    kill: () => Promise.all(servers.map(({ stop }) => stop('SIGKILL'))),
  };
}

const scenario =
  (options: Options): Scenario['run'] =>
  async (rounds, seed, report) => {
    const [home, postgres] = [createHome(), await startPostgres()];
    const url = await postgres.createDatabase('plants');
    const service = await startService(home, url, options);
    const ledger = newLedger();
    let seen = { acknowledged: 0, lost: 0, wrong: 0, failed: 0 };
    try {
      for (let n = 1; n <= rounds; n++) {
        const loads = PACES.map((pace, i) => sendPlants(service.entry, ledger, 2 * (seed + n) + i, pace));
        await service.replaceAll();
        const silence = Math.round(loads[0]?.silence() ?? 0); // to compare takes seconds, too
        await within(PATIENCE, Promise.all(loads.map((load) => load.stop())), 'a request is not answered');
        const { acknowledged, lost, foreign } = compare(ledger, await readPlants(url));
        const now = { acknowledged, lost, wrong: foreign + ledger.unexpected.length, failed: ledger.failed };
        report({
          rounds: 1,
          acknowledged: now.acknowledged - seen.acknowledged,
          lost: now.lost - seen.lost,
          wrong: now.wrong - seen.wrong,
          failed: now.failed - seen.failed,
          silences: { haproxy: [silence] },
        });
        seen = now;
      }
      for (const response of ledger.unexpected.slice(0, 3)) console.error(response);
    } finally {
      await service.kill();
      await Promise.all([home.remove(), postgres.remove()]);
    }
  };

/**
 * Three servers behind HAProxy, replaced one after the other under load: no request may fail, whether HAProxy knows HTTP or only
 * connections, and whether it tries again or not. Servers without SHUTDOWN_DELAY must be noticed.
 */
export function rollingScenarios(): Record<string, Scenario> {
  const found: Record<string, Scenario> = {};
  for (const mode of ['http', 'tcp'] as const)
    for (const retries of [0, 3] as const)
      found[`rolling-${mode}-retries-${retries}`] = { lost: 'none', run: scenario({ mode, retries }) };
  found['rolling-tcp-workers'] = { lost: 'none', run: scenario({ mode: 'tcp', retries: 0, workers: 2 }) };
  found['rolling-injected-fault'] = {
    lost: 'none',
    fails: true,
    run: (_, seed, report) => scenario({ mode: 'http', retries: 0, delay: 0 })(1, seed, report),
  };
  return found;
}
