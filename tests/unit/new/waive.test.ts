import { proofOf } from '../../../scripts/new/waive';

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

it.each([
  ['a promise is disproved', { obligations: [proven, obligation('UNPROVEN', 1)], failures: [] }],
  ['an operation is blocked', { obligations: [proven, obligation('BLOCKED')], failures: [] }],
  ['a case failed', { obligations: [proven], failures: [{}] }],
  ['the run ended early', { obligations: [obligation('UNPROVEN')], failures: [], stopped: 'Ctrl-C' }],
])('is not green if %s', (_, report) => {
  expect(proofOf(report).green).toBe(false);
});
