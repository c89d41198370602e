/** The package manager of a service, and the programs that an upgrade runs. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { root } from '../paths';

/** By its lock file: a package manager, and how it installs what package.json says, also where CI=true would forbid it. */
const MANAGERS = {
  'package-lock.json': ['npm', 'install', '--no-audit', '--no-fund'],
  'pnpm-lock.yaml': ['pnpm', 'install', '--no-frozen-lockfile'],
  'yarn.lock': ['yarn', 'install'],
} as const;

export interface Manager {
  readonly name: 'npm' | 'pnpm' | 'yarn';
  /** How it installs, on the command line. */
  readonly install: readonly string[];
  /** Its lock file. Without one the manager is npm. */
  readonly lock: string;
}

/** The package manager whose lock file is in the folder of the service, or in the nearest folder above it; npm without a lock file. */
export function managerOf(folder = root): Manager {
  for (const [lock, [name, ...install]] of Object.entries(MANAGERS))
    if (existsSync(path.join(folder, lock))) return { name, install, lock: path.join(folder, lock) };
  const above = path.dirname(folder);
  if (above !== folder) return managerOf(above);
  const [name, ...install] = MANAGERS['package-lock.json'];
  return { name, install, lock: path.join(root, 'package-lock.json') };
}

/** Of what is no .exe, Windows starts nothing but by its shell. */
const commandOf = (command: string, args: readonly string[]): readonly [string, ...string[]] =>
  process.platform === 'win32' && command !== process.execPath
    ? ['cmd', '/d', '/c', command, ...args]
    : [command, ...args];

/** Runs a program to its end, on the terminal. */
export function run(command: string, args: readonly string[]): number {
  const [file, ...given] = commandOf(command, args);
  const env = { ...process.env, YARN_ENABLE_IMMUTABLE_INSTALLS: 'false' };
  return spawnSync(file, given, { cwd: root, stdio: 'inherit', env }).status ?? 1;
}

/** What a program prints; undefined if it fails. */
export function output(command: string, args: readonly string[]): string | undefined {
  const [file, ...given] = commandOf(command, args);
  const { status, stdout } = spawnSync(file, given, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : undefined;
}
