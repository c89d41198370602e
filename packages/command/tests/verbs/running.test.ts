import { showRunning } from '../../src/gate/running';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const CLEAR = '\r\u001b[K';

test.each<[name: string, isTTY: boolean, shared: boolean, seconds: number, written: string[]]>([
  ['nothing within two seconds', true, false, 1.9, []],
  ['a line that changes on a terminal', true, false, 4, [2, 3, 4].map((s) => `${CLEAR}running code: ${s} s`)],
  ['a line from time to time in a log', false, false, 22, [2, 12, 22].map((s) => `running code: ${s} s\n`)],
  ['one line beside what the check prints', true, true, 22, ['running code: 2 s\n']],
])('shows %s', (_, isTTY, shared, seconds, written) => {
  const texts: string[] = [];
  const running = showRunning(new Set(['code']), shared, { isTTY, write: (text) => texts.push(text) });
  jest.advanceTimersByTime(seconds * 1000);
  expect(texts).toEqual(written);
  texts.length = 0;
  running.end();
  jest.advanceTimersByTime(60_000);
  expect(texts).toEqual(isTTY && !shared ? [CLEAR] : []);
});

test('is never wider than the terminal, and clears its line for another', () => {
  const texts: string[] = [];
  const output = { isTTY: true, columns: 12, write: (text: string) => texts.push(text) };
  const running = showRunning(new Set(['code', 'format', 'generated']), false, output);
  jest.advanceTimersByTime(2000);
  running.clear();
  running.end();
  expect(texts).toEqual([`${CLEAR}running cod`, CLEAR, CLEAR]);
});
