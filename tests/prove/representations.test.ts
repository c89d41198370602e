import { describeFailure } from '../../scripts/prove/report/terminal';
import { run } from '../../scripts/prove/run';
import type { Target } from '../../scripts/prove';
import { type Change, media } from './support/media';
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

/** {@link media} whose streams go on after their items, for clients that wait this long: milliseconds. */
const endless = (timeout: number, change: Change = () => undefined): Target => {
  const target = media((sent, request) => {
    change(sent, request);
    if (request.url !== '/file' && sent.status === 200) sent.end = 'never';
  });
  return { ...target, start: async () => ({ ...(await target.start()), timeout }) };
};
const STREAMS = { ...OPTIONS, only: ['getEvents', 'getLines', 'getRecords'] };

test('streams that never end are no failure, and their items are judged', async () => {
  const { failures, passed } = await run(endless(300), STREAMS);
  expect([failures.map(describeFailure), passed]).toEqual([[], true]);
});

test('streams without an item are no failure, and prove nothing of their items', async () => {
  const silent = endless(300, (sent) => (sent.body = Buffer.from('')));
  const { obligations, failures, passed } = await run(silent, { ...STREAMS, only: ['getEvents'] });
  expect([failures.map(describeFailure), passed]).toEqual([[], true]);
  const items = obligations.filter(({ key }) => key.endsWith('streamed items'));
  expect(items.map(({ state }) => state)).toEqual(['OUT OF REACH']);
});

test.each(FAULTS)('found, in $operation: $name', async ({ operation, family, says, change }) => {
  const only = operation === 'putFile' ? ['getFile', 'putFile'] : [operation];
  const { failures } = await run(media(change), { ...OPTIONS, only });
  const found = failures.filter((failure) => failure.family === family);
  expect(found.flatMap(({ problems }) => problems).join('\n')).toMatch(says);
});
