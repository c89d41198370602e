import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { HERE } from './project';

interface Lock {
  name: string;
  version: string;
  readonly packages: Record<string, object>;
}

/**
 * Writes package-lock.json of a service, before npm installs: the service begins with the versions that this project is
 * tested with. npm removes those that it does not need. (Without it, npm 11 can write a lock file without the packages for
 * other platforms, which `npm ci` refuses: https://github.com/npm/cli/issues/8320.)
 */
export function seedLock(folder: string): void {
  const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
  const manifest = read(path.join(folder, 'package.json')) as Pick<Lock, 'name' | 'version'>;
  const lock = read(path.join(HERE, 'package-lock.json')) as Lock;
  lock.name = manifest.name;
  lock.version = manifest.version;
  lock.packages[''] = manifest;
  writeFileSync(path.join(folder, 'package-lock.json'), `${JSON.stringify(lock, null, 2)}\n`);
}
