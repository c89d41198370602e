import { itemsOf } from '../../src/check/items';
import type { Sequence } from '../../src/document/media';
import { print } from '../../src/json/value';

/** A text, its items as JSON, and what is wrong with it beside them. */
type Row = readonly [text: string, items: string, fault?: RegExp];

const EVENTS: readonly Row[] = [
  ['data: a\n\n', '{"data":"a"}'],
  ['data:a\r\rdata:  b\r\n\r\n', '{"data":"a"} {"data":" b"}'],
  ['\ufeffdata\n\n', '{"data":""}'],
  ['\ufeff\ufeffdata\n\ndata:x\n\n', '{"data":"x"}', /a line that clients ignore/],
  ['data: a\ndata:\ndata: c\n\n', '{"data":"a\\n\\nc"}'],
  ['event: a\nid: b\nretry: 007\ndata: c:d\n\n', '{"event":"a","id":"b","retry":7,"data":"c:d"}'],
  ['event: a\nevent: b\ndata: c\n\n', '{"event":"b","data":"c"}'],
  [': only\n:comments\n\n\n\n', ''],
  ['id: 1\n\nretry: 2\n\n', ''],
  ['event: a\n\ndata: b\n\n', '{"data":"b"}', /without data/],
  ['data: a\nb\n\n', '{"data":"a"}', /"b", a line that clients ignore/],
  ['Data: a\n\n', '', /"Data: a", a line that clients ignore/],
  ['retry: 1.5\ndata: a\n\n', '{"data":"a"}', /retry: 1.5/],
  ['id: \0\ndata: a\n\n', '{"data":"a"}', /a line that clients ignore/],
  ['data: a\n\ndata: b\n', '{"data":"a"}', /without the empty line after it/],
  ['data: a\n\ndata: b', '{"data":"a"}', /without the empty line after it/],
];
const LINES: readonly Row[] = [
  ['', ''],
  ['1\n"a"\n', '1 "a"'],
  ['1\r\n2', '1 2'],
  ['\n1\n\n\r\n2\n', '1 2'],
  ['1\n{\n', '1 ?'],
  ['\ufeff1\n', '?'],
  ['{"a":1}{"b":1}\n', '?'],
];
const RECORDS: readonly Row[] = [
  ['', ''],
  ['\x1e1\n\x1e{"a":\n2}\n', '1 {"a":2}'],
  ['\x1e\x1e1\n', '1'],
  ['\x1e1\n\x1e2', '1 2', /without a line feed/],
  ['1\n\x1e2\n', '2', /before the first record separator/],
  ['\x1e1 2\n', '?'],
];

/** The items as JSON, `?` for what is not. */
const printed = (sequence: Sequence, text: string, isComplete: boolean): string =>
  itemsOf(sequence, text, isComplete)
    .items.map(({ value }) => (value === undefined ? '?' : print(value)))
    .join(' ');

describe.each([
  ['events', EVENTS],
  ['lines', LINES],
  ['records', RECORDS],
] as const)('%s', (sequence, rows) => {
  const cases = rows.map(([text, items, fault = /^$/]) => ({ text, items, fault }));

  test.each(cases)('$text has the items $items', ({ text, items, fault }) => {
    expect(printed(sequence, text, true)).toBe(items);
    expect(itemsOf(sequence, text, true).faults.join()).toMatch(fault);
  });

  test.each(cases)('the starts of $text have the first of them, each whole', ({ text }) => {
    const all = printed(sequence, text, true);
    for (let end = 0; end < text.length; end++)
      expect(all.startsWith(printed(sequence, text.slice(0, end), false))).toBe(true);
  });
});
