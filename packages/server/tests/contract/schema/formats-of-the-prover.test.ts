import { FORMATS } from '../../../src/contract/schema/formats';
import { createOracle, INTEGER_FORMATS, STRING_FORMATS } from 'contract-first-prover';

/** Formats that every text, or every double, has. */
const UNLIMITED = ['binary', 'password', 'float', 'double'];

it('the prover knows each format that the server enforces, and no other', () => {
  const known = [...Object.keys(STRING_FORMATS), ...Object.keys(INTEGER_FORMATS)];
  const enforced = Object.keys(FORMATS).filter((name) => !UNLIMITED.includes(name));
  expect(known.sort()).toEqual(enforced.sort());
});

/** Texts that some format admits, and others. */
const TEXTS = [
  ...Object.values(STRING_FORMATS).flatMap(({ holds, violates }) => [...holds, ...violates]),
  ...['', 'a', 'aaaa', 'monday', '7', 'true', '!', ' ', 'a b', 'x'.repeat(300), '\u{1f331}', '\u0000'],
];

it.each(Object.keys(STRING_FORMATS))('server and oracle judge %s alike', (name) => {
  const format = FORMATS[name];
  const oracle = createOracle({ json: { schema: { type: 'string', format: name } }, direction: 'request' });
  const { holds = [], violates = [] } = STRING_FORMATS[name] ?? {};
  const verdicts = (texts: readonly string[]) =>
    texts.map((text) => [text, format?.type === 'string' && format.test(text)]);
  expect(verdicts(holds)).toEqual(holds.map((text) => [text, true]));
  expect(verdicts(violates)).toEqual(violates.map((text) => [text, false]));
  expect(TEXTS.map((text) => [text, oracle.valid('/schema', text)])).toEqual(verdicts(TEXTS));
});
