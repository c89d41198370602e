import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { seedLock } from '../../src/new/install';
import { version } from '../../../../package.json';
import { errorsIn } from '../../../../scripts/testing/compile';
import { keepFolder } from '../../../../scripts/testing/folder';
import { installBeside, runIn, TARBALL, unpack } from '../../../../scripts/testing/package';
import { startProcess } from '../../../../scripts/testing/process';

// new-service/2.0.0 is what `make new` of version 2.0.0 has laid out, with what its team then wrote: handlers, two scenarios,
// a variable and a hook. It works on this package as it is: no line of it has to change, so no command changes any.

jest.setTimeout(120_000);

const GIVEN = resolve(__dirname, 'new-service');

const folder = keepFolder();
const service = join(folder, 'night-museum');
beforeAll(() => {
  cpSync(join(GIVEN, '2.0.0'), service, { recursive: true });
  cpSync(join(GIVEN, 'src'), join(service, 'src'), { recursive: true });
  cpSync(join(GIVEN, 'night-museum.yaml'), join(service, 'openapi/night-museum.yaml'));
  mkdirSync(join(service, 'vendor'));
});

const read = (file: string) => readFileSync(join(service, file), 'utf8');
/** It asks the registry for what the older release pins and this project no longer has. */
const npm = (...args: readonly string[]) =>
  execFileSync(
    'npm',
    [...args, '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'],
    {
      cwd: service,
      encoding: 'utf8',
    },
  );

/** Writes a package of a lower version to the place where the service has its package. */
function packPrevious(): void {
  const content = join(folder, 'previous/package');
  unpack(TARBALL, content);
  const manifest = JSON.parse(readFileSync(join(content, 'package.json'), 'utf8')) as object;
  writeFileSync(join(content, 'package.json'), JSON.stringify({ ...manifest, version: '0.9.0' }));
  const tarball = join(service, 'vendor/contract-first-server-2.0.0.tgz');
  execFileSync('tar', ['-czf', tarball, '-C', join(folder, 'previous'), 'package']);
}

test('npm upgrades the package of a service', () => {
  packPrevious();
  // npm has no packages to install here: it updates package.json and package-lock.json.
  seedLock(service);
  npm('install', '--package-lock-only');
  cpSync(TARBALL, join(service, 'vendor/new.tgz'));
  npm('install', '--package-lock-only', './vendor/new.tgz');
  expect(read('package.json')).toContain('"file:vendor/new.tgz"');
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, object> };
  expect(packages['node_modules/contract-first-server']).toMatchObject({ version });
  npm('ci', '--dry-run');
});

describe('contract-first upgrade', () => {
  const old = join(folder, 'old');
  const log = join(folder, 'log');
  beforeAll(() => {
    installBeside(folder);
    // In the place of npm: it notes its arguments, and fails if it is told to.
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/npm'), `#!/bin/sh\necho "$@" >>'${log}'\nexit "$FAILS"\n`, {
      mode: 0o755,
    });
  });
  beforeEach(() => {
    rmSync(old, { recursive: true, force: true });
    rmSync(log, { force: true });
    for (const name of ['src', 'openapi', 'vendor']) mkdirSync(join(old, name), { recursive: true });
    const manifest = {
      dependencies: { 'contract-first-server': 'file:vendor/old.tgz' },
      devDependencies: { prettier: '3.0.0', eslint: '^9.0.0', 'fast-check': '4.0.0' },
    };
    writeFileSync(join(old, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(old, 'vendor/old.tgz'), 'old');
  });
  const upgrade = (given: string, fails = 0) =>
    spawnSync(process.execPath, [join(folder, 'node_modules/.bin/contract-first'), 'upgrade', given], {
      cwd: old,
      encoding: 'utf8',
      env: { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, FAILS: `${fails}` },
    });
  const files = () => readdirSync(join(old, 'vendor'));
  const steps = () => readFileSync(log, 'utf8').trim().split('\n');

  test('installs the package, then its tools but those in a range, and lists the rest', () => {
    const { stdout, status } = upgrade(TARBALL);
    expect(files()).toEqual([basename(TARBALL)]);
    const [first, second = '', ...others] = steps();
    expect(first).toMatch(
      /^install .*--save-exact contract-first-server@file:\.\/vendor\/contract-first-server-[\d.]+\.tgz$/,
    );
    expect(second).toMatch(/^install .*--save-dev .*jest@\d.* prettier@3\.\d+\.\d+/);
    expect(second).not.toContain(' eslint@');
    expect(others).toEqual([]);
    expect(stdout).toContain('unless your code imports it: fast-check\n');
    expect(stdout).toContain('npx contract-first generate, once you have done what it says above'); // this one has no document
    expect(status).toBe(1);
  });

  test('leaves the files as they were if the package cannot be installed', () => {
    const before = readFileSync(join(old, 'package.json'), 'utf8');
    const { stderr, status } = upgrade(TARBALL, 1);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^npm could not install .*The service is unchanged\n$/ms),
    ]);
    expect([files(), readFileSync(join(old, 'package.json'), 'utf8')]).toEqual([['old.tgz'], before]);
  });

  test('takes a version of the registry, and refuses what is neither that nor the package', () => {
    upgrade('3.1.0-rc.1');
    expect(steps()[0]).toMatch(/ contract-first-server@3\.1\.0-rc\.1$/);
    rmSync(log);
    for (const given of [
      'vendor',
      './package.json',
      './vendor/old.tgz',
      './missing.tgz',
      '3',
      '^3.0.0',
      '--force=1',
      '; ls',
    ])
      expect([given, upgrade(given).status, existsSync(log)]).toEqual([given, 2, false]);
  });
});

test('a service of 2.0.0 works unchanged, and keeps its contract', async () => {
  symlinkSync(join(folder, 'node_modules'), join(service, 'node_modules'));
  // The published document is that of 2.0.0. Its types are not recorded.
  expect(runIn(service, 'contract-first', 'generate')).toEqual({
    status: 0,
    output: 'written: generated/openapi.d.ts\n',
  });
  const checked = runIn(service, 'contract-first', 'check');
  expect(checked.status === 0 || checked.output).toBe(true);
  // The strictest flags: the declarations of the package are checked too, but not those of other packages.
  const strictest = { skipLibCheck: false, noUnusedLocals: true, noUnusedParameters: true };
  const isOurs = (file: string) => !/\/node_modules\/(?!contract-first-server\/)/.test(file);
  expect(errorsIn(service, strictest, isOurs)).toBe('');
  const { status, output } = runIn(service, 'contract-first', 'contract');
  expect(output).toMatch(/PROVEN (\d+)\/\1, WAIVED 0, UNPROVEN 0, BLOCKED 0/);
  expect(status).toBe(0);
  expect(runIn(service, 'contract-first', 'migrate')).toEqual({
    status: 0,
    output: expect.stringMatching(/migrations applied: \d\n$/) as string,
  });
  expect(runIn(service, 'contract-first', 'seed')).toEqual({
    status: 2,
    output: 'src/seed.ts does not exist: a new service of this version has one\n',
  });
  expect(runIn(service, 'contract-first', 'todo').output).toBe('nothing remains to be done\n');

  const env = { PORT: '0', API_KEYS: 'key', API_USERS: 'ada:secret', DATABASE_URL: 'memory:' };
  const server = startProcess(['--import', 'tsx', 'src/main.ts'], env, service);
  const [address] = await server.printed(/http:\/\/127\.0\.0\.1:\d+/);
  const Authorization = `Basic ${Buffer.from('ada:secret').toString('base64')}`;
  const response = await fetch(`${address}/v1/events`, {
    method: 'POST',
    headers: { Authorization, 'Content-Type': 'application/json' },
    body: '{"name": "Lanterns", "seats": 2, "price": 9007199254740993}',
  });
  expect([response.status, await response.text()]).toEqual([
    201,
    expect.stringContaining('"price":9007199254740993') as string,
  ]);
  expect(await server.stop()).toBe(0);
});
