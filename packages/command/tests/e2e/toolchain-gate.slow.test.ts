import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { MAJOR, NEXT, OLDEST, oldNode, pretend, writeOldNode } from '../../../../scripts/testing/old-node';
import { copyToolchain, type Project, resetToolchain } from '../../../../scripts/testing/project';

jest.setTimeout(600_000);

const ROOT = resolve(__dirname, '../../../..');

let project: Project;
beforeAll(() => {
  project = copyToolchain();
  project.makeFolder('scripts');
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
    /^failed after [\d.]+ s: (?:generated, )?format \(run `npx prettier --write \.` to fix it\)(?:, generated)?$/m,
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
    /^format: already passed on these files at \S+; to run it again, use --again \(AGAIN=1\)$/m,
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
  project.edit(
    'package.json',
    '"singleQuote": true',
    '"singleQuote": true,\n    "plugins": [\n      "./scripts/late.mjs"\n    ]',
  );
  project.write('wrong.ts', 'export const one = 1;\n');
  expect(gate('format')).toMatchObject({ status: 0 });
  expect(gate('format')).toMatchObject({ status: 1 });
});

test('refuses the name of no check', () => {
  expect(gate('format', 'lint', 'toString')).toEqual({
    status: 2,
    output: expect.stringMatching(/^unknown check "lint"\n$/) as string,
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
  const where = 'use --debug for the stack\n';
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
    output: expect.stringMatching(/^src\/seed\.ts does not exist/) as string,
  });
});

const run = (program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  spawnSync(program, args, {
    cwd: project.folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...env },
  });

const LAYOUT = 'packages/command/layout';
const [, MINOR = ''] = OLDEST.split('.');

const [NEXT_MAJOR = '', NEXT_MINOR = ''] = NEXT.split('.');

/** Versions, and the oldest that would do for those that are too old; empty for the others. */
const VERSIONS: readonly (readonly [version: string, needed: string])[] = [
  ['12.22.0', OLDEST],
  [`${Number(MAJOR) - 1}.99.0`, OLDEST],
  [`${MAJOR}.${Number(MINOR) - 1}.1`, OLDEST],
  [`${OLDEST}.0`, ''],
  [`${MAJOR}.99.0`, ''],
  [`${Number(NEXT_MAJOR) - 1}.99.0`, NEXT],
  [`${NEXT_MAJOR}.${Number(NEXT_MINOR) - 1}.9`, NEXT],
  [`${NEXT}.0`, ''],
  [`${Number(NEXT_MAJOR) + 1}.0.0`, ''],
];

test.each(VERSIONS)('Node %s runs the npm scripts, or they say that it is too old', (version, needed) => {
  const ended = run(process.execPath, [
    '--import',
    pretend(version),
    join(ROOT, 'packages/server/node-version.cjs'),
  ]);
  const [major = ''] = needed.split('.');
  const sentence = oldNode(version, `npx -y -p node@${major} npm install`, needed);
  expect(ended).toMatchObject(needed === '' ? { status: 0, stderr: '' } : { status: 2, stderr: sentence });
});

test.each(VERSIONS)('make in a new service runs on Node %s, or installs another', (version, needed) => {
  const service = join(project.folder, 'service');
  const old = join(service, 'old');
  writeOldNode(old, version);
  for (const file of ['Makefile', 'package.json', '.nvmrc'])
    cpSync(join(ROOT, LAYOUT, file), join(service, file));
  writeFileSync(join(service, 'package-lock.json'), '{}');
  const { stdout } = spawnSync('make', ['--dry-run', 'install'], {
    cwd: service,
    encoding: 'utf8',
    env: { PATH: `${old}:${process.env['PATH'] ?? ''}` },
  });
  expect(stdout.includes('is too old')).toBe(needed !== '');
});

const scriptsIn = (file: string) =>
  Object.entries(
    (JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as { scripts: Readonly<Record<string, string>> })
      .scripts,
  );

test.each([
  ['this project', 'package.json'],
  ['a new service', `${LAYOUT}/package.json`],
])('every npm script of %s says first that Node is too old', (_, file) => {
  const old = join(project.folder, 'old-node');
  writeOldNode(old, '20.20.2');
  // As npm installs the packages, and as they stand in this project. No tool is installed, so the message comes from the first program.
  const modules = join(project.folder, 'installed/node_modules');
  for (const [from, to] of [
    ['server', join(modules, 'contract-first-server')],
    ['command', join(modules, 'contract-first')],
    ['server', join(project.folder, 'packages/server')],
    ['command', join(project.folder, 'packages/command')],
  ] as const)
    for (const each of ['package.json', 'node-version.cjs', 'bin'])
      if (existsSync(join(ROOT, 'packages', from, each)))
        cpSync(join(ROOT, 'packages', from, each), join(to, each), { recursive: true });
  for (const cli of [
    join(modules, 'contract-first/dist/cli.js'),
    join(project.folder, 'packages/command/src/cli.ts'),
  ]) {
    mkdirSync(dirname(cli), { recursive: true });
    writeFileSync(cli, "throw new Error('it was loaded');");
  }
  for (const from of ['server', 'command'])
    writeFileSync(join(project.folder, 'packages', from, 'tsconfig.build.json'), '{}'); // as in a checkout
  const launcher = join(modules, 'contract-first/bin/contract-first.cjs');
  writeFileSync(join(old, 'contract-first'), `#!/bin/sh\nexec node '${launcher}' "$@"\n`);
  chmodSync(join(old, 'contract-first'), 0o755);

  const scripts = scriptsIn(file);
  expect(scripts.length).toBeGreaterThan(15);
  // npm runs `prestart` before `start`, and nothing more if that fails.
  const beforeOf = (event: string) => scripts.find(([each]) => each === `pre${event}`);
  // All begin with one of two programs, which speaks for each of them as the script of a few shows.
  const first =
    /^(?:node packages\/command\/bin\/)?contract-first(?:\.cjs)? (?:[a-z]|--node(?: |$))|^node (?:packages\/server\/node-version\.cjs(?: |$)|-e "require\('contract-first-server\/node-version'\)\(\)"$)/;
  expect(scripts.filter(([event, script]) => !first.test(beforeOf(event)?.[1] ?? script))).toEqual([]);
  const verbs = scripts.filter(([, script]) => /contract-first(?:\.cjs)? [a-z]/.test(script));
  const others = scripts.filter((one) => !verbs.includes(one));
  for (const [event, script] of [...verbs, ...others]) {
    const before = beforeOf(event);
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', before?.[1] ?? script], {
      cwd: project.folder,
      encoding: 'utf8',
      env: { PATH: old, npm_lifecycle_event: before?.[0] ?? event, npm_config_user_agent: 'npm/11.19.1' },
    });
    const [, verb] = /contract-first(?:\.cjs)? ([a-z].*)$/.exec(script) ?? [];
    const program =
      file === 'package.json' ? 'node packages/command/bin/contract-first.cjs' : 'contract-first';
    const line = verb === undefined ? `npm run ${event.replace(/^pre/, '')}` : `${program} ${verb}`;
    expect({ event, status, stdout, stderr }).toEqual({
      event,
      status: 2,
      stdout: '',
      stderr: oldNode('20.20.2', `npx -y -p node@${MAJOR} ${line}`),
    });
  }
});

test('npm names the project and what to do if Node is too old to install it: a setting and the versions that it prints', () => {
  expect(readFileSync(join(__dirname, '../../../../.npmrc'), 'utf8')).toMatch(/^engine-strict=true$/m);
  expect(readFileSync(join(ROOT, LAYOUT, 'npmrc'), 'utf8')).toBe('engine-strict=true\n');
  // npm checks the dependencies alone if a manifest has `devEngines`.
  for (const file of ['package.json', `${LAYOUT}/package.json`])
    expect(JSON.parse(readFileSync(join(ROOT, file), 'utf8'))).toEqual(
      expect.not.objectContaining({ devEngines: expect.anything() as unknown }),
    );
});

test('make installs the Node of .nvmrc once, if the installed one is too old', () => {
  for (const file of ['Makefile', '.nvmrc', 'package-lock.json'])
    cpSync(join(__dirname, '../../../..', file), join(project.folder, file));
  const plan = (env?: Readonly<Record<string, string>>) => run('make', ['--dry-run', 'run'], env).stdout;
  expect(plan()).not.toContain('.node');
  mkdirSync(join(project.folder, 'old'));
  project.write('old/node', '#!/bin/sh\n[ "$1" = --version ] && echo v20.20.2\nexit 1\n');
  chmodSync(join(project.folder, 'old/node'), 0o755);
  const old = { PATH: `${project.folder}/old:${process.env['PATH'] ?? ''}` };
  expect(plan(old)).toMatch(
    /^echo "Node v20\.20\.2 is too old .*\n[^]*cd \.node && npm install [^]*dist\/main\.js/,
  );
  expect(plan(old)).not.toContain('--prefix');
  // What npm says when it fails is printed, and nothing half-installed stays.
  const npm =
    '[ "$1" = config ] && echo /etc/ours && exit; mkdir node_modules; echo "$PWD: $npm_config_globalconfig" >&2; exit 1';
  project.write('old/npm', `#!/bin/sh\n${npm}\n`);
  chmodSync(join(project.folder, 'old/npm'), 0o755);
  const failed = run('make', ['.node/node_modules/.bin/node'], old);
  // It looks for its global settings where it does without make.
  expect(failed).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/\/\.node: \/etc\/ours$/m) as string,
  });
  expect(existsSync(join(project.folder, '.node'))).toBe(false);
  mkdirSync(join(project.folder, '.node/node_modules/.bin'), { recursive: true });
  project.write('.node/node_modules/.bin/node', '');
  expect(plan(old)).not.toContain('npm install');
});
