/**
 * `tsx scripts/new/main.ts DIR DOCUMENT [NAME]`: lays out a service of its own from its document, and proves it. Each line of
 * the output is a step; the last ones say what is next.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { InvalidContract, isObject, versionFinding } from '../../src/contract';
import { generate } from '../generate/main';
import { workOn } from '../paths';
import { located, readSource, type Source, SourceError } from '../source/source';
import { type Arguments, readArguments } from './arguments';
import { formatFile } from './format';
import { layOut } from './layout';
import { seedLock } from './lock';
import { type Names, namesFrom } from './names';
import { HERE } from './project';
import { waive } from './waive';

/** @throws {SourceError} if the document is of another version, or has no name */
function readDocumentAndNames({ file, folder, name, allowOutside }: Arguments): [Source, Names] {
  const source = readSource(file, allowOutside);
  const version = versionFinding(source.document);
  if (version) throw new SourceError(located(source, [version]));
  const { info } = source.document;
  const title = isObject(info) && typeof info['title'] === 'string' ? info['title'] : path.basename(folder);
  const names = [name, path.basename(folder), title]
    .filter((text) => text !== '')
    .map((text) => namesFrom(text, title))
    .find((found) => found !== undefined);
  if (!names) throw new SourceError(`NAME: expected a name with letters from a to z, got ${name || folder}`);
  return [source, names];
}

async function main(argv: readonly string[]): Promise<void> {
  const began = performance.now();
  const given = readArguments(argv);
  const { folder, tarball, modules } = given;
  const [source, names] = readDocumentAndNames(given);
  const built = tarball ?? pack();
  try {
    await lay(source, names, built, folder);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true }); // so that the same command can run again
    if (error instanceof InvalidContract) throw new SourceError(located(source, error.findings));
    throw error;
  }
  install(folder, modules);
  const { green, summary } = await waive(folder);
  console.log(summary);
  console.log(commit(folder));
  const seconds = Math.round((performance.now() - began) / 1000);
  const shown = path.relative(HERE, folder);
  console.log(`
${names.title} is laid out in ${shown} after ${seconds} s. What is next:

  cd ${shown}
  make run    # serves it; every operation answers from the document
  make test   # ${green ? 'is green' : 'is red: see above'}
  make todo   # lists what is left to write`);
}

/** Writes every file of the service. */
async function lay(source: Source, names: Names, built: string, folder: string): Promise<void> {
  const tarball = path.basename(built);
  const { files, notes } = await layOut(source, names, { tarball, toolchain: toolchainOf(built) });
  for (const note of new Set([...source.notes, ...notes])) console.log(`  ${note}`);
  for (const [target, text] of Object.entries(files)) write(path.join(folder, target), text);
  chmodSync(path.join(folder, '.ci/run'), 0o755);
  mkdirSync(path.join(folder, 'generated'), { recursive: true });
  mkdirSync(path.join(folder, 'vendor'), { recursive: true });
  copyFileSync(built, path.join(folder, 'vendor', tarball));
  workOn(folder);
  const stubs = (await generate()).filter(isStubLine);
  console.log(`wrote ${Object.keys(files).length} files, and ${stubs.length} stubs of handlers`);
  await format(folder, Object.keys(files));
}

const isStubLine = (line: string): boolean => line.includes('a stub, which answers');

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** What the toolchain and the tests of a package need: the member `toolchain` of its manifest. */
function toolchainOf(tarball: string): Readonly<Record<string, string>> {
  const text = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' });
  return (JSON.parse(text) as { readonly toolchain: Readonly<Record<string, string>> }).toolchain;
}

/** Builds the package. */
function pack(): string {
  console.log('building the package');
  const output = execFileSync(path.join(HERE, 'node_modules/.bin/tsx'), ['scripts/pack/main.ts'], {
    cwd: HERE,
    encoding: 'utf8',
  });
  return path.join(HERE, output.trim().split('\n').at(-1) ?? '');
}

/** Formats all written files but the document. */
async function format(folder: string, files: readonly string[]): Promise<void> {
  const written = files.filter((file) => !file.startsWith('openapi/') || file === 'openapi/overlay.yaml');
  const handlers = readdirSync(path.join(folder, 'src/handlers')).map((name) => `src/handlers/${name}`);
  for (const file of new Set([...written, ...handlers])) await formatFile(path.join(folder, file));
}

/** @throws {SourceError} if npm cannot install the packages */
function install(folder: string, modules: string | undefined): void {
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

/** Starts a git repository with one commit. Returns a sentence. */
function commit(folder: string): string {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
  const started = git('init', '--quiet', '--initial-branch=main');
  if (started.status !== 0) return 'git is not available: the files are in no repository';
  git('add', '--all');
  const made = git('commit', '--quiet', '--message', 'A service laid out from its document');
  return made.status === 0
    ? 'committed to a new git repository'
    : 'the files are staged in a new git repository: commit them, once git knows your name and e-mail address';
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof SourceError ? error.message : error);
  process.exitCode = 1;
});
