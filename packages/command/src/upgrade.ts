/** Puts another version of the package into a service: the package, the tools that it was tested with, what it generates. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { RUN, UsageError } from './command';
import { installed, type Manifest, readManifest, root } from './paths';

const NAME = 'contract-first-server';
const VENDOR = 'vendor';

/** By its lock file: a package manager, and how it adds packages, those of development too. */
const MANAGERS = {
  'package-lock.json': ['npm', ['install', '--no-audit', '--no-fund', '--save-exact'], '--save-dev'],
  'pnpm-lock.yaml': ['pnpm', ['add', '--save-exact'], '--save-dev'],
  'yarn.lock': ['yarn', ['add', '--exact'], '--dev'],
} as const;
type Manager = (typeof MANAGERS)[keyof typeof MANAGERS];

/** The package manager of the service: its lock file is in the folder, or in the nearest above it. npm if there is none. */
function managerOf(folder = root): Manager {
  for (const [lock, manager] of Object.entries(MANAGERS))
    if (existsSync(path.join(folder, lock))) return manager;
  const above = path.dirname(folder);
  return above === folder ? MANAGERS['package-lock.json'] : managerOf(above);
}

/** Runs a program to its end, on the terminal. */
function run(command: string, args: readonly string[]): boolean {
  // Of what is no .exe, Windows starts nothing but by its shell.
  const [file, ...given] =
    process.platform === 'win32' && command !== process.execPath
      ? ['cmd', '/d', '/c', command, ...args]
      : [command, ...args];
  return spawnSync(file, given, { cwd: root, stdio: 'inherit' }).status === 0;
}

/** What the package manager is to add. */
interface Wanted {
  readonly what: string;
  /** The file in vendor/; undefined for a version of the registry. */
  readonly file?: string;
}

/** @throws {UsageError} if it is neither a file nor a version */
function wanted(given: string): Wanted {
  if (existsSync(given) && statSync(given).isFile()) {
    // A package manager links any file, and so the service would lose the package that it has.
    if (packedName(given) !== NAME) throw new UsageError(`${given} is not a package of ${NAME}`);
    const file = path.posix.join(VENDOR, path.basename(given));
    return { what: `${NAME}@file:./${file}`, file };
  }
  if (/^(latest|next|\d+\.\d+\.\d+[\w.+-]*)$/.test(given)) return { what: `${NAME}@${given}` };
  throw new UsageError(
    `expected a package file, such as ./${NAME}-3.0.0.tgz, or a version, such as 3.0.0, got ${given}${/[./\\]/.test(given) ? ', which does not exist' : ''}`,
  );
}

/** The name of a packed package; undefined if the file is none. */
function packedName(file: string): unknown {
  try {
    const tar = gunzipSync(readFileSync(file), { maxOutputLength: 2 ** 28 });
    // Each file has a block of 512 bytes with its name and its size in octal digits, and then its own blocks.
    for (let at = 0; at < tar.length;) {
      const [name] = tar.toString('latin1', at, at + 100).split('\0');
      const size = parseInt(tar.toString('latin1', at + 124, at + 136), 8) || 0;
      at += 512;
      if (name === 'package/package.json')
        return (JSON.parse(tar.toString('utf8', at, at + size)) as Manifest & { name?: unknown }).name;
      at += Math.ceil(size / 512) * 512;
    }
  } catch {
    // It is not compressed, or its manifest is no JSON.
  }
  return undefined;
}

interface Installed extends Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
}

const installedManifest = (): Installed =>
  JSON.parse(readFileSync(installed(NAME, 'package.json'), 'utf8')) as Installed;

/**
 * Upgrades the package of the service in the current folder. If its installation fails, package.json, the lock file and vendor/
 * are as they were.
 *
 * @param given the file of a package, or a version in the registry
 * @returns the exit status
 * @throws {UsageError} if there is no such file, or the folder does not depend on the package
 */
export function upgrade(given = 'latest'): number {
  const was = readManifest().dependencies?.[NAME];
  if (was === undefined) throw new UsageError(`${NAME} is missing from the dependencies in package.json`);
  const { what, file } = wanted(given);
  const [manager, add, dev] = managerOf();
  const before = existsSync(installed(NAME, 'package.json')) ? installedManifest().version : was;
  const restore = keep(['package.json', ...Object.keys(MANAGERS), ...(file === undefined ? [] : [file])]);
  if (file !== undefined && path.resolve(given) !== path.resolve(file)) {
    mkdirSync(VENDOR, { recursive: true });
    copyFileSync(given, file);
  }
  if (!run(manager, [...add, what])) {
    restore();
    throw new Error(`${manager} could not install ${what}: see above. The service is unchanged`);
  }
  const old = /^file:(?:\.\/)?(vendor\/[^/]+\.tgz)$/.exec(was)?.[1];
  if (old !== undefined && old !== file) rmSync(old, { force: true });
  const { version, bin, dependencies = {} } = installedManifest();
  const left: string[] = [];
  const { pins, spare } = toolsOf(dependencies);
  if (pins.length > 0 && !run(manager, [...add, dev, ...pins]))
    left.push(
      `install the tools that this version was tested with: ${manager} ${[...add, dev, ...pins].join(' ')}`,
    );
  if (spare.length > 0)
    left.push(
      `remove from devDependencies what the package now brings, unless your code imports it: ${spare.join(', ')}`,
    );
  const program = installed(NAME, bin['contract-first'] ?? '');
  if (!run(process.execPath, [program, 'generate']))
    left.push(`${RUN} generate, once you have done what it says above`);
  console.log(`\n${NAME} ${before} -> ${version}. What remains to be done:\n`);
  for (const line of [
    ...left,
    `read what changed since ${before}: ${path.relative(root, installed(NAME, 'CHANGELOG.md'))}`,
    `${RUN} check, ${RUN} test, then commit`,
  ])
    console.log(`  - ${line}`);
  return left.length > 0 ? 1 : 0;
}

/** Remembers files. Returns a function that puts them back, and removes those that were not there. */
function keep(names: readonly string[]): () => void {
  const kept = names.map((name) => [name, existsSync(name) ? readFileSync(name) : undefined] as const);
  return () => {
    for (const [name, bytes] of kept)
      if (bytes === undefined) rmSync(name, { force: true });
      else writeFileSync(name, bytes);
  };
}

/**
 * @param bundled the dependencies of the installed package
 * @returns `pins`: the tools of a new service, where this one has another version or none; `spare`: what it needs no longer
 */
function toolsOf(bundled: Readonly<Record<string, string>>): { pins: string[]; spare: string[] } {
  const layout = installed(NAME, 'dist/scripts/new/layout/package.json');
  const { devDependencies: tools = {} } = JSON.parse(readFileSync(layout, 'utf8')) as Manifest;
  const { devDependencies: own = {}, dependencies = {} } = readManifest();
  // A range is a decision of the team.
  const isPinned = (name: string) => /^\d/.test(own[name] ?? dependencies[name] ?? '0');
  return {
    pins: Object.entries(tools)
      .filter(([name, version]) => isPinned(name) && (own[name] ?? dependencies[name]) !== version)
      .map(([name, version]) => `${name}@${version}`),
    spare: Object.keys(own).filter((name) => Object.hasOwn(bundled, name) && !Object.hasOwn(tools, name)),
  };
}
