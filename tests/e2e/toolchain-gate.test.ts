import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { copyToolchain, type Project, resetToolchain } from '../support/project';

jest.setTimeout(120_000);

let project: Project;
beforeAll(() => {
  project = copyToolchain();
  project.write('.prettierignore', 'dist\nopenapi\nscripts\nsrc\n');
});
beforeEach(() => {
  resetToolchain(project);
});
afterAll(() => {
  project.remove();
});

const gate = (...checks: string[]) => project.command('check', '--only', checks.join());

test('runs every check to its end and lists all findings', () => {
  project.write('wrong.ts', "export const one = 'two'\n");
  const { status, output } = gate('format', 'generated');
  expect(status).toBe(1);
  expect(output).toContain('[warn] wrong.ts');
  expect(output).toContain('generated/openapi.json is stale');
  expect(output).toMatch(
    /^failed after [\d.]+ s: (?:generated, )?format \(`npx prettier --write \.` repairs it\)(?:, generated)?$/m,
  );
});

test('skips a check that has passed on the same files, unless AGAIN is set', () => {
  spawnSync('git', ['init', '--quiet'], { cwd: project.folder });
  project.write('.gitignore', 'node_modules\n.cache\ndist\n');
  project.write('wrong.ts', "export const one = 'two';\n");
  expect(gate('format')).toMatchObject({
    status: 0,
    output: expect.stringMatching(/passed after/) as string,
  });
  expect(gate('format').output).toMatch(
    /^format: passed on these files at \S+; --again \(AGAIN=1\) runs it again$/m,
  );
  project.edit('wrong.ts', ';', '');
  expect(gate('format')).toMatchObject({
    status: 1,
    output: expect.stringContaining('[warn] wrong.ts') as string,
  });

  // A file that changes after it has been read.
  const late = `writeFileSync(${JSON.stringify(join(project.folder, 'wrong.ts'))}, 'wrong')`;
  project.write(
    'scripts/late.mjs',
    `import { writeFileSync } from 'node:fs'; process.once('exit', () => ${late});`,
  );
  project.write('.prettierrc.json', '{ "printWidth": 110, "plugins": ["./scripts/late.mjs"] }\n');
  project.write('wrong.ts', 'export const one = 1;\n');
  expect(gate('format')).toMatchObject({ status: 0 });
  expect(gate('format')).toMatchObject({ status: 1 });
});

test('refuses the name of no check', () => {
  expect(gate('format', 'lint', 'toString')).toEqual({
    status: 2,
    output: expect.stringMatching(/^there is no check "lint"\n$/) as string,
  });
});

test.each([
  ['src/extensions.ts', 'export const extensions = (', /^src\/extensions\.ts:\d+:\d+: .*\n$/],
  ['src/extensions.ts', 'undefined.x', /^src\/extensions\.ts: Cannot read .*\n$/],
])('an error in %s, %j, names the file', (file, text, sentence) => {
  const before = project.read(file);
  project.write(file, text);
  const ended = project.command('generate');
  project.write(file, before);
  expect(ended).toEqual({ status: 1, output: expect.stringMatching(sentence) as string });
});

test('a program of the service ends with its own status, tells what it did as JSON, and shows a stack on request', () => {
  const verb = (name: string, ...args: string[]) => project.command(name, ...args);
  project.write('src/seed.ts', "throw new TypeError('the pots are missing');\n");
  const { status, output } = verb('seed');
  const where = '--debug prints where this is\n';
  expect({ status, output }).toEqual({ status: 1, output: `TypeError: the pots are missing\n${where}` });
  expect(verb('seed', '--debug').output).toMatch(/^\s+at .*seed\.ts:1/m);
  project.write('src/seed.ts', "import 'pots';\n");
  expect(verb('seed').output).toBe(`Error: Cannot find module 'pots'\n${where}`);
  project.write('src/main.ts', "console.log('migration  name\\n        7  pots');\nprocess.exitCode = 3;\n");
  const migrated = verb('migrate', '--json');
  expect(migrated.status).toBe(3);
  expect(migrated.output).toMatch(
    /^\{\s+"applied": \[\s+\{\s+"migration": 7,\s+"name": "pots"\s+\}\s+\]\s+\}\nmigration/,
  );
  rmSync(join(project.folder, 'src/seed.ts'));
  expect(verb('seed')).toMatchObject({
    status: 2,
    output: expect.stringMatching(/^expected the program src\/seed\.ts/) as string,
  });
});

const run = (program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  spawnSync(program, args, {
    cwd: project.folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...env },
  });

test.each([
  ['12.22.0', 2],
  ['20.20.2', 2],
  ['22.9.0', 2],
  ['22.13.1', 2],
  ['22.14.0', 0],
  ['24.0.0', 0],
  ['26.10.0', 0],
])('Node %s ends the npm scripts with status %i, and with a message if it is too old', (version, status) => {
  const pretend = `data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'${version}'}})`;
  const ended = run(process.execPath, ['--import', pretend, 'scripts/node-version.cjs']);
  const sentence = `expected Node 22.14 or later, got ${version}: install one, https://nodejs.org\n`;
  expect(ended).toMatchObject({ status, stderr: status === 0 ? '' : sentence });
});

test('make installs the Node of .nvmrc once, if the installed one is too old', () => {
  for (const file of ['Makefile', '.nvmrc', 'package-lock.json'])
    cpSync(join(__dirname, '../..', file), join(project.folder, file));
  const plan = (env?: Readonly<Record<string, string>>) => run('make', ['--dry-run', 'run'], env).stdout;
  expect(plan()).not.toContain('.node');
  mkdirSync(join(project.folder, 'old'));
  project.write('old/node', '#!/bin/sh\n[ "$1" = --version ] && echo v20.20.2\nexit 1\n');
  chmodSync(join(project.folder, 'old/node'), 0o755);
  const old = { PATH: `${project.folder}/old:${process.env['PATH'] ?? ''}` };
  expect(plan(old)).toMatch(
    /^echo "Node v20\.20\.2 is too old .*\n[^]*npm install --prefix \.node [^]*dist\/main\.js/,
  );
  mkdirSync(join(project.folder, '.node/node_modules/.bin'), { recursive: true });
  project.write('.node/node_modules/.bin/node', '');
  expect(plan(old)).not.toContain('npm install');
});
