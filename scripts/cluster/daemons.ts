import { spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** PostgreSQL does not run as root. The user "nobody" exists on every system and owns no files. */
const USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Where Debian has the programs; a Python of one's own may lack the modules of Patroni. */
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';
const [NEWEST] = existsSync('/usr/lib/postgresql')
  ? readdirSync('/usr/lib/postgresql').toSorted((a, b) => Number(b) - Number(a))
  : [];
/** The folder with the programs of PostgreSQL. */
export const POSTGRES_BIN = `/usr/lib/postgresql/${NEWEST ?? 'none'}/bin`;

const has = (command: string) =>
  spawnSync('sh', ['-c', command], { env: { PATH }, stdio: 'ignore' }).status === 0;

/** What says whether a package of Debian is there. */
const PACKAGES = {
  postgresql: `test -x ${POSTGRES_BIN}/pg_rewind`,
  patroni: 'command -v patroni',
  'python3-etcd': '/usr/bin/python3 -c "import etcd"',
  'etcd-server': 'command -v etcd',
  haproxy: 'command -v haproxy',
  pgbouncer: 'command -v pgbouncer',
};

/** @throws {Error} that says what to install */
export function checkInstalled(): void {
  if (process.platform !== 'linux') throw new Error(`expected Linux, got ${process.platform}`);
  const lacking = Object.entries(PACKAGES).flatMap(([name, test]) => (has(test) ? [] : name));
  if (lacking.length > 0)
    throw new Error(
      `${lacking.join(', ')} missing: apt-get install --no-install-recommends ${lacking.join(' ')}`,
    );
}

/**
 * Outlives this process. When its standard input closes, it ends every process that works in the folder, and removes that.
 * PostgreSQL ends by SIGQUIT, because it then gives its shared memory back.
 */
const UNDERTAKER = `
  cat >/dev/null
  members() { for p in /proc/[0-9]*; do case "$(readlink "$p/cwd")" in "$0"|"$0"/*) [ "$1" = all ] || [ "$(cat "$p/comm")" != postgres ] && echo "\${p#/proc/}";; esac; done; }
  kill -KILL $(members)
  kill -CONT $(members all); kill -QUIT $(members all)
  for try in 1 2 3 4 5 6 7 8 9 10; do [ "$(members all)" ] || break; sleep 0.3; done
  kill -KILL $(members all)
  for try in 1 2 3 4 5 6 7 8 9 10; do rm -rf "$0" && exit; sleep 0.5; done`;

const taken = new Set<number>();

/**
 * A free port below those that the system gives to connections (`ip_local_port_range`): it stays free while the daemon that listens
 * on it is down.
 */
export async function quietPort(): Promise<number> {
  const port = randomInt(10_000, 30_000);
  const server = createServer();
  const isFree =
    !taken.has(port) &&
    (await new Promise<boolean>((resolve) => {
      server.once('error', () => {
        resolve(false);
      });
      server.listen(port, '127.0.0.1', () =>
        server.close(() => {
          resolve(true);
        }),
      );
    }));
  taken.add(port);
  return isFree ? port : quietPort();
}

/** A folder with the daemons that work in it; both end with this process, however it ends. */
export type Home = ReturnType<typeof createHome>;

export function createHome() {
  const folder = mkdtempSync(join(tmpdir(), 'contract-first-cluster-'));
  const own = (path: string) => {
    if (USER.uid !== undefined) chownSync(path, USER.uid, USER.gid);
  };
  own(folder);
  const undertaker = spawn('sh', ['-c', UNDERTAKER, folder], {
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });

  /** A folder of the daemons' user, in which those of one machine work. */
  function machine(name: string): string {
    const path = join(folder, name);
    mkdirSync(path, { mode: 0o700, recursive: true });
    own(path);
    return path;
  }

  /** The processes of a machine, by the folders they work in. */
  function processesOf(name: string): number[] {
    const place = join(folder, name);
    return readdirSync('/proc').flatMap((pid) => {
      try {
        const cwd = /^\d+$/.test(pid) ? readlinkSync(`/proc/${pid}/cwd`) : '';
        return cwd === place || cwd.startsWith(`${place}/`) ? Number(pid) : [];
      } catch {
        return []; // it has ended
      }
    });
  }

  function signal(name: string, what: NodeJS.Signals): number {
    const pids = processesOf(name);
    for (const pid of pids) {
      try {
        process.kill(pid, what);
      } catch {
        // it has ended
      }
    }
    return pids.length;
  }

  return {
    machine,
    /** Starts a daemon of a machine; what it prints is in `log` of its folder. */
    start(name: string, command: string, ...args: readonly string[]): void {
      const cwd = machine(name);
      const log = openSync(join(cwd, 'log'), 'a');
      const child = spawn(command, args, {
        ...USER,
        cwd,
        env: { PATH, LC_ALL: 'C.UTF-8', PYTHONUNBUFFERED: '1' },
        detached: true,
        stdio: ['ignore', log, log],
      });
      child.once('error', (error) => {
        throw error;
      });
      child.unref();
    },
    /** Runs a program of a machine to its end, with this environment. @throws {Error} if it fails; `log` says why */
    async run(
      name: string,
      env: Readonly<Record<string, string>>,
      ...[command, ...args]: readonly [string, ...string[]]
    ): Promise<void> {
      const cwd = machine(name);
      const log = openSync(join(cwd, 'log'), 'a');
      const child = spawn(command, args, { ...USER, cwd, env, stdio: ['ignore', log, log] });
      closeSync(log);
      const [status] = (await once(child, 'exit')) as [number | null];
      if (status !== 0) throw new Error(`${command} has ended with status ${String(status)}`);
    },
    /** Ends all processes of a machine at once, as a loss of power does. */
    async kill(name: string): Promise<void> {
      while (signal(name, 'SIGKILL') > 0) await sleep(20);
    },
    /** Twice: a process may have begun another one meanwhile. */
    freeze(name: string): void {
      signal(name, 'SIGSTOP');
      signal(name, 'SIGSTOP');
    },
    thaw(name: string): void {
      signal(name, 'SIGCONT');
    },
    /** What its daemons have printed; nothing if none has started. */
    logOf(name: string): string {
      const file = join(folder, name, 'log');
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    },
    async remove(): Promise<void> {
      const ended = once(undertaker, 'exit');
      undertaker.stdin.end();
      await ended;
    },
  };
}
