import { compilePattern } from '../../../../src/contract';
import { textsLike } from '../../../../src/contract/samples/pattern-text';

const firstLike = (pattern: string, least: number, most = Infinity): string | undefined => {
  const fits = (text: string) => text.length >= least && text.length <= most;
  for (const text of textsLike(pattern, least))
    if (fits(text) && compilePattern(pattern).test(text)) return text;
  return undefined;
};

it.each([
  ['^[A-Z]{3}-\\d{4}$', 0, 'AAA-0000'],
  ['^(cat|dog)s?$', 0, 'cats'],
  ['^[a-z]+$', 5, 'axxxx'],
  ['^[1-9]\\d{0,2}(,\\d{3})*$', 0, '10,000'],
  ['x', 3, 'xxx'],
  ['^(?=.*\\d)(?=.*[a-z]).{8,}$', 0, 'a0aaaaaaaaaa'],
  ['^(?!a).+$', 0, 'b'],
  ['^\\p{Lu}$', 0, 'A'],
  ['^[^ -~]$', 0, '\0'],
  ['\\bword\\b', 0, 'word'],
  ['^\\{[0-9a-fA-F]{8}\\}$', 0, '{aaaaaaaa}'],
])('writes a text like %s of at least %i characters', (pattern, least, text) => {
  expect(firstLike(pattern, least)).toBe(text);
});

it('finds texts of an exact length', () => {
  for (const length of [1, 7, 40]) expect(firstLike('^[a-z0-9]*$', length, length)).toHaveLength(length);
});

it('writes no text where there is none, and none that is longer than it needs to be', () => {
  expect(firstLike('^[]$', 0)).toBeUndefined();
  expect([...textsLike('((((a{99}){99}){99}){99})', 0)]).toEqual([]);
});
