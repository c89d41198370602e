import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ownFolder } from '../testing/folder';
import { installBeside, layOut, NAMES, PACKED, tarballOf } from '../testing/package';
import { runProgram } from '../program';

/*
 * Installs the packages of `make pack`, and from the registry what they need, as strangers do: by each package manager, each
 * package alone and all in a service. Nothing but the package with its peers and TypeScript is installed, and all declarations are
 * checked, with the newest types of Node. What publishers check before they publish is first.
 */

const ROOT = join(__dirname, '../..');
const TYPESCRIPT = 'typescript@5.9.3';
const NATIVE = 'typescript-7@npm:typescript@7.0.2';
const TOOLS = {
  publint: '0.3.25',
  '@arethetypeswrong/cli': '0.18.5',
  pnpm: '12.21.0',
  '@yarnpkg/cli-dist': '4.18.1',
  yarn: '1.22.22',
};
const HOME = join(ROOT, '.cache/consumers');
const bin = (name: string) => join(HOME, 'node_modules/.bin', name);
const yarn4 = [process.execPath, join(HOME, 'node_modules/@yarnpkg/cli-dist/bin/yarn.js')];
const yarn1 = [process.execPath, join(HOME, 'node_modules/yarn/bin/yarn.js')];

const home = ownFolder();
const CACHE = join(home, 'cache');

interface Manager {
  readonly add: readonly string[];
  readonly install: readonly string[];
  /** Runs a program of a package. */
  readonly exec: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  /** Does not look at what a package carries: it is told where the packages are that are in no registry. */
  readonly isBlind?: boolean;
  /** Plug and Play: packages of others do not say whose types they name, and no tool of a service finds its packages. */
  readonly isLax?: boolean;
}

const NPM: Manager = {
  add: ['npm', 'install', '--no-audit'],
  install: ['npm', 'install', '--no-audit'],
  exec: ['npx'],
};
const MANAGERS: Readonly<Record<string, Manager>> = {
  npm: NPM,
  pnpm: { add: [bin('pnpm'), 'add'], install: [bin('pnpm'), 'install'], exec: [bin('pnpm'), 'exec'] },
  'Yarn 4': {
    add: [...yarn4, 'add'],
    install: [...yarn4, 'install', '--no-immutable'],
    exec: [...yarn4, 'run', '-T'],
    files: { '.yarnrc.yml': 'nodeLinker: node-modules\n', 'yarn.lock': '' },
    isBlind: true,
  },
  'Yarn 4, Plug and Play': {
    add: [...yarn4, 'add'],
    install: [],
    exec: [...yarn4, 'run', '-T'],
    files: { 'yarn.lock': '' },
    isBlind: true,
    isLax: true,
  },
  'Yarn 1': {
    // Its cache knows a file by its name: another build of the same version would be the old one.
    add: [...yarn1, 'add', '--cache-folder', CACHE],
    install: [...yarn1, 'install', '--cache-folder', CACHE],
    exec: [...yarn1, 'run', '--silent'],
  },
};

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}
const manifestOf = (name: string) =>
  JSON.parse(readFileSync(join(PACKED, name, 'package.json'), 'utf8')) as Manifest;
/** What a program may import of a package. It brings Kysely itself. */
const entriesOf = (name: string): string[] =>
  Object.keys(manifestOf(name).exports)
    .filter((entry) => !/\.json$|\*|kysely/.test(entry))
    .map((entry) => name + entry.slice(1));
/** How a manager is given a package and its peers of this project, which are in no registry. */
const filesFor = (name: string): string[] => {
  const peers = Object.keys(manifestOf(name).peerDependencies ?? {}).filter((peer) =>
    peer.startsWith('contract-first'),
  );
  return [name, ...peers].map((one) => `${one}@file:${tarballOf(one)}`);
};

const RESOLUTIONS = [
  ['node16', 'node16'],
  ['nodenext', 'nodenext'],
  ['preserve', 'bundler'],
] as const;

/** @throws {Error} with its output if the command fails */
function run(folder: string, [program = '', ...args]: readonly string[]): string {
  const env = { ...process.env, CI: '1', YARN_ENABLE_TELEMETRY: '0', AGAIN: '1' };
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: folder, encoding: 'utf8', env });
  if (status === 0) return stdout;
  throw new Error(`${[program, ...args].join(' ')} in ${folder}: ${error?.message ?? `${stdout}${stderr}`}`);
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** A program that has nothing but a package with its peers. */
function tryAlone(name: string, folder: string, manager: Manager): void {
  const { add, exec, files = {}, isBlind = false, isLax = false } = manager;
  const resolutions = Object.fromEntries(NAMES.map((one) => [one, `file:${tarballOf(one)}`]));
  const entries = entriesOf(name);
  const exported = entries.map((entry, i) => `export type Entry${i} = typeof import('${entry}');\n`).join('');
  const loaded = entries.map((entry) => `'${entry}'`).join(', ');
  write(folder, {
    ...files,
    'package.json': JSON.stringify({ name: 'consumer', private: true, ...(isBlind ? { resolutions } : {}) }),
    'all.cts': exported,
    'all.mts': exported,
    'load.cjs': `for (const name of [${loaded}]) require(name);`,
    'load.mjs': `for (const name of [${loaded}]) await import(name);`,
  });
  run(folder, [...add, ...filesFor(name), TYPESCRIPT]);
  for (const [module, moduleResolution] of RESOLUTIONS) {
    const compilerOptions = {
      target: 'es2024',
      module,
      moduleResolution,
      types: [],
      strict: true,
      noEmit: true,
    };
    write(folder, { 'tsconfig.json': JSON.stringify({ compilerOptions, include: ['all.*'] }) });
    run(folder, [...exec, 'tsc', '--skipLibCheck', String(isLax)]);
  }
  for (const file of ['load.cjs', 'load.mjs']) run(folder, [...(isLax ? yarn4 : []), 'node', file]);
  if (name === NAMES[0]) run(folder, [...exec, 'contract-first', '--version']);
}

type Service = Readonly<
  Record<'dependencies' | 'devDependencies' | 'resolutions', Readonly<Record<string, string>>>
>;

/** A service that the manager installs, checks and tests; and checks by TypeScript 7. */
function tryService(folder: string, service: string, manager: Manager): void {
  const { add, install, exec, files = {}, isBlind = false } = manager;
  // What git has.
  cpSync(service, folder, {
    recursive: true,
    filter: (file) => !/\/(node_modules|\.cache|reports|dist|package-lock\.json)$/.test(file),
  });
  write(folder, files);
  if (isBlind) {
    const text = readFileSync(join(folder, 'package.json'), 'utf8');
    const { resolutions, ...own } = JSON.parse(text) as Service;
    const packages = Object.entries({ ...own.dependencies, ...own.devDependencies }).filter(([, version]) =>
      version.startsWith('file:'),
    );
    const all = { ...resolutions, ...Object.fromEntries(packages) };
    write(folder, { 'package.json': JSON.stringify({ ...own, resolutions: all }, null, 2) });
  }
  run(folder, install);
  for (const command of ['check', 'test']) run(folder, [...exec, 'contract-first', command]);
  run(folder, [...add, NATIVE]);
  // A workspace has its packages at its root.
  const tsc = [folder, join(folder, '../..')]
    .map((at) => join(at, 'node_modules/typescript-7/bin/tsc'))
    .find((file) => existsSync(file));
  run(folder, [
    process.execPath,
    tsc ?? 'typescript-7',
    '--noEmit',
    '--incremental',
    'false',
    '--skipLibCheck',
    'false',
  ]);
}

/** @param only the names of package managers; all if there is none */
function main(only: readonly string[]): Promise<void> {
  const list = Object.entries(TOOLS).map(([name, version]) => `${name}@${version}`);
  // Their scripts fetch or link programs for this platform.
  if (!existsSync(bin('publint')))
    run(ROOT, ['npm', 'install', '--prefix', HOME, '--no-save', '--no-audit', ...list]);
  for (const tarball of NAMES.map(tarballOf)) {
    console.log(run(ROOT, [bin('publint'), 'run', '--strict', tarball]).trim());
    console.log(run(ROOT, [bin('attw'), tarball, '--format', 'table-flipped', '--no-color']).trim());
  }
  const service = join(home, 'laid-out');
  installBeside(home);
  layOut(service, 'packages/command/tests/e2e/new-service/night-museum.yaml', home);
  rmSync(join(home, 'node_modules'), { recursive: true });
  for (const [name, manager] of Object.entries(MANAGERS)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const folder = join(home, name.replace(/\W/g, ''));
    for (const one of NAMES) {
      tryAlone(one, join(folder, one), manager);
      const resolutions = RESOLUTIONS.map(([, each]) => each).join(', ');
      console.log(`${name}: ${one} installs, compiles under ${resolutions}, and loads`);
    }
    if (manager.isLax === true) continue;
    tryService(join(folder, 'service'), service, manager);
    console.log(`${name}: a service installs, checks, passes its tests, and has no error by TypeScript 7`);
  }
  const workspace = join(home, 'workspace');
  write(workspace, { 'package.json': '{ "private": true, "workspaces": ["services/*"] }' });
  tryService(join(workspace, 'services/museum'), service, NPM);
  console.log('npm: so does one in a workspace');
  return Promise.resolve();
}

runProgram('consumers', () => main(process.argv.slice(2)));
