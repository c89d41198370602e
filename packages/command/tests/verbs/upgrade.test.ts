import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../src/command';
import { version } from '../../package.json';
import layout from '../../layout/package.json';
import { workOn } from '../../src/paths';
import { upgrade } from '../../src/upgrade/main';
import { useFolder } from '../../../../scripts/testing/folder';

// e2e/upgrade.slow.test.ts upgrades services with the packed packages. Here no package manager runs.

jest.mock('node:child_process', () => ({
  ...jest.requireActual<object>('node:child_process'),
  spawnSync: jest.fn(() => ({ status: 0, stdout: '' })),
}));
jest.mock('../../src/new/write/install', () => {
  const install = jest.requireActual<typeof import('../../src/new/write/install')>(
    '../../src/new/write/install',
  );
  const files = install.PACKAGES.map((name) => [install.vendored(name), Buffer.from(name)] as const);
  return { ...install, packed: () => Promise.resolve(new Map(files)) };
});

const NAMES = ['contract-first', 'contract-first-database', 'contract-first-prover', 'contract-first-server'];
const ROOT = process.cwd();
const folder = useFolder();
const OLD = {
  engines: { node: '>=22.14' },
  scripts: { build: 'tsc -p src', start: 'node dist/main.js' },
  dependencies: { 'contract-first-server': 'file:vendor/old.tgz', zod: '4.0.0' },
  devDependencies: { prettier: '3.0.0', eslint: '^9.0.0' },
};
const FILES = {
  'package.json': `${JSON.stringify(OLD, null, 4)}\n`,
  'package-lock.json': '{}\n',
  'vendor/old.tgz': 'old',
  'src/store.ts': "import { sql } from 'contract-first-server/database';\n",
  'tests/service.ts': "import { run, emptied } from 'contract-first-server/testing';\n",
  'src/node_modules/x.ts': "import { sql } from 'contract-first-server/database';\n",
  Dockerfile: 'COPY vendor/old.tgz vendor/\n',
  '.vscode/settings.json': '{ "./node_modules/contract-first-server/schemas/overlay.json": "" }\n',
};

const spawned = jest.mocked(spawnSync);
/** How each program ends. */
const ends = (status: number, stdout = '') => spawned.mockReturnValue({ status, stdout } as never);
const calls = () => spawned.mock.calls.map(([program, args]) => [program, ...(args ?? [])]);
let said: string[] = [];

beforeEach(() => {
  folder.write(FILES);
  workOn(folder.path('.'));
  spawned.mockClear();
  ends(0);
  said = [];
  jest.spyOn(console, 'log').mockImplementation((line: string) => said.push(...line.split('\n')));
});
afterEach(() => {
  workOn(ROOT);
  jest.restoreAllMocks();
});

/** All files of the service, with their texts. */
const tree = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder.path('.'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file.slice(folder.path('.').length + 1), readFileSync(file, 'utf8')]),
  );
const read = (file: string) => readFileSync(folder.path(file), 'utf8');
type Versions = Readonly<Record<string, string>>;
const manifest = () =>
  JSON.parse(read('package.json')) as Record<
    'engines' | 'scripts' | 'dependencies' | 'devDependencies' | 'resolutions',
    Versions
  >;

describe('from a command that is not the one of the service', () => {
  test.each([
    ['', 'src/values.ts\n'],
    ['dist', 'dist\nsrc/values.ts\n'],
    ['dist\r\nsrc/values.ts\r\n', 'dist\r\nsrc/values.ts\r\n'],
  ])('the formatter leaves the values of enums alone: %j', async (before, after) => {
    folder.write({ 'src/values.ts': '', '.prettierignore': before });
    await upgrade(undefined);
    expect(read('.prettierignore')).toBe(after);
  });

  test.each([
    [
      '2.0.0',
      [
        'generated/openapi.json is read differently now:',
        '',
        expect.stringContaining('  - `nullable: true` '),
      ],
    ],
    ['3.0.0', []],
  ])('from %s, what is read differently in the document is listed', async (before, lines) => {
    const dependencies = { 'contract-first-server': `file:vendor/contract-first-server-${before}.tgz` };
    folder.write({
      'package.json': JSON.stringify({ ...OLD, dependencies }),
      'generated/openapi.json': '{ "components": { "schemas": { "A": { "nullable": true } } } }',
    });
    await upgrade(undefined);
    const start = said.findIndex((line) => line.endsWith('is read differently now:'));
    expect(start < 0 ? [] : said.slice(start)).toEqual(lines);
  });

  test('its packages go to vendor/, and what names them is rewritten', async () => {
    expect(await upgrade(undefined)).toBe(1);
    expect(calls()[0]).toEqual(['npm', 'install', '--no-audit', '--no-fund']);
    expect(readdirSync(folder.path('vendor'))).toEqual(
      NAMES.map((name) => `${name}-${version}.tgz`).toSorted(),
    );
    const file = (name: string) => `file:vendor/${name}-${version}.tgz`;
    const { engines, scripts, dependencies, devDependencies } = manifest();
    expect(dependencies).toEqual({
      'contract-first-database': file('contract-first-database'),
      'contract-first-server': file('contract-first-server'),
      zod: '4.0.0',
    });
    expect(devDependencies).toEqual({
      ...layout.devDependencies,
      'contract-first': file('contract-first'),
      'contract-first-prover': file('contract-first-prover'),
      eslint: '^9.0.0', // a range is a decision of the team
    });
    expect([engines, scripts]).toEqual([
      layout.engines,
      { build: 'tsc -p src', prestart: layout.scripts.prestart, start: 'node dist/main.js' },
    ]);
    expect(read('package.json')).toMatch(/^\{\n {4}"engines"/);
    expect(tree()).toMatchObject({
      'src/store.ts': "import { sql } from 'contract-first-database';\n",
      'tests/service.ts':
        "import { run } from 'contract-first-prover';\nimport { emptied } from 'contract-first-prover/service';\n",
      'src/node_modules/x.ts': FILES['src/node_modules/x.ts'],
      '.vscode/settings.json': '{ "./node_modules/contract-first/schemas/overlay.json": "" }\n',
    });
    expect(said).toContain('  - Dockerfile:1: COPY vendor/old.tgz vendor/');
    expect(said.join('\n')).toContain(
      `-> ${version}: rewrote 2 imports in 2 files. What remains to be done:`,
    );
  });

  test('a second time changes nothing', async () => {
    await upgrade(undefined);
    const once = tree();
    expect(await upgrade(undefined)).toBe(0);
    expect(tree()).toEqual(once);
  });

  test('if they cannot be installed, the service is as it was', async () => {
    const before = tree();
    ends(1);
    await expect(upgrade(undefined)).rejects.toThrow(
      `npm could not install contract-first ${version}: see above. The service is unchanged`,
    );
    expect(tree()).toEqual(before);
  });

  test.each([
    ['pnpm-lock.yaml', ['pnpm', 'install', '--no-frozen-lockfile']],
    ['yarn.lock', ['yarn', 'install']],
  ])('%s says which package manager', async (lock, command) => {
    rmSync(folder.path('package-lock.json'));
    folder.write({ [lock]: '' });
    await upgrade(undefined);
    expect(calls()[0]).toEqual(command);
  });

  test('Yarn is told what the packages depend on, which one of them carries, and npm is not', async () => {
    const file = (name: string) => [name, `file:vendor/${name}-${version}.tgz`];
    folder.write({ 'package.json': JSON.stringify({ ...OLD, resolutions: { a: '1.0.0' } }) });
    folder.write({ 'yarn.lock': '' });
    rmSync(folder.path('package-lock.json'));
    await upgrade(undefined);
    expect(manifest().resolutions).toEqual({ a: '1.0.0', ...Object.fromEntries(NAMES.slice(1).map(file)) });
    await upgrade(version);
    expect(manifest().resolutions).toEqual({ a: '1.0.0' });
  });

  test('npm is told which files have changed under the same name', async () => {
    await upgrade(undefined);
    folder.write({ [`vendor/contract-first-server-${version}.tgz`]: 'another build' });
    spawned.mockClear();
    await upgrade(undefined);
    expect(calls()[0]?.slice(4)).toEqual([
      `contract-first-server@file:vendor/contract-first-server-${version}.tgz`,
    ]);
  });

  test('what the team has decided stays, and is listed', async () => {
    const own = {
      ...OLD,
      engines: { node: '>=20' },
      scripts: { prestart: 'contract-first migrate', start: 'node dist/main.js' },
      devDependencies: { 'fast-check': '4.0.0' },
    };
    folder.write({ 'package.json': JSON.stringify(own) });
    expect(await upgrade(undefined)).toBe(1);
    expect([manifest().engines, manifest().scripts]).toEqual([own.engines, own.scripts]);
    expect(said).toEqual(
      expect.arrayContaining([
        `  - package.json: engines.node is >=20, and the packages need ${layout.engines.node}`,
        '  - package.json: the script prestart runs contract-first, which is not installed in production',
        '  - package.json: remove from devDependencies what the packages bring, unless your code imports it: fast-check',
      ]),
    );
  });

  test('a package that stands among the wrong dependencies is moved', async () => {
    const own = {
      dependencies: { 'contract-first-prover': '1' },
      devDependencies: { 'contract-first-server': '1' },
    };
    folder.write({ 'package.json': JSON.stringify(own) });
    await upgrade(undefined);
    expect(Object.keys(manifest().dependencies)).toEqual([
      'contract-first-database',
      'contract-first-server',
    ]);
    expect(manifest().devDependencies).not.toHaveProperty('contract-first-server');
  });
});

/** Packs a package with this name. */
function pack(name: string): string {
  folder.write({ 'package/package.json': JSON.stringify({ name }) });
  execFileSync('tar', ['-czf', folder.path('given.tgz'), '-C', folder.path('.'), 'package']);
  return './given.tgz';
}

test('the file of another version does the work', async () => {
  const given = pack('contract-first');
  ends(1);
  expect(await upgrade(given)).toBe(1);
  const run = [
    'npm',
    'exec',
    '--yes',
    '--package',
    folder.path('given.tgz'),
    '--',
    'contract-first',
    'upgrade',
  ];
  expect(calls()).toEqual([run]);
});

test.each([
  ['3.1.0-rc.1', '', '3.1.0-rc.1'],
  ['latest', '3.2.0\n', '3.2.0'],
  ['next', '4.0.0-rc.1\n', '4.0.0-rc.1'],
])('%s: that version of the registry does the work', async (given, printed, wanted) => {
  ends(0, printed);
  expect(await upgrade(given)).toBe(0);
  expect(calls().at(-1)).toEqual([
    'npm',
    'exec',
    '--yes',
    '--package',
    `contract-first@${wanted}`,
    '--',
    'contract-first',
    'upgrade',
    wanted,
  ]);
});

test('a tag that the registry does not have is an error', async () => {
  ends(1);
  await expect(upgrade('latest')).rejects.toThrow('npm does not know a version latest of contract-first');
});

test('its own version comes from the registry', async () => {
  await upgrade(version);
  expect(manifest().dependencies).toMatchObject({
    'contract-first-database': version,
    'contract-first-server': version,
  });
  expect(manifest().devDependencies).toMatchObject({
    'contract-first': version,
    'contract-first-prover': version,
  });
  expect(existsSync(folder.path('vendor/old.tgz'))).toBe(false);
});

test.each([
  [() => pack('contract-first-server'), /is contract-first-server: give the file of contract-first, which/],
  [() => pack('other'), /is not a package of contract-first$/],
  [() => './package.json', /is not a package of contract-first$/],
  [() => './missing.tgz', /expected a package file, .* got \.\/missing\.tgz, which does not exist$/],
  [() => 'vendor', /got vendor$/],
  [() => '^3.0.0', /got \^3\.0\.0/],
  [() => '--force=1', /got --force=1/],
  [() => '; ls', /got ; ls$/],
])('%s is refused', async (given, message) => {
  const before = tree();
  const refused = upgrade(given());
  await expect(refused).rejects.toThrow(UsageError);
  await expect(refused).rejects.toThrow(message);
  expect(calls()).toEqual([]);
  expect(tree()).toMatchObject(before);
});

test('a folder that does not depend on the packages is refused', async () => {
  folder.write({ 'package.json': '{}' });
  await expect(upgrade(undefined)).rejects.toThrow(/^contract-first-server is missing from the dependencies/);
});
