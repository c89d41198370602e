/** The packages of a service, and the package manager that installs them. */
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SourceError } from '../../document/source/source';
import type { Journal } from './journal';
import { isWindows, run } from './programs';

export type Manager = 'npm' | 'pnpm';

/** The package of this program, or its sources. */
export const OWN = path.join(__dirname, '../../..');
/** What it lays out. */
export const LAYOUT = path.join(OWN, 'layout');
/** What the package has of the lock file of its project: npm packs no package-lock.json. */
const LOCK = path.join(OWN, 'lock.json');
const isPackage = existsSync(LOCK);
/** The project of the sources. */
const PROJECT = path.join(OWN, '../..');

/** The packages on which a service depends. They have one version. */
export const PACKAGES: readonly string[] = [
  'contract-first-database',
  'contract-first-server',
  'contract-first',
  'contract-first-prover',
];

/**
 * The service stands alone, even in the folder of a workspace. What is in the cache is not asked for again. A registry that is
 * away is told within seconds: npm waits between the times of its tries, of which the least is 10 s unless it is given too.
 */
const NPM =
  '--workspaces=false --prefer-offline --no-audit --no-fund --loglevel=error --fetch-retries=2 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=2000'.split(
    ' ',
  );

/** What the package manager that started this program says of itself; empty if none did. */
export const agent = (): string => process.env['npm_config_user_agent'] ?? '';

/** The package manager of the service: pnpm if it started this program, else npm. (Yarn does not read `overrides`.) */
export const managerOf = (by = agent()): Manager => (by.startsWith('pnpm/') ? 'pnpm' : 'npm');

/** The lock file that a package manager writes. */
const LOCKS: Readonly<Record<Manager, string>> = { npm: 'package-lock.json', pnpm: 'pnpm-lock.yaml' };

/**
 * Runs a package manager.
 *
 * @throws {SourceError} if there is none, or it fails
 */
async function manage(
  manager: Manager,
  args: readonly string[],
  cwd: string,
  signal: AbortSignal,
): Promise<string> {
  const command = [...(isWindows ? ['cmd', '/d', '/c'] : []), manager, ...args];
  const { status, stdout, stderr } = await run(command, cwd, { signal }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new SourceError(`cannot install the packages: ${manager} is not on PATH`);
  });
  if (status === 0) return stdout;
  throw new SourceError(failure(manager, `${stderr}\n${stdout}`));
}

/** What the output of a package manager that failed means. */
function failure(manager: Manager, output: string): string {
  const lines = output.split('\n').filter((line) => /err/i.test(line) && !line.includes('complete log'));
  const said = lines
    .slice(0, 8)
    .map((line) => `\n  ${line.trim()}`)
    .join('');
  const registry = `\`${manager} config get registry\` prints which one it is`;
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|SOCKET_TIMEOUT/.test(output))
    return `${manager} cannot reach its registry: run the same command again when this machine is online (${registry})${said}`;
  if (/\bE40[134]\b|FETCH_40[134]|code: 40[134]/.test(output))
    return `the registry of ${manager} refuses a package or does not have it (${registry})${said}`;
  return `${manager} could not install the packages${said}`;
}

/** The version of the packages. */
export const version = (): string =>
  (readJson(path.join(OWN, 'package.json')) as { version: string }).version;

/** The file of a package in the folder of a service. */
export const vendored = (name: string): string => `vendor/${name}-${version()}.tgz`;

/** Puts the packages on which a service depends into its folder vendor/. */
export async function vendor(journal: Journal, ...args: Parameters<typeof packed>): Promise<void> {
  for (const [file, content] of await packed(...args)) journal.write(file, content);
}

/**
 * The packages on which a service depends, by their files in vendor/.
 *
 * @param built the folder of their tarballs; undefined: this project builds them, and a package packs itself
 */
export async function packed(
  manager: Manager,
  built: string | undefined,
  signal: AbortSignal,
): Promise<Map<string, Buffer>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'contract-first-'));
  try {
    const from = built ?? (await pack(manager, folder, signal));
    return new Map(
      PACKAGES.map((name) => [vendored(name), readFileSync(path.join(from, path.basename(vendored(name))))]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Packs the packages. Returns the folder of their tarballs. */
async function pack(manager: Manager, folder: string, signal: AbortSignal): Promise<string> {
  if (isPackage) {
    for (const name of PACKAGES) {
      const from = name === 'contract-first' ? OWN : path.dirname(require.resolve(`${name}/package.json`));
      await manage(manager, ['pack', '--pack-destination', folder], from, signal);
    }
    return folder;
  }
  const command = [process.execPath, ...process.execArgv, 'scripts/pack/main.ts'];
  const { status, stdout, stderr } = await run(command, PROJECT, { signal });
  if (status !== 0) throw new SourceError(`the packages could not be built\n${stderr}`);
  return path.join(PROJECT, stdout.trim().split('\n').at(-1) ?? '');
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly link?: boolean }>>;
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** What the lock file of this project says of packages of the registry. The package carries it. */
function lockedPackages(): Lock['packages'] {
  const { packages } = readJson(isPackage ? LOCK : path.join(PROJECT, 'package-lock.json')) as Lock;
  return Object.fromEntries(
    Object.entries(packages).filter(([name, { link }]) => name.startsWith('node_modules/') && link !== true),
  );
}

/**
 * Writes package-lock.json of a service, before npm installs: the service begins with the versions that this project is tested
 * with. npm removes those that it does not need. (Without it, npm 11 can write a lock file without the packages for other
 * platforms, which `npm ci` refuses: https://github.com/npm/cli/issues/8320.)
 */
export function seedLock(folder: string): void {
  const manifest = readJson(path.join(folder, 'package.json')) as object;
  const lock = { lockfileVersion: 3, requires: true, packages: { '': manifest, ...lockedPackages() } };
  writeFileSync(path.join(folder, LOCKS.npm), `${JSON.stringify(lock, null, 2)}\n`);
}

/**
 * Installs the packages of a service.
 *
 * @param modules a folder of installed packages to use, for tests, which have no network
 * @throws {SourceError} if the package manager cannot install them
 */
export async function install(
  journal: Journal,
  manager: Manager,
  modules: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const folder = journal.claim('node_modules');
  if (modules !== undefined) {
    symlinkSync(modules, folder, 'junction');
    return;
  }
  const service = path.dirname(folder);
  for (const lock of [LOCKS.npm, LOCKS[manager]]) journal.claim(lock);
  seedLock(service);
  if (manager === 'npm') {
    await manage('npm', ['install', ...NPM], service, signal);
    return;
  }
  await manage('pnpm', ['import'], service, signal);
  rmSync(path.join(service, LOCKS.npm));
  await manage('pnpm', ['install'], service, signal);
}
