#!/usr/bin/env node
/** `contract-first COMMAND`: the toolchain as a program, for the service in the current folder. */
import { existsSync, readFileSync } from 'node:fs';
import Module from 'node:module';
import path from 'node:path';

interface Command {
  /** The module of its program. */
  readonly load: () => Promise<{ readonly main: (args: readonly string[]) => unknown }>;
  /** The first arguments of the program. */
  readonly args?: readonly string[];
  readonly text: string;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  generate: {
    load: () => import('./generate/main.js'),
    text: 'update generated/ and handler stubs from openapi/; list the changes',
  },
  check: {
    load: () => import('./gate/main.js'),
    args: ['code', 'boundaries', 'format', 'generated'],
    text: 'check types, lint, imports and format',
  },
  test: {
    load: () => import('./gate/main.js'),
    args: ['test'],
    text: 'build, and run every test; AGAIN=1 runs them even if nothing has changed',
  },
  dev: {
    load: () => import('./dev/main.js'),
    text: 'serve while you edit: check every change, then replace the server',
  },
  mock: {
    load: () => import('./mock/main.js'),
    text: 'serve any document: contract-first mock path/to/openapi.yaml',
  },
  contract: {
    load: () => import('./prove/service/contract.js'),
    text: 'test the service against its document',
  },
  todo: { load: () => import('./prove/service/todo.js'), text: 'list what is left to write' },
  breaking: {
    load: () => import('./breaking/main.js'),
    text: 'list the changes that break a client: contract-first breaking GIT-REF',
  },
};

async function run(name = '', ...given: readonly string[]): Promise<void> {
  const command = COMMANDS[name];
  if (command === undefined) {
    const lines = Object.entries(COMMANDS).map(([each, { text }]) => `  ${each.padEnd(10)}${text}`);
    console.log(`contract-first COMMAND, in the folder of a service\n\n${lines.join('\n')}`);
    process.exitCode = name === '' || name === 'help' || name === '--help' ? 0 : 1;
    return;
  }
  for (const line of otherVersions()) console.log(line);
  Module.enableCompileCache(); // of the toolchain: in the folder NODE_COMPILE_CACHE, or else in the temporary one
  try {
    const { main } = await command.load();
    const args = [...(command.args ?? []), ...given];
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
