#!/usr/bin/env node
/** `contract-first COMMAND`: the toolchain as a program, for the service in the current folder. */
import { existsSync, readFileSync } from 'node:fs';
import Module from 'node:module';
import path from 'node:path';

const USAGE = `contract-first COMMAND, in the folder of a service

  generate  update generated/ and handler stubs from openapi/; list the changes, with --all every line
  check     check types, lint, imports and format
  test      build, and run every test; AGAIN=1 runs them even if nothing has changed
  dev       serve while you edit: check every change, then replace the server
  mock      serve any document: contract-first mock path/to/openapi.yaml
  contract  test the service against its document
  todo      list what is left to write
  breaking  list the changes that break a client: contract-first breaking GIT-REF
  migrate   apply the migrations that the database lacks, and list them
  backup    copy the SQLite database while it is used: contract-first backup path/to/file
  restore   put a backup in the place of the SQLite database: contract-first restore path/to/file
  seed      fill the database of a developer: src/seed.ts`;

/** The module of each command. */
const COMMANDS: Readonly<
  Record<string, () => Promise<{ readonly main: (args: readonly string[]) => unknown }>>
> = {
  generate: () => import('./generate/main.js'),
  check: () => import('./gate/main.js'),
  test: async () => ({ main: (await import('./gate/main.js')).test }),
  dev: () => import('./dev/main.js'),
  mock: () => import('./mock/main.js'),
  contract: () => import('./prove/service/contract.js'),
  todo: () => import('./prove/service/todo.js'),
  breaking: () => import('./breaking/main.js'),
  migrate: async () => ({ main: (await import('./jobs.js')).migrate }),
  backup: async () => ({ main: (await import('./jobs.js')).backup }),
  restore: async () => ({ main: (await import('./jobs.js')).restore }),
  seed: async () => ({ main: (await import('./jobs.js')).seed }),
};

async function run(name = '', ...args: readonly string[]): Promise<void> {
  const load = COMMANDS[name];
  if (load === undefined) {
    console.log(USAGE);
    process.exitCode = name === '' || name === 'help' || name === '--help' ? 0 : 1;
    return;
  }
  for (const line of otherVersions()) console.log(line);
  Module.enableCompileCache(); // of the toolchain: in the folder NODE_COMPILE_CACHE, or else in the temporary one
  try {
    const { main } = await load();
    process.argv.splice(2, process.argv.length, ...args); // for programs that start themselves again
    await main(args);
  } catch (error) {
    const missing = missingTool(error);
    if (missing === undefined) throw error;
    console.error(
      `contract-first ${name}: expected the package ${missing}, got none: npm install -DE ${missing}`,
    );
    process.exitCode = 1;
  }
}

type Versions = Readonly<Record<string, string>>;

const readManifest = (file: string) =>
  JSON.parse(readFileSync(file, 'utf8')) as { toolchain?: Versions; devDependencies?: Versions };

/** The packages of the toolchain with the versions that this version was tested with. */
const readToolchain = (): Versions =>
  readManifest(path.join(__dirname, '../../package.json')).toolchain ?? {};

/** A sentence if the service pins other versions of the toolchain, as it does after an upgrade of this package. */
function otherVersions(): string[] {
  if (!existsSync('package.json')) return [];
  const { devDependencies = {} } = readManifest('package.json');
  const others = Object.entries(readToolchain()).filter(
    ([name, version]) => /^\d/.test(devDependencies[name] ?? '') && devDependencies[name] !== version,
  );
  const names = others.map(([name, version]) => `${name}@${version}`);
  return names.length === 0
    ? []
    : [
        `contract-first was tested with other versions of some devDependencies: npm install -DE ${names.join(' ')}`,
      ];
}

/** The package of the toolchain, with its version, that could not be loaded; undefined if the error is another one. */
function missingTool(error: unknown): string | undefined {
  const [, name = ''] = /^Cannot find module '((?:@[^/]+\/)?[^/']+)/.exec((error as Error).message) ?? [];
  const version = readToolchain()[name];
  return version === undefined ? undefined : `${name}@${version}`;
}

void run(...process.argv.slice(2));
