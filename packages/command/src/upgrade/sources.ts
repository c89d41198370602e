/** The files of a service that name the packages. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { installed, root } from '../paths';
import type { Compiler } from './entries';
import { rewriteImports } from './imports';

/** Where a service has code, and names of folders that no person writes. */
const CODE = ['src', 'tests', 'scripts'];
const WRITTEN = new Set([
  'node_modules',
  'dist',
  'generated',
  'reports',
  'data',
  '.cache',
  '.git',
  '.node',
  'vendor',
]);
/** The folders of what is not code, and the folder of the service itself. */
const OTHERS = ['.', '.ci', '.github', '.vscode', 'deploy', 'openapi'];

/** What only the package of 2.0.0 had, and a name of it that an option takes. */
const GONE = /contract-first-server\/(?:database|kysely|operational|testing)\b|--profile[= ]house\b/;
/** The folders that have moved to the package of the command. */
const FOLDERS = /(node_modules\/contract-first)-server(\/(?:schemas|docs)\/)/g;
/** The entries of 2.0.0 that a page may name, and that one entry replaces. */
const ENTRIES = {
  'contract-first-server/database': 'contract-first-database',
  'contract-first-server/kysely': 'contract-first-database/kysely',
  'contract-first-server/operational': 'contract-first-server/runtime',
};

export interface Changed {
  /** The number of imports that were rewritten, and of the files that have them. */
  readonly imports: number;
  readonly files: number;
  /** What is left to do, with its file and line. */
  readonly left: readonly string[];
}

/** The files below a folder that a person writes. */
function filesIn(folder: string, isDeep: boolean): string[] {
  if (!existsSync(path.join(root, folder))) return [];
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) return isDeep && !WRITTEN.has(entry.name) ? filesIn(name, true) : [];
    return entry.isFile() ? [name] : [];
  });
}

const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');

/**
 * Rewrites what code, settings and pages import and name of the packages.
 *
 * @param gone the files of packages that are no longer there
 */
export function rewriteSources(ts: Compiler, gone: readonly string[]): Changed {
  const code = CODE.flatMap((folder) => filesIn(folder, true)).filter((name) => /\.[cm]?[jt]sx?$/.test(name));
  const left: string[] = [];
  const texts = new Map<string, string>();
  let imports = 0;
  for (const name of code) {
    const before = read(name);
    if (!before.includes('contract-first-')) continue;
    const { text, count, left: own } = rewriteImports(ts, name, before);
    imports += count;
    left.push(...own.map(({ line, what }) => `${name}:${line}: ${what}`));
    if (text !== before) texts.set(name, text);
  }
  const files = texts.size;
  write(texts);
  const others = OTHERS.flatMap((folder) => filesIn(folder, folder !== '.')).filter(isSmallText);
  for (const name of others) {
    const before = read(name);
    let text = before.replace(FOLDERS, '$1$2');
    if (name.endsWith('.md'))
      for (const [old, now] of Object.entries(ENTRIES)) text = text.replaceAll(`${old}\``, `${now}\``);
    if (text !== before) writeFileSync(path.join(root, name), text);
  }
  const tarballs = gone.map((file) => path.basename(file));
  for (const name of new Set([...others, ...code]))
    for (const [index, line] of read(name).split('\n').entries())
      if (GONE.test(line) || tarballs.some((file) => line.includes(file)))
        left.push(`${name}:${index + 1}: ${line.trim()}`);
  return { imports, files, left };
}

/** No lock file names a package by a path that a person writes. */
const isSmallText = (name: string): boolean =>
  !/^(?:package-lock\.json|pnpm-lock\.yaml|yarn\.lock|package\.json|\.env.*)$/.test(name) &&
  !/\.(?:tgz|db)$/.test(name) &&
  statSync(path.join(root, name)).size < 2 ** 20;

/** Writes files. Those that Prettier had no fault to find with get none. */
function write(texts: ReadonlyMap<string, string>): void {
  const names = [...texts.keys()];
  const formatted = names.length === 0 ? [] : names.filter(isFormatted(names));
  for (const [name, text] of texts) writeFileSync(path.join(root, name), text);
  if (formatted.length > 0) prettier('--write', '--log-level=silent', ...formatted);
}

/** Runs Prettier in the service; undefined if it has none. */
function prettier(...args: readonly string[]) {
  const program = installed('prettier', 'bin/prettier.cjs');
  if (!existsSync(program)) return undefined;
  return spawnSync(process.execPath, [program, ...args], { cwd: root, encoding: 'utf8' });
}

function isFormatted(names: readonly string[]): (name: string) => boolean {
  const listed = prettier('--list-different', ...names);
  // 2: it could not judge them.
  if (listed?.status !== 0 && listed?.status !== 1) return () => false;
  const different = new Set(listed.stdout.split('\n'));
  return (name) => !different.has(name);
}
