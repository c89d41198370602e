import { describeFailure, headline } from '../engine/report/text';
import { writeReport } from '../engine/report/write';
import { run } from '../engine/run';
import { service } from './service';

test('the server keeps every promise of the document', async () => {
  const result = await run(service());
  writeReport(result, 'reports/contract');
  process.stdout.write(`${headline(result)}\n`);

  const open = result.obligations.filter(({ state }) => state === 'UNPROVEN' || state === 'BLOCKED');
  expect(result.failures.map(describeFailure)).toEqual([]);
  expect(open.map(({ state, key }) => `${state} ${key}`)).toEqual([]);
  expect(result.passed).toBe(true);
}, 30_000);
