import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { installed, root } from '../paths';

/** Environment variables that affect the result of a check. */
const VARIABLES = ['CHROMIUM', 'NODE_OPTIONS'];

export const digestOf = (parts: Iterable<string | Uint8Array>): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
};

/** Where npm, pnpm and two generations of Yarn list the installed packages, in node_modules/. */
const LISTS = ['.package-lock.json', '.pnpm/lock.yaml', '.yarn-state.yml', '.yarn-integrity'];

/** The list of the installed packages. */
export const installedList = (): string =>
  LISTS.map((list) => installed(list)).find((file) => existsSync(file)) ?? installed('.package-lock.json');

export const contentOf = (file: string): string | Uint8Array => {
  try {
    return readFileSync(path.resolve(root, file));
  } catch {
    return ''; // deleted, but still in the index of git
  }
};

/**
 * A digest of everything that affects the result of a check: the tracked and untracked files, the installed packages,
 * the Node version and the platform. Undefined outside a git repository.
 *
 * @param paths the files and folders that matter; by default all
 */
export function treeDigest(paths: readonly string[] = []): string | undefined {
  const options = { cwd: root, encoding: 'utf8', stdio: 'pipe', maxBuffer: 2 ** 26 } as const;
  try {
    const listed = execFileSync(
      'git',
      ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...paths],
      options,
    );
    const files = [installedList(), ...new Set(listed.split('\0').filter(Boolean).sort())];
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
