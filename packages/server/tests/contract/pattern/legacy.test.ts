import { unicodePattern } from '../../../src/contract/pattern/legacy';
import { UnsupportedPattern } from '../../../src/contract/pattern/automaton';
import { compilePattern } from '../../../src/contract/pattern/pattern';

/** Every character of ASCII that can follow a backslash, and one beyond. */
const CHARACTERS = [...Array.from({ length: 0x5f }, (_, i) => String.fromCharCode(0x20 + i)), 'é', '\n'];
/** The escapes of the grammar (ECMA-262 sections 22.2.1 and B.1.2), complete and cut off. */
const ESCAPES = [
  ...CHARACTERS.map((character) => `\\${character}`),
  ...['\\x', '\\x4', '\\x41', '\\u', '\\u00', '\\u0041', '\\cA', '\\ca', '\\c1', '\\c_', '\\c'],
  ...['\\0', '\\00', '\\01', '\\1', '\\07', '\\12', '\\123', '\\377', '\\400', '\\8', '\\18', '\\k', '\\k<a'],
];
/** What the u flag alone rejects beside escapes: braces and brackets, and repeated lookaheads. */
const LITERALS = [
  '{',
  '}',
  ']',
  'a{',
  'a{1',
  'a{,2}',
  '{}',
  '{a}',
  'x{1}{',
  '(?=a)*a',
  '(?!b)?c',
  '(?=a){2}a',
];
const CONTEXTS: readonly ((part: string) => string)[] = [
  (part) => part,
  (part) => `^${part}$`,
  (part) => `^(?:${part})+-_$`.replace('-_', '\\-\\_'),
  (part) => `(x)${part}1`,
  (part) => `[${part}]`,
  (part) => `^[^${part}_]+$`,
  (part) => `[a-${part}]`,
  (part) => `[${part}-z]`,
  (part) => `[\\w-${part}]\\-`,
];
/** One text for each code unit of the Basic Latin and Latin-1 blocks, alone and beside others. */
const TEXTS = [
  ...Array.from({ length: 0x180 }, (_, i) => String.fromCharCode(i)),
  ...[
    '',
    'aa',
    'a{',
    'a{1',
    'a{,2}',
    '{}',
    '{a}',
    'x{',
    'ac',
    'x4',
    'u00',
    'c1',
    '\\c',
    '\\c1',
    'k<a',
    'x1',
    'xx1',
    'x81',
  ],
  ...['ab-_', 'a_-_', '-_-_', '\x01-_', '01', 'S3', 'xS31', 'x\x001', 'x-1', 'x_1', 'a-', '--', ' -', 'z-'],
];

function native(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern); // without the u flag: the grammar of Annex B
  } catch {
    return undefined;
  }
}

const ALL = [...ESCAPES, ...LITERALS].flatMap((part) => CONTEXTS.map((within) => within(part)));
const isUnicode = (pattern: string) => {
  try {
    return new RegExp(pattern, 'u').unicode;
  } catch {
    return false;
  }
};

it('keeps each pattern that has the syntax of the u flag', () => {
  const kept = ALL.filter(isUnicode);
  expect(kept.length).toBeGreaterThan(100);
  expect(kept.filter((pattern) => unicodePattern(pattern) !== pattern)).toEqual([]);
});

it('writes each other pattern of Annex B with the same meaning', () => {
  const legacy = ALL.filter(
    (pattern) => !isUnicode(pattern) && native(pattern) && !/\\[pPu]\{/.test(pattern),
  );
  expect(legacy.length).toBeGreaterThan(300);
  const wrong = legacy.flatMap((pattern) => {
    const expected = native(pattern);
    const written = unicodePattern(pattern);
    if (written === undefined) return [`${pattern} is rejected`];
    const [now] = [new RegExp(written, 'u')];
    return TEXTS.filter((text) => now.test(text) !== expected?.test(text)).map(
      (text) => `${pattern} is ${written}, which differs for ${JSON.stringify(text)}`,
    );
  });
  expect(wrong.slice(0, 20)).toEqual([]);
});

it('writes patterns that can be matched in linear time', () => {
  const refused = ALL.flatMap((pattern) => {
    const written = native(pattern) && unicodePattern(pattern);
    if (written === undefined) return [];
    try {
      compilePattern(written);
      return [];
    } catch (error) {
      return error instanceof UnsupportedPattern ? [] : [written];
    }
  });
  expect(refused).toEqual([]);
});

it('takes a character beyond the BMP as one', () => {
  expect(unicodePattern('^[😀é]\\_😀{2}$')).toBe('^[😀é]_😀{2}$');
});

it.each(['(', '[b-a]', 'a**', '\\p{L}\\-', '\\u{41}\\_', '(?<a', '[\\p{L}]{'])('rejects %s', (pattern) => {
  expect(unicodePattern(pattern)).toBeUndefined();
});
