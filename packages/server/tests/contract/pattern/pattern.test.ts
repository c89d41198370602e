import { RegExpParser } from '@eslint-community/regexpp';
import fc from 'fast-check';
import { compilePattern } from '../../../src/contract/pattern/pattern';
import { compileAutomaton, UnsupportedPattern } from '../../../src/contract/pattern/automaton';
import { charSetOf } from '../../../src/contract/pattern/charset';
import { Matcher } from '../../../src/contract/pattern/matcher';
import { isDeterministic, isFinite } from '../../../src/contract/pattern/native';
import { nativePattern, patterns, texts } from '../../../../../scripts/testing/patterns';
import { cases } from '../../../../../scripts/testing/cases';

const RUNS = cases(12, 120);
const SEED = 1;

const parse = (source: string) =>
  new RegExpParser().parsePattern(source, 0, source.length, { unicode: true });
const matcher = (source: string) => new Matcher(compileAutomaton(parse(source)));

/** All code points but the surrogates, which would form pairs in one text. */
const ALL = Array.from({ length: 0x110000 }, (_, code) =>
  code < 0xd800 || code > 0xdfff ? String.fromCodePoint(code) : '',
).join('');

/** 1 for each code point that V8 matches. */
function nativeMembers(source: string, flags: string): Buffer {
  const members = Buffer.alloc(0x110000);
  for (const [run] of ALL.matchAll(new RegExp(`${source}+`, `g${flags}`)))
    for (const character of run) members[character.codePointAt(0) ?? 0] = 1;
  const native = new RegExp(`^${source}$`, flags);
  for (let code = 0xd800; code <= 0xdfff; code++)
    members[code] = Number(native.test(String.fromCodePoint(code)));
  return members;
}

describe('a pattern matches as in V8', () => {
  it.each([
    ['of any syntax', patterns(false)],
    ['with modifiers', patterns(true)],
  ])('%s', (_, generated) => {
    fc.assert(
      fc.property(generated, fc.array(texts, { minLength: 8, maxLength: 8 }), ({ source, plain }, all) => {
        fc.pre((source.match(/\(\?<?[=!]|[\^$]|\\b/gi)?.length ?? 0) < 30); // more assertions are refused
        const ours = [compilePattern(source), matcher(source)];
        const native = nativePattern(plain);
        const wrong = all.filter((text) => ours.some((one) => one.test(text) !== native.test(text)));
        expect([source, wrong]).toEqual([source, []]);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  it.each([
    ...['\\d', '\\w', '\\s', '.', '[^a-z\\s]', '[\\p{Lu}\\ud800-\\ue000]', '\\P{L}'].map(
      (source) => [source, 'u'] as const,
    ),
    ...['\\w', '[^\\W]', '\\P{Lu}', '[^\\P{Lu}]', '[^k]', '[ſß]', '[\\u0390\\u03c2]'].map(
      (source) => [source, 'iu'] as const,
    ),
  ])('for every character: %s %s', (source, flags) => {
    const [atom] = parse(source).alternatives[0]?.elements ?? [];
    if (atom?.type !== 'CharacterSet' && atom?.type !== 'CharacterClass') throw new Error('expected a set');
    if (atom.type === 'CharacterClass' && atom.unicodeSets) throw new Error('expected a class of the u flag');
    const set = charSetOf(atom, { ignoreCase: flags === 'iu', multiline: false, dotAll: false });
    const expected = nativeMembers(source, flags);
    const members = Buffer.alloc(expected.length);
    for (let i = 0; i < set.length; i += 2) members.fill(1, set[i], (set[i + 1] ?? 0) + 1);
    const wrong = members.equals(expected)
      ? []
      : [...members.keys()].filter((code) => members[code] !== expected[code]);
    expect([source, wrong]).toEqual([source, []]);
  });

  it('with more states than the cache holds', () => {
    const ours = matcher('(?:a|b)*a(?:a|b){16}c');
    const text = Array.from({ length: 20_000 }, (_, i) => 'ab'[((i * i + (i >> 3)) % 3) % 2] ?? '').join('');
    for (let end = 0; end < 40; end++) {
      const start = text.slice(0, text.length - end);
      expect([end, ours.test(`${start}c`)]).toEqual([end, start.at(-17) === 'a']);
      expect(ours.test(start)).toBe(false);
    }
  });

  it('with a text longer than the stack of V8', () => {
    const pattern = compilePattern('^(?:a|b)*$');
    expect(pattern.test('ab'.repeat(4_000_000))).toBe(true);
    expect(pattern.test(`${'ab'.repeat(4_000_000)}!`)).toBe(false);
  });

  // Decided by ECMA-262 sections 22.2.2.7 and 22.2.2.9, since V8 extends some modifiers beyond their group.
  it.each([
    ['^(?i:b)?\\w$', '\u212a', false],
    ['^(?i:b)?\\w$', 'bk', true],
    ['^(?i:\\w)$', '\u212a', true],
    ['^(?i:\\w)$', 'ſ', true],
    ['^(?i:\\W)$', 'ſ', false],
    ['^(?i:[^\\w])$', 'S', false],
    ['^(?i:[^x])$', 'X', false],
    ['^(?i:\\P{Lu})$', 'A', true],
    ['^(?i:[^\\P{Lu}])$', 'A', false],
    ['^(?i:ß)$', 'ẞ', true],
    ['^(?i:ß)$', 'SS', false],
    ['^(?i:σ)$', 'ς', true],
    ['^(?i:i)$', 'İ', false],
    ['^(?i:a(?-i:b)c)$', 'AbC', true],
    ['^(?i:a(?-i:b)c)$', 'ABC', false],
    ['^(?i:a)b$', 'AB', false],
    ['^(?i:-)\\b\\u212a', '-\u212a', false],
    ['^(?i:-\\b)\\u212a', '-\u212a', true],
    ['^(?s:.)$', '\n', true],
    ['^(?s:.).$', '\n\n', false],
    ['^(?s:a(?-s:.))$', 'a\n', false],
    ['(?m:^b$)', 'a\nb\nc', true],
    ['(?m:^)b$', 'a\nb\n', false],
    ['^(?ms-i:.^b)$', '\nb', true],
  ])('a modifier ends with its group: %s on %j is %s', (source, text, expected) => {
    expect(compilePattern(source).test(text)).toBe(expected);
  });
});

/** CPU time in milliseconds. */
function costOnce(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** scripts/growth/strings.ts has patterns for the automaton. */
describe('V8 matches a pattern in time linear in the text', () => {
  const plain = patterns(false).map(({ source }) => source);

  it('if it is deterministic', () => {
    const anchored = plain.map((source) => `^(?:${source})$`);
    expectNativeIsFast(anchored.filter((source) => isDeterministic(parse(source))));
  });

  it('if it is finite', () => {
    expectNativeIsFast(plain.filter((source) => isFinite(parse(source))));
  });
});

function expectNativeIsFast(sources: fc.Arbitrary<string>): void {
  fc.assert(
    fc.property(sources, fc.array(texts, { minLength: 4, maxLength: 4 }), (source, pumps) => {
      const native = new RegExp(source, 'u');
      const run = () => {
        for (const pump of pumps) native.test(`${pump.repeat(4_000)}\u0000`);
      };
      const isFast = () => costOnce(run) < 100;
      expect([source, isFast() || isFast()]).toEqual([source, true]);
    }),
    { numRuns: cases(60, 200), seed: SEED },
  );
}

describe('a pattern is refused', () => {
  it.each([
    ['(a)\\1', 'has the backreference \\1'],
    ['(?<x>a)\\k<x>', 'has the backreference \\k<x>'],
    ['(?:a.{1000}b)+', 'is too large to be matched in linear time'],
    ['((((a{1,99}){1,99}){1,99}){1,99}){1,99}b', 'is too large to be matched in linear time'],
  ])('%s', (source, message) => {
    expect(() => compilePattern(source)).toThrow(UnsupportedPattern);
    expect(() => compilePattern(source)).toThrow(message);
  });

  it.each([
    '^.{0,65535}$',
    '^[a-z]{1,2000}(?:-[a-z]{1,2000})?$',
    '[\\s\\S]{1,4096}',
    `^(?:${Array.from({ length: 600 }, (_, i) => `Area/City ${i}`).join('|')})$`,
    '(?:){99999}',
    '^[0-9]{40000}$',
  ])('but not %s', (source) => {
    expect(compilePattern(source).test('')).toBe(new RegExp(source, 'u').test(''));
  });
});
