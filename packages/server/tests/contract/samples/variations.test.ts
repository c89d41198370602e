import { compileContract, OpenApiDocument, successOf } from 'contract-first-server/tools';
import { withVariations } from '../../../src/contract/samples/variations';
import { buildDocument, json } from '../../../../../scripts/testing/service';

const text = { type: 'string' };
const integer = { type: 'integer' };
const auto = { anyOf: [{ enum: ['low', 'high', 'auto'] }, integer] };
const of = (properties: object, ...required: string[]) => ({ type: 'object', properties, required });
const closed = { additionalProperties: false };

// Each has a value, though none that conforms to one branch and has all its members, or only the required ones.
const OVERLAPPING: readonly [string, object][] = [
  ['a branch within another', { oneOf: [of({ a: text, b: {} }), of({ a: text, b: text })] }],
  ['an absent member', { oneOf: [of({ b: integer }, 'b'), of({ a: integer, c: text }, 'a')] }],
  ['a broken sibling', { oneOf: [of({ a: text, b: {} }, 'a'), of({ a: text, b: integer }, 'a')] }],
  ['an enum beside integers', { oneOf: [of({ b: integer }), { ...of({ b: auto, c: {} }), ...closed }] }],
  [
    'nested branches',
    { oneOf: [of({ a: text }, 'a'), { oneOf: [of({ a: text, b: integer }, 'a'), of({ c: text }, 'c')] }] },
  ],
];

test.each(OVERLAPPING)('an answer is found for %s', (_, schema) => {
  const responses = { 200: { description: '', content: json(schema) } };
  const root = buildDocument({ operation: { responses } });
  const [served] = compileContract(root, undefined).served.values();
  expect(served && successOf(new OpenApiDocument(root), served)?.status).toBe(200);
});

test('samples come first, and the search ends', () => {
  const samples = Array.from({ length: 24 }, (_, i) =>
    Object.fromEntries(Array.from({ length: 40 }, (__, j) => [`name${j}`, 'x'.repeat(i)])),
  );
  const found = [...withVariations(samples)];
  expect(found.slice(0, 24)).toEqual(samples);
  expect(found.length).toBeLessThanOrEqual(24 + 500);
  expect(found.length).toBeGreaterThan(200);
  expect([...withVariations(['text', 1, null])]).toEqual(['text', 1, null]);
});
