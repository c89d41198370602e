import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, delimiter, join, resolve } from 'node:path';
import { version } from '../../../../package.json';
import { errorsIn } from '../../../../scripts/testing/compile';
import { keepFolder } from '../../../../scripts/testing/folder';
import { installBeside, NAMES, runIn, TARBALL } from '../../../../scripts/testing/package';
import { startProcess } from '../../../../scripts/testing/process';

// new-service/2.0.0 is what `make new` of the tagged version 2.0.0 has laid out, with what its team then wrote: handlers, two
// scenarios, a variable and a hook. 2.0.0-whole is all that `contract-first new` of a later commit of that version has written
// for a document with a store, users and a webhook. Both are upgraded by the packed packages, as `npx -p` runs them.

jest.setTimeout(600_000);

const GIVEN = resolve(__dirname, 'new-service');
/** What no package exports any more, but in the name of a file that npm notes. */
const OLD = /contract-first-server\/(?:database|kysely|operational|testing|schemas|docs)\b/;

const folder = keepFolder();
/** Not in a folder above the services: it is not the command that they have installed. */
const command = join(folder, 'command');
beforeAll(() => {
  mkdirSync(command);
  installBeside(command);
});

/** Runs the upgrade of 3.0.0 in a service. */
function upgrade(service: string, env: NodeJS.ProcessEnv = {}) {
  const program = join(command, 'node_modules/.bin/contract-first');
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'upgrade'], {
    cwd: service,
    encoding: 'utf8',
    env: { ...process.env, npm_config_prefer_offline: 'true', ...env },
  });
  return { status, output: stdout + stderr };
}

const git = (service: string, ...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
    cwd: service,
    encoding: 'utf8',
  });
function commit(service: string): void {
  git(service, 'add', '--all');
  git(service, 'commit', '--quiet', '--message', 'all');
}

/** The files that a person writes and that name what is gone. */
const namingOld = (service: string) =>
  git(service, 'ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate')
    .split('\n')
    .filter((name) => /\.(ts|mjs|json|yaml|md)$/.test(name))
    .filter((name) => OLD.test(readFileSync(join(service, name), 'utf8')));

describe('a service that 2.0.0 has laid out whole', () => {
  const service = join(folder, 'tea-room');
  const vendor = () => readdirSync(join(service, 'vendor')).toSorted();
  beforeAll(() => {
    cpSync(join(GIVEN, '2.0.0-whole'), service, { recursive: true });
    mkdirSync(join(service, 'vendor'));
    // No package is installed from it: package.json names another one by then.
    writeFileSync(join(service, 'vendor/contract-first-server-2.0.0.tgz'), '');
    git(service, 'init', '--quiet');
    commit(service);
  });

  test('is as it was if a package cannot be installed', () => {
    const { status, output } = upgrade(service, {
      npm_config_registry: 'http://127.0.0.1:1',
      npm_config_cache: join(folder, 'empty'),
      npm_config_fetch_retries: '0',
    });
    expect([status, output]).toEqual([
      1,
      expect.stringMatching(/npm could not install .*The service is unchanged\n$/),
    ]);
    expect([git(service, 'status', '--porcelain'), vendor()]).toEqual([
      '',
      ['contract-first-server-2.0.0.tgz'],
    ]);
  });

  test('is brought over: nothing is left but to review and test', () => {
    const { status, output } = upgrade(service);
    expect([status, output]).toEqual([
      0,
      expect.stringMatching(/-> 3\.0\.0: rewrote 9 imports in 8 files\. What remains to be done:\n/),
    ]);
    expect(vendor()).toEqual(NAMES.map((name) => `${name}-${version}.tgz`).toSorted());
    expect(namingOld(service)).toEqual([]);
    const listed = execFileSync('npm', ['ls', '--omit=dev', '--json'], { cwd: service, encoding: 'utf8' });
    const { dependencies } = JSON.parse(listed) as { dependencies: object };
    expect(Object.keys(dependencies).toSorted()).toEqual([
      'contract-first-database',
      'contract-first-server',
    ]);
  });

  test('is green', () => {
    const checked = runIn(service, 'contract-first', 'check');
    expect(checked.status === 0 || checked.output).toBe(true);
    const tested = runIn(service, 'contract-first', 'test');
    expect(tested.status === 0 || tested.output).toBe(true);
    const { status, output } = runIn(service, 'contract-first', 'contract');
    expect(output).toMatch(/PROVEN (\d+)\/\1, WAIVED 0, UNPROVEN 0, BLOCKED 0/);
    expect(status).toBe(0);
  });

  test('does not change when it is upgraded again, by the file of the package', () => {
    commit(service);
    // npx keeps what it has installed from the path of a file.
    cpSync(TARBALL, join(folder, basename(TARBALL)));
    const { status, output } = runIn(service, 'contract-first', 'upgrade', `../${basename(TARBALL)}`);
    expect([status, output]).toEqual([0, expect.stringContaining('contract-first 3.0.0 -> 3.0.0. What')]);
    expect(git(service, 'status', '--porcelain')).toBe('');
  });
});

describe('a service of the first 2.0.0', () => {
  const service = join(folder, 'night-museum');
  const DOCUMENT = 'openapi/night-museum.yaml';
  beforeAll(() => {
    cpSync(join(GIVEN, '2.0.0'), service, { recursive: true });
    cpSync(join(GIVEN, 'src'), join(service, 'src'), { recursive: true });
    cpSync(join(GIVEN, 'night-museum.yaml'), join(service, DOCUMENT));
    mkdirSync(join(service, 'vendor'));
    writeFileSync(join(service, 'vendor/contract-first-server-2.0.0.tgz'), '');
    // In the place of what npm installs.
    installBeside(folder);
    symlinkSync(join(folder, 'node_modules'), join(service, 'node_modules'));
    const npm = `#!/bin/sh\n[ "$1" = install ] || PATH="\${PATH#*:}" exec npm "$@"\n`;
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/npm'), npm, { mode: 0o755 });
    git(service, 'init', '--quiet');
  });

  test('is brought over, and what its team has to decide is listed', () => {
    const path = `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`;
    const { status, output } = upgrade(service, { PATH: path });
    expect(status).toBe(1);
    expect(output).toContain('rewrote 8 imports in 8 files');
    expect(output.match(/^ {2}- .*/gm)).toEqual([
      expect.stringContaining(
        'unless your code imports it: @cfworker/json-schema, @types/passport, fast-check, openapi-format',
      ),
      expect.stringMatching(
        /src\/app\.ts:5: this server starts only if each operation documents its rejections/,
      ),
      '  - npx contract-first check, npx contract-first test, then commit',
    ]);
    expect(namingOld(service)).toEqual([]);
    const checked = runIn(service, 'contract-first', 'check');
    expect(checked.status === 0 || checked.output).toBe(true);
    // The strictest flags: the declarations of the packages are checked too, but not those of others.
    const strictest = { skipLibCheck: false, noUnusedLocals: true, noUnusedParameters: true };
    const isOurs = (file: string) => !/\/node_modules\/(?!contract-first)/.test(file);
    expect(errorsIn(service, strictest, isOurs)).toBe('');
  });

  test('keeps its contract once its refusals are documented', () => {
    const { status, output } = runIn(service, 'contract-first', 'contract');
    expect(status).toBe(2);
    const [, actions = ''] = /generate`:\n\n(.*)/s.exec(output) ?? [];
    appendFileSync(join(service, 'openapi/overlay.yaml'), actions);
    expect(runIn(service, 'contract-first', 'generate').status).toBe(0);
    const again = runIn(service, 'contract-first', 'contract');
    expect(again.output).toMatch(/PROVEN (\d+)\/\1, WAIVED 0, UNPROVEN 0, BLOCKED 0/);
    expect(again.status).toBe(0);
    expect(runIn(service, 'contract-first', 'todo').output).toBe(
      'no stub, column or scenario is missing; npx contract-first contract says what is not proven\n',
    );
  });

  test('serves', async () => {
    expect(runIn(service, 'contract-first', 'migrate')).toEqual({
      status: 0,
      output: expect.stringMatching(/migrations applied: \d\n$/) as string,
    });
    expect(runIn(service, 'contract-first', 'seed')).toEqual({
      status: 2,
      output: 'src/seed.ts does not exist: a new service of this version has one\n',
    });
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
});
