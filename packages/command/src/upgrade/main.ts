/** Brings a service to other packages: the packages, the tools they were tested with, its code, what it generates. */
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { RUN, UsageError } from '../command';
import { managerOf as packer, OWN, PACKAGES, packed, vendored, version } from '../new/write/install';
import { installed, type Manifest, PUBLISHED, readManifest, root, VALUES } from '../paths';
import type { Compiler } from './entries';
import { managerOf, output, run } from './managers';
import { changeManifest } from './manifest';
import { readingsSince } from './readings';
import { rewriteSources } from './sources';
import { packedName } from './tarball';

/** The package of the command, and the one that every service depends on. */
const COMMAND = 'contract-first';
const SERVER = 'contract-first-server';

/**
 * Upgrades the service in the current folder. If the installation fails, its files are as they were.
 *
 * @param given the file of a package, or a version in the registry; undefined: the packages that are running, or if they are
 *   those of the service, the latest version
 * @returns the exit status
 * @throws {UsageError} if there is no such file or version, or the folder does not depend on the packages
 */
export async function upgrade(given: string | undefined): Promise<number> {
  const { dependencies, devDependencies } = readManifest();
  if (dependencies?.[SERVER] === undefined && devDependencies?.[SERVER] === undefined)
    throw new UsageError(`${SERVER} is missing from the dependencies in package.json`);
  if (given === undefined && !isOfService()) return bring(await packed(packer(), undefined, NEVER));
  const wanted = given ?? 'latest';
  if (existsSync(wanted) && statSync(wanted).isFile()) return start(assertCommand(wanted));
  if (!/^(latest|next|\d+\.\d+\.\d+[\w.+-]*)$/.test(wanted))
    throw new UsageError(
      `expected a package file, such as ./${COMMAND}-3.0.0.tgz, or a version, such as 3.0.0, got ${wanted}${/[./\\]/.test(wanted) ? ', which does not exist' : ''}`,
    );
  const one = /^\d/.test(wanted) ? wanted : latest(wanted);
  return one === version() ? bring(undefined) : start(`${COMMAND}@${one}`, one);
}

const NEVER = new AbortController().signal;

/** Whether the packages that are running are those that are installed in the service. */
function isOfService(): boolean {
  const folder = installed(COMMAND);
  return existsSync(folder) && realpathSync(folder) === realpathSync(OWN);
}

/** @throws {UsageError} if it is not the package that brings the others */
function assertCommand(file: string): string {
  const name = packedName(file);
  if (name === COMMAND) return path.resolve(file);
  const isOther = typeof name === 'string' && PACKAGES.includes(name);
  throw new UsageError(
    `${file} is ${isOther ? `${name}: give the file of ${COMMAND}, which brings it along` : `not a package of ${COMMAND}`}`,
  );
}

/** The version that a tag of the registry names. */
function latest(tag: string): string {
  const found = output('npm', ['view', `${COMMAND}@${tag}`, 'version']);
  if (found === undefined || !/^\d+\.\d+\.\d+[\w.+-]*$/.test(found))
    throw new Error(`npm does not know a version ${tag} of ${COMMAND}: see above. The service is unchanged`);
  return found;
}

/** Has other packages do the work: they know what they need. */
const start = (what: string, ...args: readonly string[]): number =>
  run('npm', ['exec', '--yes', '--package', what, '--', COMMAND, 'upgrade', ...args]);

/**
 * Brings the service to the packages of this program.
 *
 * @param files the packages, by their files in vendor/; undefined: the registry has them
 */
function bring(files: ReadonlyMap<string, Buffer> | undefined): number {
  const manager = managerOf();
  const before = versionOf(SERVER);
  const readings = readingsSince(before);
  const old = vendoredIn(readManifest());
  const restore = keep(['package.json', manager.lock, ...(files?.keys() ?? [])]);
  const replaced = [...(files ?? [])].filter(
    ([file, has]) => existsSync(file) && !readFileSync(file).equals(has),
  );
  for (const [file, content] of files ?? []) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  const specifierOf = (name: string) => (files ? `file:${vendored(name)}` : version());
  const left = changeManifest(specifierOf, files !== undefined && manager.name === 'yarn');
  // npm does not look into a file again that has the same name.
  const again = PACKAGES.filter((name) => replaced.some(([file]) => file === vendored(name)));
  const named = manager.name === 'npm' ? again.map((name) => `${name}@${specifierOf(name)}`) : [];
  if (run(manager.name, [...manager.install, ...named]) !== 0) {
    restore();
    throw new Error(
      `${manager.name} could not install ${COMMAND} ${version()}: see above. The service is unchanged`,
    );
  }
  const gone = old.filter((file) => !files?.has(file));
  for (const file of gone) rmSync(file, { force: true });
  const ts = compiler();
  const changed = ts && rewriteSources(ts, gone);
  const own = [...left, ...(changed?.left ?? [])];
  if (!changed) own.push(`install typescript, and run ${RUN} upgrade again: it rewrites the imports`);
  if (run(process.execPath, [installed(COMMAND, 'bin/contract-first.cjs'), 'generate']) !== 0)
    own.push(`${RUN} generate, once you have done what it says above`);
  if (existsSync(VALUES)) leaveUnformatted(VALUES);
  listVariables();
  const rewritten = changed?.imports
    ? `: rewrote ${counted(changed.imports, 'import')} in ${counted(changed.files, 'file')}`
    : '';
  const changes = path.relative(root, installed(COMMAND, 'CHANGELOG.md'));
  console.log(`\ncontract-first ${before} -> ${version()}${rewritten}. What remains to be done:\n`);
  for (const line of [
    ...own,
    ...(before === version() ? [] : [`read what changed since ${before}: ${changes}`]),
    `${RUN} check, ${RUN} test, then commit`,
  ])
    console.log(`  - ${line}`);
  if (readings.length > 0) console.log(`\n${PUBLISHED} is read differently now:\n`);
  for (const note of readings) console.log(`  - ${note}`);
  return own.length > 0 ? 1 : 0;
}

/** Keeps the formatter of the service from a file, as new services do. */
function leaveUnformatted(file: string): void {
  const list = '.prettierignore';
  if (!existsSync(list)) return;
  const text = readFileSync(list, 'utf8');
  if (text.split(/\r?\n/).includes(file)) return;
  writeFileSync(list, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${file}\n`);
}

/** Adds the variables that every server reads now to the list of a service, whose tests compare both. */
function listVariables(): void {
  const list = '.env.example';
  if (!existsSync(list)) return;
  const text = readFileSync(list, 'utf8');
  const [added] =
    /(?:^#.*\n)+^MCP=[^]*?^MCP_URL=.*\n/m.exec(readFileSync(path.join(OWN, 'layout', list), 'utf8')) ?? [];
  if (added === undefined || /^MCP=/m.test(text)) return;
  writeFileSync(list, `${text.trimEnd()}\n\n${added}`);
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** The version of a package that is installed, or what package.json says of it. */
function versionOf(name: string): string {
  const file = installed(name, 'package.json');
  if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
  const has = readManifest().dependencies?.[name] ?? '';
  return /-(\d+\.\d+\.\d+[^/]*)\.tgz$/.exec(has)?.[1] ?? has;
}

/** The files of the packages in vendor/. */
const vendoredIn = ({ dependencies, devDependencies }: Manifest): string[] =>
  PACKAGES.flatMap((name) => {
    const has = dependencies?.[name] ?? devDependencies?.[name] ?? '';
    return /^file:(?:\.\/)?(vendor\/[^/]+\.tgz)$/.exec(has)?.[1] ?? [];
  });

/** The compiler of the service, whose interface reads its imports; undefined if it has none. */
function compiler(): Compiler | undefined {
  for (const from of [path.join(root, 'package.json'), __filename])
    try {
      const found = createRequire(from)('typescript') as Partial<Compiler>;
      if (found.createSourceFile !== undefined) return found;
    } catch {
      // The next one.
    }
  return undefined;
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
