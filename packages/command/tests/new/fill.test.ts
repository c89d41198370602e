import { fill, type Places, withoutUnusedImports } from '../../src/new/fill';

const TEXT = `import { bikes } from './bikes';
// #region rows
add('bike', 404, 40401);
// #region maybe
lend('bike');
// #endregion maybe
// #endregion rows
open('Bike Shed');
`;
const NAMES = { 'Bike Shed': 'Museum', bike: 'never used below' };
const filled = (places: Places, text = TEXT) => fill('shed.ts', text, places, NAMES).split('\n').slice(1, -1);

it('repeats a region, with its own texts and regions in each', () => {
  const rows = [
    { bike: 'coin', '404': '410', '40401': '41001', '#maybe': true },
    { bike: 'bike', '#maybe': false },
  ];
  expect(filled({ '#rows': rows })).toEqual([
    "add('coin', 410, 41001);",
    "lend('coin');",
    "add('bike', 404, 40401);",
    "open('Museum');",
  ]);
});

it('keeps, leaves out and replaces a region', () => {
  expect(filled({ '#rows': true, '#maybe': false })).toHaveLength(2);
  expect(filled({ '#rows': false })).toEqual(["open('Museum');"]);
  expect(filled({ '#rows': 'close();\n' })).toEqual(['close();', "open('Museum');"]);
});

it('never replaces what it has put in', () => {
  expect(filled({ '#rows': false, open: 'Bike Shed' })).toEqual(["Bike Shed('Museum');"]);
});

it.each<[string, Places, string]>([
  ['a text that is not there', { '#rows': false, shut: 'x' }, 'shed.ts of the layout has no place for shut'],
  ['a region that is not there', { '#rows': true, '#maybe': true, '#more': true }, 'no place for #more'],
  ['a text that a row does not have', { '#rows': [{ '#maybe': true, car: 'x' }] }, 'no place for car'],
  ['a region without a value', {}, 'shed.ts of the layout has a region rows that nothing is put into'],
  ['an inner region without a value', { '#rows': [{}] }, 'a region maybe that nothing is put into'],
])('fails for %s', (_, places, sentence) => {
  expect(() => filled(places)).toThrow(sentence);
});

it.each(['// #region row\na();\n', '// #endregion row\n', '// #region one\na();\n// #endregion two\n'])(
  'fails for a mark without its other: %j',
  (text) => {
    expect(() => fill('shed.ts', text, {})).toThrow(/shed\.ts of the layout has #(end)?region \w+ alone/);
  },
);

it('leaves out the blank line that Markdown needs next to a mark', () => {
  const text = 'a\n\n<!-- #region rows -->\n\n- bike\n\n<!-- #endregion rows -->\n';
  expect(fill('x.md', text, { '#rows': [{ bike: 'one' }, { bike: 'two' }] })).toBe('a\n\n- one\n- two\n');
});

it('leaves one blank line where a region is left out', () => {
  const region = '# #region gone\nb\n# #endregion gone\n';
  const without = (text: string) => fill('x', text, { '#gone': false });
  expect([without(`a\n\n${region}\nc\n`), without(`a\n${region}\nc\n`)]).toEqual(['a\n\nc\n', 'a\n\nc\n']);
});

it('leaves out imports that nothing uses', () => {
  const text = `import { a } from 'a';
import type { B } from 'b';
import { c, type D, e as f } from 'c';
import h from 'h';
import i from 'i';
const g: D = f(b, i.j, { h: 0 });
`;
  expect(withoutUnusedImports(text)).toBe(
    "import { type D, e as f } from 'c';\nimport i from 'i';\nconst g: D = f(b, i.j, { h: 0 });\n",
  );
});
