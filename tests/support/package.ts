import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { version } from '../../package.json';

const ROOT = resolve(__dirname, '../..');
const NAME = 'contract-first-server';

/** The package that `make pack` builds. */
export const TARBALL = join(ROOT, `.cache/pack/${NAME}-${version}.tgz`);

/** Unpacks a package into a folder. */
export function unpack(tarball: string, folder: string): void {
  if (!existsSync(tarball)) throw new Error(`expected ${relative(ROOT, tarball)}: run \`make pack\``);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
}

/**
 * Creates node_modules/ in a folder, with the installed packages of this project and the given package, as npm does.
 *
 * @returns the folder of the package
 */
export function installBeside(folder: string, tarball: string): string {
  const modules = join(folder, 'node_modules');
  const names = (part: string) => readdirSync(join(ROOT, 'node_modules', part));
  mkdirSync(join(modules, '.bin'), { recursive: true });
  for (const name of [
    ...names('').filter((each) => !each.startsWith('.')),
    ...names('.bin').map((each) => `.bin/${each}`),
  ])
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  symlinkSync(`../${NAME}/dist/scripts/contract-first.cjs`, join(modules, '.bin/contract-first'));
  unpack(tarball, join(modules, NAME));
  chmodSync(join(modules, NAME, 'dist/scripts/contract-first.cjs'), 0o755);
  return join(modules, NAME);
}

/** The arguments of the command that lays out a service, with the packages in node_modules/ of a folder. */
export const layOutCommand = (service: string, document: string, folder = dirname(service)): string[] => {
  const modules = join(folder, 'node_modules');
  const command = [join(modules, '.bin/contract-first'), 'new', document, '--dir', service];
  return [...command, '--package', TARBALL, '--modules', modules];
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
