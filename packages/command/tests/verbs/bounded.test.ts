import { bounded } from '../../src/document/publish/bounded';

const section = (name: string, length: number) => Array.from({ length }, (_, i) => `${name}${i + 1}`);
const more = (count: number) => `and ${count} more: \`all\` lists them`;

test.each<[title: string, sections: string[][], most: number, lines: string[]]>([
  ['few lines', [section('a', 2), section('b', 3)], 5, ['a1', 'a2', 'b1', 'b2', 'b3']],
  ['a long first one', [section('a', 9), section('b', 1)], 5, ['a1', 'a2', 'a3', more(6), 'b1']],
  ['a long second one', [section('a', 1), section('b', 9)], 5, ['a1', 'b1', 'b2', 'b3', more(6)]],
  ['two long ones', [section('a', 9), section('b', 9)], 4, ['a1', more(8), 'b1', more(8)]],
  [
    'long ones around a short one',
    [section('a', 9), section('b', 2), section('c', 9)],
    9,
    ['a1', 'a2', more(7), 'b1', 'b2', 'c1', 'c2', 'c3', more(6)],
  ],
])('%s: short sections stay whole, and all have at most that many lines', (_, sections, most, lines) => {
  expect(bounded(sections, most, 'all')).toEqual(lines);
});
