import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { keepFolder } from '../../../../scripts/testing/folder';
import { ALL_EXTRAS, installBeside, layOut } from '../../../../scripts/testing/package';
import { freePort } from '../../../../scripts/testing/postgres';

// The CI of a service that `make new` lays out. Its scripts run with stand-ins of docker and make, which are not on each machine.

jest.setTimeout(600_000);

const folder = keepFolder();
const service = join(folder, 'night-museum');
const bin = join(folder, 'bin');
const calls = join(folder, 'calls');

interface Job {
  readonly services?: Readonly<Record<string, { readonly image: string }>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}
interface Workflow {
  readonly concurrency: { readonly group: string };
  readonly env: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const read = (file: string): string => readFileSync(join(service, file), 'utf8');

/** A program that notes its arguments, and then does this. */
function standIn(name: string, script: string): void {
  writeFileSync(
    join(bin, name),
    `#!/usr/bin/env bash\necho "${name} $* \${DATABASE_URL:-}" >>'${calls}'\n${script}\n`,
  );
  chmodSync(join(bin, name), 0o755);
}

function runScript(script: string, env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  writeFileSync(calls, '');
  const { status, stdout, stderr } = spawnSync(join(service, script), args, {
    encoding: 'utf8',
    env: {
      ...process.env,
      PATH: `${bin}:${join(process.execPath, '..')}:${process.env['PATH'] ?? ''}`,
      ...env,
    },
  });
  return { status, output: stdout + stderr, calls: readFileSync(calls, 'utf8') };
}

beforeAll(() => {
  installBeside(folder);
  mkdirSync(bin);
  layOut(service, 'packages/command/tests/e2e/new-service/night-museum.yaml', folder, ALL_EXTRAS);
});

test('tests on PostgreSQL, once; applies migrations to old data; starts the image; audits; ends what a newer push replaces', () => {
  const { jobs, env, concurrency } = parse(read('.github/workflows/ci.yml')) as Workflow;
  expect(concurrency.group).toContain('github.ref');
  const runs = Object.fromEntries(
    Object.entries(jobs).map(([name, { steps }]) => [name, steps.flatMap(({ run }) => run ?? [])]),
  );
  expect(runs).toEqual({
    test: ['.ci/run'],
    breaking: ['make breaking BASE="origin/$GITHUB_BASE_REF"'],
    migrations: ['.ci/migrations "origin/$GITHUB_BASE_REF"'],
    image: ['.ci/image'],
    audit: ['npm audit --omit=dev --audit-level=high'],
  });
  for (const name of ['test', 'migrations', 'image'])
    expect(jobs[name]?.services?.['postgres']?.image).toMatch(/^postgres:\d+$/);
  expect(new URL(env['TEST_DATABASE_URL'] ?? '').pathname).toBe('/test');
  expect(jobs['image']?.env).toEqual({ ALLOW_STUBS: '1' });
  const used = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
  expect(used.filter((uses) => !/@[\da-f]{40}$/.test(uses))).toEqual([]);
  const { updates } = parse(read('.github/dependabot.yml')) as { updates: { 'package-ecosystem': string }[] };
  expect(updates.map((update) => update['package-ecosystem'])).toEqual([
    'npm',
    'docker-compose',
    'github-actions',
  ]);
});

test('.ci/run runs the checks and all tests, among them the contract tests, and says what the outcome is', () => {
  standIn('make', '');
  expect(runScript('.ci/run', {})).toEqual({
    status: 0,
    output: 'all passed\n',
    calls: 'make check \nmake test \n',
  });
  standIn('make', '[ "$1" != check ]');
  expect(runScript('.ci/run', {})).toMatchObject({ status: 1, calls: 'make check \nmake test \n' });
});

test.each([
  ['running healthy', {}, 0, 'the image is ready'],
  ['exited starting', {}, 1, 'the handler of getEvent is still a stub'],
  ['running healthy', { ALLOW_STUBS: '1' }, 0, 'the image is ready'],
])('.ci/image starts the image, which is %s', (state, env, status, says) => {
  standIn('make', '');
  standIn(
    'docker',
    `case $1 in run) echo container ;; inspect) echo '${state}' ;; logs) echo 'the handler of getEvent is still a stub' ;; esac`,
  );
  const url = 'postgres://postgres:postgres@127.0.0.1:5432/test';
  const ended = runScript('.ci/image', { ...env, TEST_DATABASE_URL: url });
  expect(ended.output).toContain(says);
  expect(ended.status).toBe(status);
  const started = /^docker run .*$/m.exec(ended.calls)?.[0] ?? '';
  expect(started).toContain(`--env DATABASE_URL=${url}`);
  expect(started).toMatch(/--env API_KEYS=user:[\da-f]{48} --env API_USERS=user:[\da-f]{48} night-museum/);
  expect(started.includes('NODE_ENV=development')).toBe('ALLOW_STUBS' in env);
  expect(ended.calls).toMatch(/^make image $/m);
  expect(ended.calls).toMatch(/^docker rm --force container $/m);
});

test('.ci/migrations starts the server on a database of the base', async () => {
  // The base makes its database with its own packages.
  standIn(
    'make',
    `case "$*" in
      *seed) cd "$2" && ln -s '${join(folder, 'node_modules')}' node_modules && '${process.execPath}' node_modules/.bin/contract-first migrate ;;
      *build) cd '${service}' && '${process.execPath}' node_modules/.bin/contract-first migrate && '${process.execPath}' node_modules/.bin/tsc -p src ;;
    esac`,
  );
  symlinkSync(join(folder, 'node_modules'), join(bin, 'node_modules'));
  const port = await freePort();
  const { status, output, calls } = runScript(
    '.ci/migrations',
    { OPS_PORT: String(port), TEST_DATABASE_URL: '' },
    'HEAD',
  );
  expect(output).toContain('the server is ready on the database of HEAD: sqlite');
  expect(status).toBe(0);
  expect(calls).toMatch(/^make -C \S+ migrate seed sqlite:\S+\nmake migrate build sqlite:\S+\n$/);
  expect(
    execFileSync('git', ['worktree', 'list'], { cwd: service, encoding: 'utf8' }).trim().split('\n'),
  ).toHaveLength(1);
});
