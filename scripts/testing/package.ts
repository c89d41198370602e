import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { version } from '../../package.json';

const ROOT = resolve(__dirname, '../..');
/** The packages of a service. The first is the command. */
export const NAMES = [
  'contract-first',
  'contract-first-database',
  'contract-first-prover',
  'contract-first-server',
] as const;

/** The folder of the packages that `make pack` builds. */
export const PACKED = join(ROOT, '.cache/pack');
export const tarballOf = (name: string): string => join(PACKED, `${name}-${version}.tgz`);
/** The command. It carries the other packages. */
export const TARBALL = tarballOf('contract-first');

/** Unpacks a package into a folder. */
export function unpack(tarball: string, folder: string): void {
  if (!existsSync(tarball)) throw new Error(`expected ${relative(ROOT, tarball)}: run \`make pack\``);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
}

/**
 * Creates node_modules/ in a folder, with the installed packages of this project and the packed ones, as npm does.
 *
 * @returns the folder of the command
 */
export function installBeside(folder: string): string {
  const modules = join(folder, 'node_modules');
  const names = (part: string) => readdirSync(join(ROOT, 'node_modules', part));
  mkdirSync(join(modules, '.bin'), { recursive: true });
  const own: readonly string[] = NAMES;
  for (const name of [
    ...names('').filter((each) => !each.startsWith('.') && !own.includes(each)),
    ...names('.bin')
      .filter((each) => ![...own, 'tsc'].includes(each))
      .map((each) => `.bin/${each}`),
  ])
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  // A service builds itself with TypeScript 5.9. Here the name may be that of TypeScript 7, which builds the packages.
  symlinkSync('../typescript/bin/tsc', join(modules, '.bin/tsc'));
  for (const name of NAMES) unpack(tarballOf(name), join(modules, name));
  const command = join(modules, 'contract-first/bin/contract-first.cjs');
  symlinkSync('../contract-first/bin/contract-first.cjs', join(modules, '.bin/contract-first'));
  chmodSync(command, 0o755);
  return join(modules, 'contract-first');
}

/** Everything that a service can have. */
export const ALL_EXTRAS = 'deploy,github,vscode';

/** The arguments of the command that lays out a service, with the packages in node_modules/ of a folder. */
export const layOutCommand = (
  service: string,
  document: string,
  folder = dirname(service),
  extras = '',
): string[] => {
  const modules = join(folder, 'node_modules');
  const command = [join(modules, '.bin/contract-first'), 'new', document, '--dir', service];
  const more = extras === '' ? [] : ['--with', extras];
  return [...command, ...more, '--packages', PACKED, '--modules', modules];
};

/**
 * Lays out a service.
 *
 * @returns what the command prints
 */
export const layOut = (...args: Parameters<typeof layOutCommand>): string =>
  execFileSync(process.execPath, layOutCommand(...args), { encoding: 'utf8' });

/** Runs a program of node_modules/.bin in a folder to its end. */
export function runIn(folder: string, program: string, ...args: readonly string[]) {
  const command = join(folder, 'node_modules/.bin', program);
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}
