import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { SourceError } from '../source/source';

/** The root folder of this project. */
export const HERE = path.join(__dirname, '../..');
interface Lock {
  name: string;
  version: string;
  readonly packages: Record<string, object>;
}

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/**
 * Writes package-lock.json of a service, before npm installs: the service begins with the versions that this project is
 * tested with. npm removes those that it does not need. (Without it, npm 11 can write a lock file without the packages for
 * other platforms, which `npm ci` refuses: https://github.com/npm/cli/issues/8320.)
 */
export function seedLock(folder: string): void {
  const manifest = read(path.join(folder, 'package.json')) as Pick<Lock, 'name' | 'version'>;
  const lock = read(path.join(HERE, 'package-lock.json')) as Lock;
  lock.name = manifest.name;
  lock.version = manifest.version;
  lock.packages[''] = manifest;
  writeFileSync(path.join(folder, 'package-lock.json'), `${JSON.stringify(lock, null, 2)}\n`);
}

/**
 * @param modules a folder of installed packages to use; undefined: npm installs them
 * @throws {SourceError} if npm cannot install the packages
 */
export function install(folder: string, modules: string | undefined): void {
  if (modules !== undefined) {
    symlinkSync(modules, path.join(folder, 'node_modules'));
    return;
  }
  console.log('npm installs the packages');
  seedLock(folder);
  const { status, stderr } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel', 'error'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status === 0) return;
  const isOffline = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH/.test(stderr);
  throw new SourceError(
    isOffline
      ? `npm cannot reach its registry. The files are in ${folder}: run \`npm install\` and \`make test\` there when the machine is online\n${stderr}`
      : `npm install failed in ${folder}:\n${stderr}`,
  );
}
