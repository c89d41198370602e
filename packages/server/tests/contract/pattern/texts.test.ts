import { compilePattern } from '../../../src/contract/pattern/pattern';
import { textsMatching } from '../../../src/contract/pattern/texts';

const ANY = { least: 0, most: Infinity };

it.each([
  ['^[A-Z]{3}-\\d{4}$', 0, 'AAA-0000'],
  ['^(cat|dog)s?$', 0, 'cats'],
  ['^[a-z]+$', 5, 'axxxx'],
  ['^[1-9]\\d{0,2}(,\\d{3})*$', 0, '10,000'],
  ['x', 3, 'xxx'],
  ['^(?!a).+$', 0, 'b'],
  ['^(?=[a-y])[a-z]$', 0, 'a'],
  ['^\\p{Lu}$', 0, 'A'],
  ['^[^ -~]$', 0, '\0'],
  ['\\bword\\b', 0, 'word'],
  ['^\\{[0-9a-fA-F]{8}\\}$', 0, '{aaaaaaaa}'],
])('writes a text like %s of at least %i characters', (pattern, least, text) => {
  expect(textsMatching([pattern], { ...ANY, least }, 1)).toEqual([text]);
});

/** Whatever a pattern of ECMA-262 with the u flag may hold. */
const WHATEVER = [
  '^(?=.*\\d)(?=.*[a-z]).{8,}$',
  '^(?=.*[A-Z])(?=.*[a-z])(?=.*\\d)[A-Za-z\\d]{8,12}$',
  '^(?=.*[!@#$%])[A-Za-z\\d!@#$%]{6,8}$',
  '^(?=.{36}$)[0-9a-f]+(-[0-9a-f]+)*$',
  '^(?!.*--)[a-z][a-z-]*[a-z]$',
  '^(?!000|666)\\d{3}-(?!00)\\d{2}-(?!0000)\\d{4}$',
  '^(?!\\s*$).+',
  '(?<=a)b$',
  '^\\w+(?<!a)$',
  '^.*(?<=\\.csv)$',
  '^(?:(?!admin).)*$',
  '\\Ba',
  '^\\bfoo\\b.*\\bbar\\b$',
  '^\\p{Lu}\\p{Ll}+(?: \\p{Lu}\\p{Ll}+)*$',
  '^\\p{Script=Greek}{3}$',
  '^\\P{ASCII}$',
  '^(?i:yes|no)$',
  '^(?-i:A)(?s:.)(?m:^|$)',
  '^[\\u{1f600}-\\u{1f64f}]+$',
  '^(?<year>\\d{4})-(?<month>0[1-9]|1[0-2])$',
  '^(?=a)(?!b)[ab]c?$',
  '^(?=\\S{3,5}$)\\S*-\\S*$',
  '^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$',
  '^$|^[0-9]{9}$',
  '.{41,}',
  '^[\\x00-\\x1f]{2}$',
];

it.each(WHATEVER)('finds texts that match %s', (pattern) => {
  const texts = textsMatching([pattern], ANY, 10);
  expect(texts.length).toBeGreaterThan(0);
  expect(texts.filter((text) => !compilePattern(pattern).test(text))).toEqual([]);
  expect(textsMatching([pattern], ANY, 10)).toEqual(texts);
});

it('finds texts that match several patterns, within lengths', () => {
  const all = textsMatching(['^[a-z0-9]*$', '[0-9]$', '^(?!a)'], { least: 4, most: 6 }, 5);
  expect(all).toHaveLength(5);
  for (const text of all) expect(text).toMatch(/^(?!a)[a-z0-9]{3,5}[0-9]$/);
});

it('writes what a group has captured in the place of a backreference', () => {
  expect(textsMatching(['^(a|b)-\\1$'], ANY, 2)).toEqual(['a-a', 'b-b']);
});

it('finds texts of an exact length', () => {
  for (const length of [1, 7, 40])
    expect(textsMatching(['^[a-z0-9]*$'], { least: length, most: length }, 1)[0]).toHaveLength(length);
});

it('finds no text where there is none, and none that is too long', () => {
  expect(textsMatching(['^[]$'], ANY, 1)).toEqual([]);
  expect(textsMatching(['((((a{99}){99}){99}){99})'], ANY, 1)).toEqual([]);
});
