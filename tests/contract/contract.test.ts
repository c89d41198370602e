import { described, headline, text, write } from './engine/report';
import { run } from './engine/run';
import { plantStore } from './plant-store';

test('the server keeps every promise of the document', async () => {
  const result = await run(plantStore());
  write(result, 'reports/contract');
  console.log(text(result));

  expect(result.failures.map(described)).toEqual([]);
  expect(result.obligations.filter(({ state }) => state === 'UNPROVEN' || state === 'BLOCKED')).toEqual([]);
  expect({ passed: result.passed, headline: headline(result) }).toMatchObject({ passed: true });
}, 30_000);
