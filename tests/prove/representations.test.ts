import { describeFailure } from '../../scripts/prove/report/terminal';
import { run } from '../../scripts/prove/run';
import { media } from './support/media';
import { FAULTS } from './support/media-faults';

const OPTIONS = { generated: 2, shrink: false };

test('streams and files of a correct server are proven', async () => {
  const { failures, obligations, passed } = await run(media(), OPTIONS);
  expect(failures.map(describeFailure)).toEqual([]);
  const open = obligations.filter(({ state }) => state !== 'PROVEN');
  expect(open.map(({ key, state, reason }) => [key, state, reason])).toEqual([
    ['putFile | protocol | body limit', 'OUT OF REACH', expect.stringContaining('the limit is unknown')],
  ]);
  expect(passed).toBe(true);
});

test.each(FAULTS)('found, in $operation: $name', async ({ operation, family, says, change }) => {
  const only = operation === 'putFile' ? ['getFile', 'putFile'] : [operation];
  const { failures } = await run(media(change), { ...OPTIONS, only });
  const found = failures.filter((failure) => failure.family === family);
  expect(found.flatMap(({ problems }) => problems).join('\n')).toMatch(says);
});
