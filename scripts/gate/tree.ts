import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../paths';

/** Environment variables on which a verdict depends. */
const VARIABLES = ['CHROMIUM', 'NODE_OPTIONS'];

export const digestOf = (parts: Iterable<string | Buffer>): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
};

export const contentOf = (file: string): string | Buffer => {
  try {
    return readFileSync(path.join(root, file));
  } catch {
    return ''; // it is deleted, but not yet for git
  }
};

/**
 * A digest of all that a verdict depends on: the files that git tracks or would track, the installed packages, the version
 * of Node. Undefined outside of a git repository.
 */
export function treeDigest(): string | undefined {
  const options = { cwd: root, encoding: 'utf8', stdio: 'pipe', maxBuffer: 2 ** 26 } as const;
  try {
    const listed = execFileSync(
      'git',
      ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
      options,
    );
    const files = ['node_modules/.package-lock.json', ...new Set(listed.split('\0').filter(Boolean).sort())];
    const context = [
      process.version,
      process.platform,
      process.arch,
      ...VARIABLES.map((name) => process.env[name] ?? ''),
    ];
    return digestOf([...context, ...files.flatMap((file) => [file, contentOf(file)])]);
  } catch {
    return undefined;
  }
}
