import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { findingsIn, findingsOf, firstRules } from '../../src/new/findings';
import { newService } from '../../src/new/main';
import { RED } from '../../src/new/write/programs';
import { Steps } from '../../src/new/write/steps';
import { PACKAGES, vendored } from '../../src/new/write/install';
import { useFolder } from '../../../../scripts/testing/folder';

const folder = useFolder();
const EXAMPLE = join(__dirname, '../../example.yaml');

/**
 * Creates a service.
 *
 * @param finish the code of finish.js
 * @param files beside it: in the folder `service` of the service, or in `modules`, its node_modules
 */
async function create(finish: string, files: Readonly<Record<string, string>> = {}) {
  folder.write({
    'modules/contract-first/dist/new/finish.js': finish,
    ...Object.fromEntries(PACKAGES.map((name) => [vendored(name), ''])),
    ...files,
  });
  const said = jest.spyOn(console, 'log').mockImplementation(() => undefined);
  const dir = folder.path('service');
  const resources = { packages: folder.path('vendor'), modules: folder.path('modules') };
  const given = { document: EXAMPLE, dir, name: 'books', extras: new Set<never>(), allowOutside: false };
  try {
    const status = await newService({ ...given, ...resources }, new Steps({ write: () => undefined }));
    return { status, output: said.mock.calls.flat().join('\n'), at: (file: string) => join(dir, file) };
  } finally {
    said.mockRestore();
  }
}

it.each([
  ['passes', 0, 0, true],
  ['fails', RED, 1, false],
])(
  'a service whose check or test %s: finish.js ends with %j, new with %j, committed: %j',
  async (_, ended, status, isCommitted) => {
    const created = await create(`process.exitCode = ${ended};`);
    expect(created.status).toBe(status);
    expect(created.output).toMatch(
      isCommitted
        ? /is ready in .*\n[^]* test {3}# it passes/
        : /not committed[^]* created, with a failing check or test,[^]* check {2}# see above/,
    );
    expect(existsSync(created.at('.git'))).toBe(isCommitted);
    expect(existsSync(created.at('src/main.ts'))).toBe(true);
  },
);

test.each(['.package-lock.json', '.modules.yaml'])(
  'make does not install again what finish.js makes older than package.json: node_modules/%s',
  async (name) => {
    const edit = "fs.appendFileSync('package.json', '\\n')";
    const age = `fs.utimesSync('node_modules/${name}', 1, 1)`;
    const { at } = await create(`const fs = require('node:fs'); ${edit}; ${age};`, {
      [`modules/${name}`]: '',
    });
    const changed = (file: string) => statSync(at(file)).mtimeMs;
    expect(changed(`node_modules/${name}`)).toBeGreaterThanOrEqual(changed('package.json'));
  },
);

test('what is in the folder already stays as it is: the service does not format it', async () => {
  const beside = ['LICENSE', 'LICENSE.md', 'license.markdown', 'README.md', '.idea/x.json'];
  const { at } = await create('', Object.fromEntries(beside.map((name) => [`service/${name}`, ''])));
  // finish.js formats everything that is not ignored here.
  const ignored = readFileSync(at('.prettierignore'), 'utf8').split('\n');
  expect(beside.filter((name) => !ignored.includes(`/${name.split('/')[0]}`))).toEqual([]);
});

const lintOf = (file: string, lines: readonly string[]) =>
  `\n${process.cwd()}/${file}\n${lines.map((line) => `  ${line}\n`).join('')}`;
const failed = (name: string, output: string) => ({ name, passed: false, output });

test('names the tests that fail, each with its suite and the first line that Jest says', () => {
  const suite = (result: string, name: string, ...tests: readonly string[]) =>
    `${result} ${name}\n${tests.map((said) => `  ● a test\n\n    ${said}\n\n      1 | code\n`).join('\n')}`;
  const output = [
    suite('PASS', 'tests/environment.test.ts'),
    suite('FAIL', 'tests/a.test.ts (5.1 s)', 'InvalidValue: id must be a string', 'expected 200, got 500'),
    suite('FAIL', 'tests/b.test.ts', 'Cannot find module'),
    'Tests: 3 failed, 2 passed, 5 total\n',
  ].join('\n');
  const findings = findingsOf({ passed: false, checks: [failed('test', output)] });
  expect(findings.map(({ rule, place, message }) => [rule, place, message])).toEqual([
    ['test', 'tests/a.test.ts', 'InvalidValue: id must be a string'],
    ['test', 'tests/a.test.ts', 'expected 200, got 500'],
    ['test', 'tests/b.test.ts', 'Cannot find module'],
  ]);
});

test('names the three rules to look at first, the most frequent first, each with a place and the next step', () => {
  const unused = '@typescript-eslint/no-unused-vars';
  const checks = [
    failed(
      'code',
      `src/storage/a.ts(3,7): error TS2322: Type 'a' is not\n  assignable\n${lintOf('src/errors.ts', [`50:4  error  '_' is defined but never used     ${unused}`, `51:4  error  'b' is assigned a value  but never used  ${unused}`])}\n✖ 2 problems (2 errors, 0 warnings)\n`,
    ),
    failed('format', '[warn] src/app.ts\n[warn] Code style issues found in the above file.\n'),
    failed('generated', 'generated/openapi.d.ts is out of date\n'),
    { name: 'test', passed: true },
  ];
  const causes = [{ cases: 5, operations: ['getA'], rules: ['response'], cause: 'x'.repeat(300) }];
  const obligations = [
    { key: 'a', state: 'BLOCKED', failed: 0, reason: 'b' },
    { key: 'c', state: 'PROVEN', failed: 0 },
  ];
  const report = { headline: '', causes, obligations, failures: [], leftOut: [] };
  const findings = [...findingsOf({ passed: false, checks }), ...findingsIn(report)];
  expect(findings.map(({ rule, place, next }) => [rule, place, next])).toEqual([
    ['TS2322', 'src/storage/a.ts:3', 'npx contract-first check'],
    [unused, 'src/errors.ts:50', 'npx contract-first check'],
    [unused, 'src/errors.ts:51', 'npx contract-first check'],
    ['prettier', 'src/app.ts', 'npx prettier --write .'],
    ['generated', 'package.json', 'npx contract-first check'],
    ['response', 'reports/contract/index.html', 'npx contract-first contract'],
    ['BLOCKED rules', 'reports/contract/index.html', 'npx contract-first contract'],
  ]);
  expect(firstRules(findings)).toBe(`look at these rules first:
  1. response (5 times), at reports/contract/index.html: getA: ${'x'.repeat(194)}...
     next: npx contract-first contract
  2. ${unused} (2 times), at src/errors.ts:50: '_' is defined but never used
     next: npx contract-first check
  3. TS2322 (once), at src/storage/a.ts:3: Type 'a' is not
     next: npx contract-first check
  and 3 more rules`);
});
