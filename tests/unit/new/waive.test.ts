import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { proofOf } from '../../../scripts/new/proof';
import { runIn } from '../../support/package';

const ROOT = resolve(__dirname, '../../..');

const obligation = (state: string, failed = 0) => ({ key: 'getBook | response | 404 | *', state, failed });
const proven = obligation('PROVEN');

it('counts an added waiver once', () => {
  const report = { obligations: [proven, obligation('UNPROVEN')], failures: [] };
  expect(proofOf(report)).toEqual({
    green: true,
    summary:
      'contract tests: PROVEN 1/2, WAIVED 1, UNPROVEN 0, BLOCKED 0; 1 waiver is added to tests/contract/service.ts for what no request can show',
  });
});

it('counts what stubs answer apart, and first', () => {
  const report = { obligations: [proven, obligation('STUB'), obligation('STUB')], failures: [] };
  expect(proofOf(report)).toEqual({
    green: true,
    summary: 'contract tests: STUB 2, PROVEN 1/3, WAIVED 0, UNPROVEN 0, BLOCKED 0',
  });
});

it('says which stubs no request can be made for', () => {
  const leftOut = [
    { operation: 'addPet', family: 'generated', reason: 'the handler is a stub' },
    { operation: 'getPet', family: 'baseline', reason: 'expected a valid value, found none' },
  ];
  const { green, summary } = proofOf({ obligations: [obligation('STUB')], failures: [], leftOut });
  expect(green).toBe(true);
  expect(summary.split('\n').slice(1)).toEqual([
    '  no request can be made for the stub getPet: expected a valid value, found none',
  ]);
});

it.each([
  ['an obligation is left out', { obligations: [proven, obligation('LEFT OUT')], failures: [] }],
  ['a promise is disproved', { obligations: [proven, obligation('UNPROVEN', 1)], failures: [] }],
  ['an operation is blocked', { obligations: [proven, obligation('BLOCKED')], failures: [] }],
  ['a case failed', { obligations: [proven], failures: [{}] }],
  ['the run ended early', { obligations: [obligation('UNPROVEN')], failures: [], stopped: 'Ctrl-C' }],
])('is not green if %s', (_, report) => {
  expect(proofOf(report).green).toBe(false);
});

// In processes of their own, because Prettier is a module that Jest cannot load.
it('leaves the file formatted after it adds a waiver', () => {
  const folder = mkdtempSync(join(tmpdir(), 'contract-first-'));
  writeFileSync(join(folder, '.prettierrc.json'), JSON.stringify({ singleQuote: true, printWidth: 110 }));
  const added: Record<string, object[]> = {};
  for (const old of ['[];', "[\n  { obligation: 'a | b | 404 | *', reason: 'to do' },\n];"])
    for (const size of [0, 40, 90]) {
      const file = join(folder, `${old.length}-${size}.ts`);
      writeFileSync(file, `export const waivers: readonly Waiver[] = ${old}\n`);
      added[file] = [{ key: "addPet | it's", reason: 'x'.repeat(size) }];
    }
  const module = join(ROOT, 'scripts/new/waive');
  const code = `const { addWaivers } = require(${JSON.stringify(module)});
    void Promise.all(Object.entries(${JSON.stringify(added)}).map(([file, all]) => addWaivers(file, all)));`;
  runIn(ROOT, 'tsx', '-e', code);
  for (const file of Object.keys(added)) expect(readFileSync(file, 'utf8')).toContain("it's");
  expect(runIn(ROOT, 'prettier', '--check', '--log-level', 'warn', ...Object.keys(added))).toEqual({
    status: 0,
    output: '',
  });
  rmSync(folder, { recursive: true });
});
