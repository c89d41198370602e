import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Program, startProgram } from '../testing/program';
import { readPlants } from '../crash/databases';
import { compare, newLedger, sendPlants, TOKEN } from '../crash/plants';
import { randomOf, within } from '../program';
import { waysTo } from './gateways';
import { type Cluster, createCluster, type Machine, PATIENCE, query } from './patroni';
import type { Outcome, Scenario } from './scenario';

/** What befalls a machine, from its beginning to its end. */
interface Fault {
  readonly begin: (cluster: Cluster, machine: Machine, round: number) => Promise<void> | void;
  readonly end: (cluster: Cluster, machine: Machine) => void;
}

const FAULTS = {
  kill: {
    begin: ({ home }, { name }) => home.kill(name),
    end: (cluster, machine) => {
      cluster.boot(machine);
    },
  },
  freeze: {
    begin: ({ home }, { name }) => {
      home.freeze(name);
    },
    end: ({ home }, { name }) => {
      home.thaw(name);
    },
  },
  /** Of the network: from etcd and the other machine. In every second round clients reach the machine all the same. */
  cut: {
    begin: ({ machines }, machine, round) => {
      for (const link of machines.flatMap(({ peers: [postgres] }) => postgres ?? [])) link.cut();
      for (const link of machine.peers) link.cut();
      if (round % 2 === 1) for (const link of [machine.clients, machine.health]) link.cut();
    },
    end: ({ machines }) => {
      for (const { peers, clients, health } of machines)
        for (const link of [...peers, clients, health]) link.heal();
    },
  },
  switchover: {
    begin: (cluster, machine) => cluster.switchOver(machine),
    end: () => undefined,
  },
} as const satisfies Record<string, Fault>;

/** Clients of each server. Several scenarios run at a time: they must leave Patroni the CPU that it needs to be in time. */
const PACE = { connections: 8, rest: 10 };
/** Plants that each server acknowledges before the fault, after it has begun, and after its end. */
const PLANTS = 200;
/** Milliseconds at most of a standby that falls behind before its primary is lost, as it does in a network under load. */
const LAG = 300;
/**
 * Ends the sessions that wait for the standby, or only their waiting, as an operator may do. What they have written is then visible
 * to others, and lost with the primary: clients that repeat their request must not be told that it is kept.
 */
const INTERRUPT = (how: 'terminate' | 'cancel') =>
  `SELECT pg_${how}_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid <> pg_backend_pid()`;
/** So that clients have sent everything again. */
const INTERRUPTIONS = 8;

/** Servers with a fault each, by which answers are lost: what they do before each statement. */
const INJECTED = {
  /** They answer before a standby has the plant. */
  'injected-early':
    "if (/INTO plants/.test(statement.text)) query.call(this, 'SET synchronous_commit = local');",
  /** A retry finds a row that no standby has, and waits for nothing. */
  'injected-unmarked':
    "if (/_marks/.test(statement.text)) statement = { ...statement, text: 'SELECT $1::int, $2::bigint' };",
  /** A wait for the standby that was cancelled is a success. */
  'injected-unnoticed': "this.removeAllListeners('notice');",
};

/** The environment of a server that runs this code before each statement. */
function environmentOf(code: string): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'contract-first-'));
  process.once('exit', () => {
    rmSync(folder, { recursive: true });
  });
  const file = join(folder, 'fault.js');
  const wrapper = `const { Client } = require('pg');
    const { query } = Client.prototype;
    Client.prototype.query = function (statement, ...rest) { ${code}\nreturn query.call(this, statement, ...rest); };`;
  writeFileSync(file, wrapper);
  return { NODE_OPTIONS: `--require=${file}`, NODE_PATH: join(__dirname, '../../node_modules') };
}

type Servers = readonly (readonly [way: string, server: Program])[];

/** The servers of a cluster, one for each way to the primary, which live through all rounds. */
export async function startServers(
  cluster: Cluster,
  more: Readonly<Record<string, string>> = {},
): Promise<Servers> {
  const servers: (readonly [way: string, server: Program])[] = [];
  for (const [way, url] of Object.entries(await waysTo(cluster)))
    servers.push([
      way,
      await startProgram({ DATABASE_URL: url, API_TOKENS: TOKEN, LOG_LEVEL: 'warn', ...more }),
    ]);
  return servers;
}

/** Sends plants to all servers, which share one ledger: rivals for an id meet in the database. */
export function loadAll(servers: Servers, seed: number) {
  const ledger = newLedger();
  const loads = servers.map(
    ([way, { url }]) => [way, sendPlants(Number(new URL(url).port), ledger, seed, PACE)] as const,
  );
  return {
    ledger,
    /** Resolves when each server has acknowledged so many more. */
    async acknowledged(count: number, when: string): Promise<void> {
      const each = loads.map(([way, load]) =>
        within(PATIENCE, load.acknowledged(count), `${when}, the server by ${way} acknowledges nothing:`),
      );
      await Promise.all(each);
    },
    /** Stops, and compares what was answered with what the primary has; then removes it. */
    async stop(cluster: { settled(): Promise<{ readonly port: number }> }): Promise<Outcome> {
      const silences = Object.fromEntries(loads.map(([way, load]) => [way, [Math.round(load.silence())]]));
      await within(PATIENCE, Promise.all(loads.map(([, load]) => load.stop())), 'a request is not answered');
      const { port } = await cluster.settled();
      const { acknowledged, lost, foreign } = compare(
        ledger,
        await readPlants(`postgres://postgres@127.0.0.1:${port}/plants`),
      );
      await query(port, 'TRUNCATE plants');
      for (const response of ledger.unexpected.slice(0, 3)) console.error(response);
      return { rounds: 1, acknowledged, lost, wrong: foreign + ledger.unexpected.length, silences };
    },
  };
}

interface Options {
  readonly fault: keyof typeof FAULTS;
  readonly of: 'primary' | 'standby';
  readonly synchronous: boolean;
  /** Of the servers. */
  readonly environment?: Readonly<Record<string, string>>;
}

async function round({ fault, of }: Options, cluster: Cluster, servers: Servers, n: number, seed: number) {
  const { begin, end } = FAULTS[fault];
  const primary = await cluster.settled();
  const machine = of === 'primary' ? primary : cluster.other(primary);
  const load = loadAll(servers, seed + n);
  await load.acknowledged(PLANTS, 'before the fault');
  await sleep(randomOf(seed, fault, of, n, 'moment') * LAG);
  const falls = of === 'primary' && fault !== 'switchover';
  const [replication] = primary.peers;
  if (falls) {
    replication?.cut();
    await sleep(randomOf(seed, fault, of, n, 'lag') * LAG);
    for (let times = 0; times < INTERRUPTIONS; times++) {
      await query(primary.port, INTERRUPT(n % 2 === 0 ? 'cancel' : 'terminate'));
      await sleep(50);
    }
  }
  await begin(cluster, machine, n);
  if (of === 'primary') await cluster.takenOver(machine);
  await load.acknowledged(PLANTS, 'during the fault');
  if (falls) replication?.heal();
  end(cluster, machine);
  await load.acknowledged(PLANTS, 'after the fault');
  return load.stop(cluster);
}

const scenario =
  (options: Options): Scenario['run'] =>
  async (rounds, seed, report) => {
    const cluster = await createCluster(options);
    let servers: Servers = [];
    try {
      servers = await startServers(cluster, options.environment);
      for (let n = 1; n <= rounds; n++) report(await round(options, cluster, servers, n, seed));
    } catch (error) {
      for (const [way, server] of servers) console.error(`server by ${way}\n${server.output().slice(-2000)}`);
      cluster.printLogs();
      throw error;
    } finally {
      for (const [, server] of servers) await server.stop('SIGKILL');
      await cluster.remove();
    }
  };

/** Each fault of each machine, synchronous and not. What is promised is that of the configuration of the database. */
export function faultScenarios(): Record<string, Scenario> {
  const found: Record<string, Scenario> = {};
  for (const synchronous of [true, false])
    for (const fault of Object.keys(FAULTS) as (keyof typeof FAULTS)[])
      for (const of of ['primary', 'standby'] as const) {
        if (fault === 'switchover' && of === 'standby') continue;
        const name = `${fault}-${of}-${synchronous ? 'sync' : 'async'}`;
        // Without synchronous replication the rows that the standby does not have yet go with the primary.
        const loses = !synchronous && of === 'primary' && fault !== 'switchover';
        found[name] = { lost: loses ? 'any' : 'none', run: scenario({ fault, of, synchronous }) };
      }
  for (const [name, code] of Object.entries(INJECTED))
    found[name] = {
      lost: 'some',
      run: (_, seed, report) =>
        scenario({ fault: 'kill', of: 'primary', synchronous: true, environment: environmentOf(code) })(
          2,
          seed,
          report,
        ),
    };
  return found;
}
