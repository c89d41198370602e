import fc from 'fast-check';
import { readDocument, writeDocument } from '../../../src/contract/document/document-text';
import { ANY_CHARACTER } from 'contract-first-prover';

const leaf = fc.oneof(
  fc.string({ unit: ANY_CHARACTER }),
  fc.constantFrom('integer:1', '"integer::9"', '\\"', '12345678901234567'),
  fc.double({ noDefaultInfinity: true, noNaN: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
  fc.bigInt().map((integer) => (Number.isSafeInteger(Number(integer)) ? Number(integer) : integer)),
  fc.boolean(),
  fc.constant(null),
);
const { document } = fc.letrec((tie) => ({
  document: fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), tie('value'), {
    noNullPrototype: true,
  }),
  value: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('value')), tie('document')),
}));

/** Doubles beyond 2^53 are written as integers, and read as bigints. */
const exact = (value: unknown): unknown => {
  if (
    typeof value === 'number' &&
    Number.isInteger(value) &&
    !Number.isSafeInteger(value) &&
    Math.abs(value) < 1e21
  )
    return BigInt(String(value));
  if (Array.isArray(value)) return value.map(exact);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, exact(member)]));
};

test('reads the document that it wrote, with exact integers', () => {
  fc.assert(
    fc.property(document, fc.constantFrom(undefined, 2), (given, indent) => {
      expect(readDocument(writeDocument(given, indent))).toEqual(exact(given));
    }),
  );
});

test.each([
  ['{"a":9007199254740993}', { a: 9007199254740993n }],
  ['{"a":-9223372036854775809}', { a: -9223372036854775809n }],
  [
    '{"a":[1e400000000000000000, 0.1234567890123456789, 9007199254740991]}',
    { a: [Infinity, 0.12345678901234568, 9007199254740991] },
  ],
  ['{"a":"9007199254740993","b":"\\"9007199254740993"}', { a: '9007199254740993', b: '"9007199254740993' }],
])('%s', (text, value) => {
  expect(readDocument(text)).toEqual(value);
});

test('a text of 5 MB takes linear time', () => {
  const text = JSON.stringify({ a: Array.from({ length: 200_000 }, (_, i) => `"${'\\'.repeat(i % 7)}${i}`) });
  expect(readDocument(`{"big":90071992547409931234,"rest":${text}}`)).toHaveProperty(
    'big',
    90071992547409931234n,
  );
});

test('text that is not JSON is an error', () => {
  expect(() => readDocument('{"a":90071992547409931234')).toThrow(SyntaxError);
});
