#!/usr/bin/env node
/** `contract-first COMMAND`: the toolchain as a program, for the service in the current folder. */
import { existsSync, readFileSync } from 'node:fs';
import Module from 'node:module';
import path from 'node:path';

/**
 * What runs each command, its first arguments, and its description. An import is checked by the compiler, and by the
 * boundaries as any other.
 */
const COMMANDS: Readonly<
  Record<string, readonly [run: () => Promise<unknown>, args: readonly string[], text: string]>
> = {
  generate: [
    () => import('./generate/main.js').then(({ main }) => main()),
    [],
    'update generated/ and handler stubs from openapi/; list the changes',
  ],
  check: [
    () => import('./gate/main.js'),
    ['code', 'boundaries', 'format', 'generated'],
    'check types, lint, imports and format',
  ],
  test: [
    () => import('./gate/main.js'),
    ['test'],
    'build, and run every test; AGAIN=1 runs them even if nothing has changed',
  ],
  dev: [
    () => import('./dev/main.js'),
    [],
    'serve while you edit: check every change, then replace the server',
  ],
  mock: [() => import('./mock/main.js'), [], 'serve any document: contract-first mock path/to/openapi.yaml'],
  contract: [() => import('./prove/service/contract.js'), [], 'test the service against its document'],
  todo: [() => import('./prove/service/todo.js'), [], 'list what is left to write'],
  breaking: [
    () => import('./breaking/main.js').then(({ main }) => main()),
    [],
    'list the changes that break a client: contract-first breaking GIT-REF',
  ],
};

async function main(name = '', ...given: readonly string[]): Promise<void> {
  const [run, args] = COMMANDS[name] ?? [];
  if (run === undefined || args === undefined) {
    const lines = Object.entries(COMMANDS).map(([each, [, , text]]) => `  ${each.padEnd(10)}${text}`);
    console.log(`contract-first COMMAND, in the folder of a service\n\n${lines.join('\n')}`);
    process.exitCode = name === '' || name === 'help' || name === '--help' ? 0 : 1;
    return;
  }
  for (const line of otherVersions()) console.log(line);
  Module.enableCompileCache(); // of the toolchain: in the folder NODE_COMPILE_CACHE, or else in the temporary one
  process.argv.splice(2, process.argv.length, ...args, ...given);
  try {
    await run();
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

void main(...process.argv.slice(2));
