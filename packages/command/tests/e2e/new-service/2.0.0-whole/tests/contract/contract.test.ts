import { describeFailure, run, writeReport } from 'contract-first-server/testing';
import { service } from './service';

test('the server keeps every promise of the document', async () => {
  const result = await run(service());
  writeReport(result, 'reports/contract');
  expect(result.failures.map(describeFailure)).toEqual([]);
  const open = result.obligations.filter(({ state }) => state === 'UNPROVEN' || state === 'BLOCKED');
  expect(open.map(({ state, key, reason }) => `${state} ${key}: ${reason}`)).toEqual([]);
  expect(result.passed).toBe(true);
}, 600_000);
