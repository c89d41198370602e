import { FORMATS } from '../../../src/contract/schema/formats';
import { createOracle, INTEGER_FORMATS, STRING_FORMATS } from 'contract-first-prover';

/** Formats that every text, or every double, has. */
const UNLIMITED = ['binary', 'password', 'float', 'double'];

it('the prover knows each format that the server enforces, and no other', () => {
  const known = [...STRING_FORMATS.keys(), ...INTEGER_FORMATS.keys()];
  const enforced = [...FORMATS.keys()].filter((name) => !UNLIMITED.includes(name));
  expect(known.sort()).toEqual(enforced.sort());
});

/** Each character of ASCII, alone, within a word, and behind a scheme. */
const CHARACTERS = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).flatMap((one) => [
  one,
  `a${one}b`,
  `s:a${one}b`,
]);

/** Texts that some format admits, and others. */
const TEXTS = [
  ...CHARACTERS,
  ...[...STRING_FORMATS.values()].flatMap(({ holds, violates }) => [...holds, ...violates]),
  ...['', 'a', 'aaaa', 'monday', '7', 'true', '!', ' ', 'a b', 'x'.repeat(300), '\u{1f331}', '\u0000'],
];

it.each([...STRING_FORMATS.keys()])('server and oracle judge %s alike', (name) => {
  const format = FORMATS.get(name);
  const oracle = createOracle({ json: { schema: { type: 'string', format: name } }, direction: 'request' });
  const { holds = [], violates = [] } = STRING_FORMATS.get(name) ?? {};
  const verdicts = (texts: readonly string[]) =>
    texts.map((text) => [text, format?.type === 'string' && format.test(text)]);
  expect(verdicts(holds)).toEqual(holds.map((text) => [text, true]));
  expect(verdicts(violates)).toEqual(violates.map((text) => [text, false]));
  // If the oracle's validator does not know the format, it admits every text: add a pattern to FORMAT_PATTERNS.
  const differing = TEXTS.filter(
    (text) => oracle.valid('/schema', text) !== (format?.type === 'string' && format.test(text)),
  );
  expect(differing.map((text) => JSON.stringify(text))).toEqual([]);
});
