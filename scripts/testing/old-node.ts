import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { engines } from '../../package.json';

/** The oldest Node that is supported, and the oldest of the next major that is. */
export const [OLDEST = '', NEXT = ''] = engines.node.match(/[\d.]+/g) ?? [];
export const [MAJOR = ''] = OLDEST.split('.');

/** What `node --import` loads to be another version. */
export const pretend = (version: string): string =>
  `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`;

/** What an old Node prints before anything else. */
export const oldNode = (version: string, line: string, needed = OLDEST): string =>
  `contract-first needs Node ${needed} or newer, and this is Node ${version}; to run it with a newer one:\n\n  ${line}\n\n`;

/** Writes a program `node` of another version into a folder for PATH. */
export function writeOldNode(folder: string, version: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'node'),
    `#!/bin/sh\n[ "$1" = --version ] && echo v${version} && exit\nexec '${process.execPath}' --import "${pretend(version)}" "$@"\n`,
  );
  chmodSync(join(folder, 'node'), 0o755);
}
