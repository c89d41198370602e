import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { within } from '../program';
import { createHome, type Home, POSTGRES_BIN, quietPort } from './daemons';
import { createLink, type Link } from './link';

/** Seconds. Patroni gives a machine up that has not renewed its lease for so long. */
const LEASE = 8;
/** Milliseconds. Nothing of a cluster takes longer, unless it is broken. */
export const PATIENCE = 90_000;

/** A machine with PostgreSQL and Patroni. */
export interface Machine {
  readonly name: string;
  /** Of PostgreSQL, by the way that clients take. */
  readonly clients: Link;
  /** Of Patroni, by the way that load balancers take. */
  readonly health: Link;
  /** Behind the network: for the operator. */
  readonly port: number;
  readonly api: number;
  /** Of others to its PostgreSQL and its Patroni, and from it to etcd. */
  readonly peers: readonly Link[];
}

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

/** Asks something again until it is so. */
export async function until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + PATIENCE;
  let reason: unknown = 'no';
  while (performance.now() < end) {
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
    } catch (error) {
      reason = error;
    }
    await sleep(200);
  }
  throw new Error(`expected ${what} within ${PATIENCE / 1000} s, got ${String(reason)}`);
}

export const ask = (port: number, path: string, options: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(1000), ...options });

/** Whether the machine says so by its Patroni. */
export const isPrimary = (port: number): Promise<boolean> =>
  ask(port, '/primary').then(
    ({ ok }) => ok,
    () => false,
  );

/** Runs a statement as superuser, on a connection of its own. */
export async function query<Row extends object>(
  port: number,
  text: string,
  database = 'plants',
): Promise<Row[]> {
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    database,
    connectionTimeoutMillis: 2000,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

async function createMachine(home: Home, name: string, etcd: number, synchronous: boolean): Promise<Machine> {
  const [port, api] = [await quietPort(), await quietPort()];
  const peers = await Promise.all([port, api, etcd].map(createLink));
  const [postgres, patroni, lease] = peers.map((link) => `127.0.0.1:${link.port}`);
  const folder = home.machine(name);
  const parameters = {
    fsync: 'off', // a killed process loses nothing that the kernel has
    wal_log_hints: 'on', // for pg_rewind
    wal_sender_timeout: '4s',
    wal_receiver_timeout: '4s',
    unix_socket_directories: '',
    dynamic_shared_memory_type: 'mmap', // beside the other files: those of a killed process go with them
    shared_buffers: '32MB',
  };
  const config = {
    scope: 'plants',
    name,
    // Patroni 3.0.2 takes the lease of another machine by `etcd3`, when it was frozen: it then writes without comparing.
    etcd: { hosts: [lease], use_proxies: true },
    restapi: { listen: `127.0.0.1:${api}`, connect_address: patroni },
    bootstrap: {
      dcs: {
        ttl: LEASE,
        loop_wait: 1,
        retry_timeout: 3,
        maximum_lag_on_failover: 2 ** 30,
        synchronous_mode: synchronous,
        postgresql: { use_pg_rewind: true, use_slots: true, parameters },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'no-sync'],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: postgres,
      data_dir: join(folder, 'data'),
      bin_dir: POSTGRES_BIN,
      pgpass: join(folder, 'pgpass'),
      pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
      authentication: { superuser: { username: 'postgres' }, replication: { username: 'replicator' } },
      basebackup: [{ checkpoint: 'fast' }],
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
    },
  };
  writeFileSync(join(folder, 'patroni.yml'), JSON.stringify(config)); // JSON is YAML
  return { name, port, api, peers, clients: await createLink(port), health: await createLink(api) };
}

/** etcd, and two machines of which Patroni makes one the primary and the other its standby. */
export type Cluster = Awaited<ReturnType<typeof createCluster>>;

/** @param synchronous whether a commit waits for the standby, for as long as Patroni counts on that */
export async function createCluster({ synchronous }: { readonly synchronous: boolean }) {
  const home = createHome();
  const [etcd, peer] = [await quietPort(), await quietPort()];
  const urls = (port: number) => `http://127.0.0.1:${port}`;
  const etcdOptions = {
    '--listen-client-urls': urls(etcd),
    '--advertise-client-urls': urls(etcd),
    '--listen-peer-urls': urls(peer),
    '--initial-advertise-peer-urls': urls(peer),
    '--initial-cluster': `default=${urls(peer)}`,
    '--enable-v2': 'true',
    '--unsafe-no-fsync': 'true',
  };
  home.start('etcd', 'etcd', ...Object.entries(etcdOptions).map((option) => option.join('=')));
  const machines = [
    await createMachine(home, 'one', etcd, synchronous),
    await createMachine(home, 'two', etcd, synchronous),
  ] as const;

  const boot = ({ name }: Machine) => {
    home.start(name, 'patroni', join(home.machine(name), 'patroni.yml'));
  };
  const other = (machine: Machine) => (machine === machines[0] ? machines[1] : machines[0]);

  /** The machine that says it is the primary, as a load balancer sees it. */
  async function leader(): Promise<Machine | undefined> {
    const answers = await Promise.all(machines.map(({ api }) => isPrimary(api)));
    const [first, ...more] = machines.filter((_, i) => answers[i]);
    return more.length === 0 ? first : undefined;
  }

  /** Resolves to the primary when both machines run, and the standby follows as it should. */
  const settled = () =>
    until('a primary with its standby', async () => {
      const primary = await leader();
      if (!primary) return undefined;
      const { members } = (await (await ask(primary.api, '/cluster')).json()) as {
        readonly members: Member[];
      };
      const [standby] = members.filter(({ name }) => name !== primary.name);
      if (synchronous && standby?.role !== 'sync_standby') return undefined;
      const [row] = await query<{ sync_state: string }>(
        primary.port,
        "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'",
        'postgres',
      );
      return row?.sync_state === (synchronous ? 'sync' : 'async') ? primary : undefined;
    });

  const printLogs = () => {
    for (const { name } of machines) {
      const lines = home.logOf(name).match(/^\d{4}-(?!.*(no action|Lock owner|STATEMENT)).*/gm) ?? [];
      console.error(`machine ${name}\n${lines.slice(-40).join('\n')}`);
    }
  };

  const [first, second] = machines;
  try {
    await until('etcd', async () => {
      const version = await (await ask(etcd, '/version')).text();
      return version.includes('not_decided') ? undefined : version;
    });
    boot(first);
    await until('a primary', leader);
    boot(second);
    const primary = await settled();
    await query(primary.port, 'CREATE DATABASE plants', 'postgres');
  } catch (error) {
    printLogs();
    await home.remove();
    throw error;
  }

  return {
    home,
    machines,
    other,
    leader,
    settled,
    boot,
    /** Prints what the machines have said last. */
    printLogs,
    /** Makes the standby the primary, in good order. */
    async switchOver(from: Machine): Promise<void> {
      const response = await ask(from.api, '/switchover', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ leader: from.name, candidate: other(from).name }),
        signal: AbortSignal.timeout(PATIENCE),
      });
      if (!response.ok) throw new Error(`the switchover failed: ${await response.text()}`);
    },
    /** Resolves when a machine other than this one is the primary. */
    async takenOver(from: Machine): Promise<void> {
      const heir = other(from);
      await until(`${heir.name} to take over`, async () => (await isPrimary(heir.api)) || undefined);
    },
    /** Ends all its processes, and removes their files. */
    remove: () => within(PATIENCE, home.remove(), 'a cluster does not end'),
  };
}
