import fc from 'fast-check';
import { clientsOfAll } from '../../../../scripts/testing/compile';
import { keepFolder } from '../../../../scripts/testing/folder';
import { loadClient } from '../support/generated-client';
import { isMatch } from '../../src/client/runtime/match';
import { portable } from '../../src/client/shapes';
import { nativePattern, patterns, texts } from '../../../../scripts/testing/patterns';

const matches = (source: string, text: string): boolean => {
  const pattern = portable(source);
  return typeof pattern === 'string' ? nativePattern(pattern).test(text) : isMatch(pattern, text);
};

test.each([
  ['of any syntax', false],
  ['with modifiers', true],
])('a client matches patterns as V8 does: %s', (_, withModifiers) => {
  let automata = 0;
  fc.assert(
    fc.property(patterns(withModifiers), fc.array(texts, { minLength: 8, maxLength: 8 }), (one, all) => {
      fc.pre((one.source.match(/\(\?<?[=!]|[\^$]|\\b/gi)?.length ?? 0) < 30); // more assertions are refused
      if (typeof portable(one.source) !== 'string') automata++;
      const native = nativePattern(one.plain);
      const wrong = all.filter((text) => matches(one.source, text) !== native.test(text));
      expect([one.source, wrong]).toEqual([one.source, []]);
    }),
    { numRuns: 300, seed: 1 },
  );
  expect(automata).toBeGreaterThan(3);
});

const TEXTS = ['', 'a', 'b', 'ab', 'aab', 'ba', 'a\nb', 'b\na', 'a b', 'aaab!', '\u{10400}a'];

test.each([
  ['(?=a+b)a*b', '(?=a+b)a*b'],
  ['^(?!a*b)', '^(?!a*b)'],
  ['(?<=a+)b', '(?<=a+)b'],
  ['(?<!a+)b', '(?<!a+)b'],
  ['a*\\b ', 'a*\\b '],
  ['a+\\B', 'a+\\B'],
  ['a+$', 'a+$'],
  ['(?m:^a)', '(?:^|\\n)a'],
  ['(?m:a$)', 'a(?:$|\\n)'],
  ['(?:a|[^a])+\\u{10400}', '(?:a|[^a])+\\u{10400}'],
])('the automaton of a client matches as V8 does: %s', (source, plain) => {
  const pattern = portable(source);
  if (typeof pattern === 'string') throw new Error('expected an automaton');
  const native = nativePattern(plain);
  expect(TEXTS.filter((text) => isMatch(pattern, text))).toEqual(TEXTS.filter((text) => native.test(text)));
});

test.each([
  ['^(a+)+$', 'a'],
  ['^(a|a)*b$', 'a'],
  ['(x+x+)+y', 'x'],
  ['^(?=(a+)+$)', 'a'],
  ['\\s+$', ' '],
])('no name of a property holds a client: %s', (source, character) => {
  const pattern = portable(source);
  if (typeof pattern === 'string') throw new Error('expected an automaton');
  expect(isMatch(pattern, `${character.repeat(2_000)}!`)).toBe(false);
});

test('a pattern that V8 matches in linear time stays a regular expression', () => {
  expect(['^x-', '^[a-z]+$', '^(red|green)$'].map(portable)).toEqual(['^x-', '^[a-z]+$', '^(red|green)$']);
});

const folder = keepFolder();

test('a generated client finds the properties that a pattern names', async () => {
  const schema = { type: 'object', patternProperties: { '^(a+)+$': { type: 'integer', format: 'int64' } } };
  const text = clientsOfAll([
    {
      openapi: '3.1.0',
      info: { title: 'Patterns', version: '1.0.0' },
      paths: {
        '/': {
          get: {
            operationId: 'read',
            responses: { 200: { description: '', content: { 'application/json': { schema } } } },
          },
        },
      },
    },
  ])[0]?.text;
  const body = `{"aaa":9007199254740993,"${'a'.repeat(50)}!":1}`;
  const client = loadClient(
    folder,
    text ?? '',
  )({
    baseUrl: 'https://example.org/',
    fetch: () => Promise.resolve(new Response(body, { headers: { 'Content-Type': 'application/json' } })),
  });
  expect((await client['read']?.({}))?.body).toEqual({ aaa: 9007199254740993n, [`${'a'.repeat(50)}!`]: 1 });
});
