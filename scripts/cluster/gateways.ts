import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Home, quietPort } from './daemons';
import { createLink } from './link';
import { type Cluster, isPrimary, until } from './patroni';

/** Starts a daemon that listens on a free port, and waits until it does; its configuration may need the port. */
async function listen(
  home: Home,
  name: string,
  configure: (port: number) => string,
  command: (file: string) => string[],
) {
  const port = await quietPort();
  const file = join(home.machine(name), 'config');
  writeFileSync(file, configure(port));
  const [program = '', ...args] = command(file);
  home.start(name, program, ...args);
  await until(`${name} to listen: ${home.logOf(name)}`, async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
    return true;
  });
  return port;
}

/**
 * Starts HAProxy. Its processes are those of the machine `name`, which `home` kills and freezes.
 *
 * @param frontend lines of the only proxy: `mode`, `retries`, `option httpchk`, `server`
 * @returns the port that it listens on
 */
export const startHaproxy = (home: Home, name: string, frontend: readonly string[]): Promise<number> =>
  listen(
    home,
    name,
    (port) => `
defaults
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout check 1s
listen plants
  bind 127.0.0.1:${port}
  ${frontend.join('\n  ')}
`,
    (file) => ['haproxy', '-db', '-f', file],
  );

/**
 * Starts PgBouncer before a PostgreSQL.
 *
 * @param mode of its pool
 * @param target the port of the PostgreSQL, or of a link to it
 * @returns the port that it listens on; its database is `plants`, and that of the operator `pgbouncer`
 */
export const startPgBouncer = (
  home: Home,
  name: string,
  mode: 'session' | 'transaction',
  target: number,
  settings: readonly string[] = [],
): Promise<number> =>
  listen(
    home,
    name,
    (port) => `[databases]
plants = host=127.0.0.1 port=${target} dbname=plants user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
admin_users = postgres
pool_mode = ${mode}
${settings.join('\n')}
`,
    (file) => ['pgbouncer', file],
  );

/** Milliseconds between two looks of whoever moves the name. */
const LOOK_INTERVAL = 250;

/** A name that follows the primary: new connections go there, old ones stay where they are. */
async function startMovingName({ machines, leader }: Cluster): Promise<number> {
  const name = await createLink((await leader())?.clients.port ?? 0);
  void (async () => {
    for (;;) {
      for (const { health, clients } of machines) if (await isPrimary(health.port)) name.move(clients.port);
      await sleep(LOOK_INTERVAL, undefined, { ref: false });
    }
  })();
  return name.port;
}

const urlOf = (...ports: readonly number[]) =>
  `postgres://postgres@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/plants`;

/** How a server finds the primary: DATABASE_URL by the name of the way. */
export async function waysTo(cluster: Cluster): Promise<Record<string, string>> {
  const servers = cluster.machines.map(
    ({ name, clients, health }) => `server ${name} 127.0.0.1:${clients.port} check port ${health.port}`,
  );
  const haproxy = await startHaproxy(cluster.home, 'haproxy', [
    'mode tcp',
    'option httpchk OPTIONS /primary',
    'default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions',
    ...servers,
  ]);
  return {
    hosts: urlOf(...cluster.machines.map(({ clients }) => clients.port)),
    haproxy: urlOf(haproxy),
    name: urlOf(await startMovingName(cluster)),
  };
}
