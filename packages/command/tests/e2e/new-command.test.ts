import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { version } from '../../../../package.json';
import { keepFolder } from '../../../../scripts/testing/folder';
import { installBeside, PACKED, TARBALL, unpack } from '../../../../scripts/testing/package';
import { startProcess } from '../../../../scripts/testing/process';
import { fast, sampleOf, slow } from '../../../../scripts/testing/cases';

// `contract-first new` as a program, from the package: its package managers are scripts, and what it starts hangs.

jest.setTimeout(60_000);

const EXAMPLE = join(__dirname, '../../example.yaml');
const folder = keepFolder();
const modules = join(folder, 'node_modules');
const programs = join(folder, 'programs');

beforeAll(() => {
  installBeside(folder);
  unpack(
    join(dirname(TARBALL), `create-contract-first-${version}.tgz`),
    join(modules, 'create-contract-first'),
  );
  mkdirSync(programs);
  symlinkSync(process.execPath, join(programs, 'node'));
});

/** An empty folder but for the document. */
function begin(name: string): string {
  const dir = join(folder, name);
  mkdirSync(dir);
  cpSync(EXAMPLE, join(dir, 'books.yaml'));
  return dir;
}

/** Writes a program of the folder that PATH names. */
function program(name: string, text: string): void {
  writeFileSync(join(programs, name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(programs, name), 0o755);
}

const start = (dir: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  startProcess([join(modules, '.bin/contract-first'), 'new', ...args], { PATH: programs, ...env }, dir);

const expectUntouched = (dir: string) => {
  expect(readdirSync(dir)).toEqual(['books.yaml']);
  expect(readFileSync(join(dir, 'books.yaml'), 'utf8')).toBe(readFileSync(EXAMPLE, 'utf8'));
};

fast(() => {
  test('it loads none of the packages that only a service installs', () => {
    const list = `require(process.argv[1]); console.log(Object.keys(require.cache).join('\\n'))`;
    const args = ['-e', list, join(modules, 'contract-first/dist/new/main.js')];
    const loaded = execFileSync(process.execPath, args, { encoding: 'utf8' });
    expect(loaded).toContain('new/main.js');
    expect(loaded).not.toMatch(/node_modules.(typescript|prettier|eslint|openapi-typescript|jest)\b/);
  });
});

test.each(sampleOf(['SIGINT', 'SIGTERM', 'SIGHUP'] as const, 'SIGHUP'))(
  '%s ends what it has started, and leaves what was there',
  async (signal) => {
    const dir = begin(signal);
    const finish = join(folder, `${signal}-modules/contract-first/dist/new/finish.js`);
    mkdirSync(dirname(finish), { recursive: true });
    // A process that a process has started, and which does not end when it is asked to.
    const stubborn =
      "process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1000); console.log('stubborn')";
    writeFileSync(
      finish,
      `require('fs').mkdirSync('generated'); require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(stubborn)}], { stdio: 'inherit' });`,
    );
    const run = start(dir, [
      'books.yaml',
      '--packages',
      PACKED,
      '--modules',
      join(folder, `${signal}-modules`),
    ]);
    await run.printed(/stubborn/);
    expect(existsSync(join(dir, 'src/main.ts'))).toBe(true);
    // It ends when nobody has its output any more.
    expect(await run.stop(signal)).toBe({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal]);
    expect(run.output()).toContain(`${signal} received: removed the files that were written`);
    expectUntouched(dir);
  },
);

fast(() => {
  test.each([
    [
      'is away',
      'npm/11',
      'npm',
      'echo "npm error errno ENOTFOUND" >&2; exit 1',
      /^npm cannot reach its registry: run the same command/m,
    ],
    [
      'refuses',
      'pnpm/12',
      'pnpm',
      '[ $1 = pack ] && exit 0; echo "ERR_PNPM_FETCH_404" >&2; exit 1',
      /^the registry of pnpm refuses a package/m,
    ],
    [
      'breaks',
      'npm/11',
      'npm',
      'mkdir node_modules; echo "error An unexpected error"; exit 1',
      /^npm could not install the packages\n {2}error An/m,
    ],
  ])(
    'a registry that %s is told by a sentence, and nothing is left',
    async (name, agent, manager, text, sentence) => {
      const dir = begin(name);
      program(manager, text);
      const run = start(dir, ['books.yaml', '--packages', PACKED], {
        npm_config_user_agent: `${agent} node/v24`,
      });
      expect([await run.exit, run.output()]).toEqual([1, expect.stringMatching(sentence)]);
      expectUntouched(dir);
    },
  );
});

fast(() => {
  test('a package manager that is not there is told by a sentence', async () => {
    const dir = begin('none');
    const run = startProcess(
      [join(modules, '.bin/contract-first'), 'new', 'books.yaml', '--packages', PACKED],
      { PATH: join(folder, 'nothing') },
      dir,
    );
    expect([await run.exit, run.output()]).toEqual([
      1,
      expect.stringContaining('cannot install the packages: npm is not on PATH'),
    ]);
    expectUntouched(dir);
  });
});

slow(() => {
  // npm itself, with its own waits; above a script stands for it.
  test('npm with an empty cache asks the registry, and soon says that it is away', async () => {
    const dir = begin('empty cache');
    const run = start(dir, ['books.yaml', '--packages', PACKED], {
      PATH: process.env['PATH'] ?? '',
      npm_config_user_agent: 'npm/11',
      npm_config_cache: join(folder, 'cache'),
      npm_config_registry: 'http://127.0.0.1:9', // nothing listens there
    });
    expect([await run.exit, run.output()]).toEqual([
      1,
      expect.stringMatching(/^npm cannot reach its registry[^]*ECONNREFUSED/m),
    ]);
    expectUntouched(dir);
  }, 120_000);

  test('npm create contract-first is the same command', () => {
    const dir = begin('create');
    const command = [join(modules, 'create-contract-first/create.js'), 'books.yaml', '--dir', 'a folder'];
    const said = execFileSync(process.execPath, [...command, '--packages', PACKED, '--modules', modules], {
      cwd: dir,
      encoding: 'utf8',
    });
    expect(said).toMatch(
      /PROVEN (\d+)\/\1, WAIVED 0[^]*\nBookshelf is ready in a folder after [^]* cd 'a folder'\n/,
    );
  });
});
