/**
 * Lays out a service of its own from its document, and proves it. What needs the tools of a service (formatter, compiler,
 * prover) is done by those that are installed in it: finish.ts.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, utimesSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { InvalidContract, shellWord } from 'contract-first-server';
import { located, SourceError } from '../document/source/source';
import { assertFile, assertFree, besideIn, folderOf, type Given, readDocumentAndNames } from './arguments';
import { askDocument, askExtras } from './ask';
import type { Extras } from './extras';
import { agent, install, managerOf, vendor, version } from './write/install';
import { Journal } from './write/journal';
import { layOut } from './layout';
import { type Originals, originalsIn, remove, WRITTEN } from './write/originals';
import { forNpm, forPnpm } from './write/pnpm';
import { RED, run } from './write/programs';
import { commit } from './write/repository';
import { Steps } from './write/steps';

export interface Options extends Omit<Given, 'document' | 'extras'> {
  /** Undefined: it asks for them on a terminal. */
  readonly extras?: Extras | undefined;
  /** Undefined: it asks for it. */
  readonly document: string | undefined;
  /** The folder of the packed packages; undefined: they are packed. */
  readonly packages?: string | undefined;
  /** A folder of installed packages to use; undefined: they are installed. For tests, which have no network. */
  readonly modules?: string | undefined;
}

/** Ends a service that is laid out half. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Lays out a service. If it fails or is interrupted, it removes what it has written, and nothing else.
 *
 * @returns the exit status: 1 if a check or a test of the service fails. It is not committed then
 * @throws {UsageError} if the arguments do not fit
 * @throws {SourceError} if the document cannot be served, or the packages cannot be installed
 */
export async function newService(options: Options, steps = new Steps()): Promise<number> {
  const { dir } = options;
  const packages = folderOf('--packages', options.packages);
  const modules = folderOf('--modules', options.modules);
  const given = {
    ...options,
    document: options.document ?? (await askDocument()),
    extras: options.extras ?? (await askExtras()),
  };
  const interruption = new AbortController();
  const interrupt = (signal: NodeJS.Signals) => {
    interruption.abort(signal);
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  const journal = new Journal(path.resolve(dir));
  try {
    const isGreen = await lay(given, journal, interruption.signal, packages, modules, steps);
    return isGreen ? 0 : 1;
  } catch (error) {
    journal.undo();
    const { reason } = interruption.signal as { reason?: NodeJS.Signals };
    if (reason === undefined) throw error;
    console.error(`\n${reason} received: removed the files that were written`);
    return 128 + constants.signals[reason];
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}

/** Lays out, installs, checks and tests the service. Returns whether its checks and tests pass. */
async function lay(
  given: Given,
  journal: Journal,
  signal: AbortSignal,
  packages: string | undefined,
  modules: string | undefined,
  steps: Steps,
): Promise<boolean> {
  const began = performance.now();
  const folder = path.resolve(given.dir);
  const manager = managerOf();
  assertFile(given.document);
  const { title, files, originals } = await steps.step(
    `reading ${path.basename(given.document)}`,
    () => decide(given, folder),
    ({ notes }) => [`read ${path.basename(given.document)}`, ...notes].join('\n  '),
  );
  await steps.step(
    'packing contract-first',
    () => {
      journal.open();
      return vendor(journal, manager, packages, signal);
    },
    () => `packed contract-first ${version()} into vendor/`,
  );
  await steps.step(
    'writing the files',
    () => {
      for (const top of WRITTEN) journal.claim(top);
      for (const [name, text] of Object.entries(files))
        if (!existsSync(path.join(folder, name))) journal.write(name, text);
      for (const name of Object.keys(files).filter((one) => one.startsWith('.ci/')))
        chmodSync(path.join(folder, name), 0o755);
    },
    () => `wrote ${Object.keys(files).length} files`,
  );
  await steps.step(
    `installing the packages with ${manager}`,
    () => install(journal, manager, modules, signal),
    () => `installed the packages with ${manager}`,
  );
  const finish = path.join(folder, 'node_modules/contract-first/dist/new/finish.js');
  const { status } = await run([process.execPath, finish], folder, { signal, inherits: true });
  if (status !== 0 && status !== RED)
    throw new SourceError(`the tools installed in the service could not complete it`);
  // finish.js has formatted package.json, and make installs again if these are older.
  for (const name of ['.package-lock.json', '.modules.yaml']) {
    const installed = path.join(folder, 'node_modules', name);
    if (existsSync(installed)) utimesSync(installed, new Date(), new Date());
  }
  remove(folder, originals.moved);
  if (originals.moved.length > 0) console.log(`moved to openapi/: ${originals.moved.join(', ')}`);
  const isGreen = status === 0;
  console.log(isGreen ? await commit(folder) : 'not committed, because a check or a test fails');
  const seconds = Math.round((performance.now() - began) / 1000);
  const shown = path.relative('.', folder);
  const start = `${newerNode()}${manager} run`;
  const next = [
    ...(shown === '' ? [] : [`cd ${shellWord(shown)}`]),
    `${start} dev    # serve it while you edit, with a page to try it out`,
    ...(isGreen ? [] : [`${start} check  # ${SEE}`]),
    `${start} test   # ${isGreen ? 'it passes' : SEE}`,
    `${start} todo   # list what remains to be written`,
  ];
  console.log(
    `\n${title} is ${isGreen ? 'ready' : 'created, with a failing check or test,'} in ${shown || 'this folder'} after ${seconds} s. Next:\n\n  ${next.join('\n  ')}`,
  );
  return isGreen;
}

const SEE = 'see above';

/** What brings a newer Node for a command, if the one that a new shell finds is too old: npx or make may have brought this one. */
function newerNode(): string {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const PATH = folders.filter((one) => !one.endsWith(path.join('node_modules', '.bin'))).join(path.delimiter);
  const { stderr } = spawnSync('node', [require.resolve('contract-first-server/node-version')], {
    encoding: 'utf8',
    env: { ...process.env, PATH },
  });
  return /npx .*?node@\d+ /.exec(stderr)?.[0] ?? '';
}

interface Decision {
  readonly title: string;
  readonly files: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
  readonly originals: Originals;
}

/** Names in the folder of a new service that no formatter reads. */
const NO_TEXTS = /^\.(git|DS_Store)$|\.tgz$/i;

/** Decides every file of the service, and changes nothing. */
async function decide(given: Given, folder: string): Promise<Decision> {
  const [source, names] = readDocumentAndNames(given);
  assertFree(folder, source);
  const layout = await layOut(source, names, version(), given.extras).catch((error: unknown) => {
    throw error instanceof InvalidContract ? new SourceError(located(source, error.findings)) : error;
  });
  const files = managerOf() === 'pnpm' ? forPnpm(layout.files, agent()) : forNpm(layout.files);
  const { 'README.md': readme = '', '.prettierignore': unformatted = '', ...others } = files;
  const originals = originalsIn(folder, source, files);
  const beside = besideIn(folder);
  const hasReadme = existsSync(path.join(folder, 'README.md'));
  // What is ignored here, the service does not format: neither now nor by `npm run format`.
  const kept = [...originals.kept, ...beside.filter((name) => !NO_TEXTS.test(name))];
  return {
    title: names.title,
    files: {
      ...others,
      [hasReadme ? 'SERVICE.md' : 'README.md']: readme,
      '.prettierignore': [unformatted.trimEnd(), ...kept.map(ignored), ''].join('\n'),
    },
    notes: [
      ...new Set([...source.notes, ...layout.notes]),
      ...(hasReadme ? ['README.md is kept: the README of the service is SERVICE.md'] : []),
      ...originals.kept.map((name) => `${name} is kept: the service has its own copy in openapi/`),
    ],
    originals,
  };
}

/** A file as a pattern of .gitignore, whose `?` is any character. */
const ignored = (name: string): string => `/${name.replace(/[^\w./-]/g, '?')}`;
