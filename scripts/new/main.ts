/**
 * `tsx scripts/new/main.ts DIR DOCUMENT [NAME]`: lays out a service of its own from its document, and proves it. Each line of
 * the output is a step; the last ones say what is next.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { InvalidContract, type Operation } from '../../src/contract';
import { generate } from '../generate/main';
import { workOn } from '../paths';
import { located, type Source, SourceError } from '../source/source';
import { readArguments, readDocumentAndNames } from './arguments';
import { commit, formatFile, prove } from './finish';
import { HERE, install } from './install';
import { layOut } from './layout';
import type { Names } from './names';

async function main(argv: readonly string[]): Promise<void> {
  const began = performance.now();
  const given = readArguments(argv);
  const { folder, tarball, modules } = given;
  const [source, names] = readDocumentAndNames(given);
  const built = tarball ?? pack();
  let handlers: readonly Operation[];
  try {
    handlers = await lay(source, names, built, folder);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true }); // so that the same command can run again
    if (error instanceof InvalidContract) throw new SourceError(located(source, error.findings));
    throw error;
  }
  install(folder, modules);
  const { green, summary } = await prove(folder, handlers);
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

/** Writes every file of the service. Returns the operations whose handlers it has written. */
async function lay(
  source: Source,
  names: Names,
  built: string,
  folder: string,
): Promise<readonly Operation[]> {
  const tarball = path.basename(built);
  const { files, notes, handlers } = await layOut(source, names, tarball);
  for (const note of new Set([...source.notes, ...notes])) console.log(`  ${note}`);
  for (const [target, text] of Object.entries(files)) write(path.join(folder, target), text);
  for (const name of ['run', 'migrations', 'image']) chmodSync(path.join(folder, '.ci', name), 0o755);
  mkdirSync(path.join(folder, 'generated'), { recursive: true });
  mkdirSync(path.join(folder, 'vendor'), { recursive: true });
  copyFileSync(built, path.join(folder, 'vendor', tarball));
  workOn(folder);
  const stubs = (await generate(true)).filter((line) => line.includes('a stub, which answers'));
  console.log(`wrote ${Object.keys(files).length} files, and ${stubs.length} stubs of handlers`);
  // All but the document.
  const written = Object.keys(files).filter((file) => !/^openapi\/(?!overlay\.yaml)/.test(file));
  const all = readdirSync(path.join(folder, 'src/handlers')).map((name) => `src/handlers/${name}`);
  for (const file of new Set([...written, ...all])) await formatFile(path.join(folder, file));
  return handlers;
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
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

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof SourceError ? error.message : error);
  process.exitCode = 1;
});
