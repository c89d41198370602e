import { Validator } from '@cfworker/json-schema';
import { OpenApiDocument } from 'contract-first-server/tools';
import { Impossible } from '../../../src/contract/schema/impossible';
import { buildDocument } from '../../../../../scripts/testing/service';

type Schema = Readonly<Record<string, unknown>> | boolean;

/** Schemas of one or two keywords, some of which contradict others. */
const WORDS: readonly Schema[] = [
  true,
  false,
  {},
  { type: 'string' },
  { type: 'integer' },
  { type: 'number' },
  { type: ['string', 'null'] },
  { type: 'object' },
  { type: 'array' },
  { enum: ['a', 1] },
  { const: 'a' },
  { const: null },
  { enum: [2.5] },
  { minimum: 10 },
  { maximum: 1 },
  { exclusiveMinimum: 1, maximum: 1 },
  { minimum: 1, maximum: 1 },
  { exclusiveMinimum: 1, exclusiveMaximum: 2 },
  { minLength: 2 },
  { maxLength: 1 },
  { minItems: 2 },
  { maxItems: 1 },
  { items: false },
  { prefixItems: [true, false] },
  { contains: false },
  { contains: { const: 1 }, minContains: 0 },
  { minProperties: 2 },
  { maxProperties: 1 },
  { required: ['a'] },
  { required: ['a', 'b'] },
  { properties: { a: false } },
  { properties: { a: { minimum: 10, maximum: 1, type: 'integer' } } },
  { properties: { a: true }, additionalProperties: false },
  { additionalProperties: false },
  { patternProperties: { '^a': false } },
  { unevaluatedProperties: false },
  { not: {} },
  { not: { type: 'string' } },
  { not: true },
  { anyOf: [false, { type: 'string' }] },
  { oneOf: [{ minimum: 10 }, { type: 'string' }] },
  { oneOf: [false, false] },
  { anyOf: [{ maximum: 1, type: 'number' }] },
];
const merge = (one: Schema, other: Schema): Schema => ({ allOf: [one, other] });
const SCHEMAS: Schema[] = WORDS.flatMap((one, i) =>
  WORDS.slice(i).flatMap((other) => [
    merge(one, other),
    { type: 'object', required: ['p'], properties: { p: merge(one, other) } },
  ]),
);

/** Values by which the independent search looks for one that conforms. */
const ATOMS = [null, true, '', 'a', 'aa', 0, 1, 1.5, 2, 2.5, 10, 11, -1];
const LISTS = [[], ['a'], [1], ['a', 'a'], [1, 1], [null, true], [1, 2, 3]];
const OBJECTS = [
  {},
  { a: 1 },
  { a: 'a' },
  { b: 1 },
  { a: 11, b: 1 },
  { c: 1 },
  { c: 1, d: 1 },
  { a: 'a', c: 1 },
];
const VALUES: unknown[] = [...ATOMS, ...LISTS, ...OBJECTS];

const proofOf = (schema: Schema, direction: 'request' | 'response' = 'request') => {
  const document = new OpenApiDocument(buildDocument({ components: { schemas: { A: schema } } }));
  return new Impossible(document, direction).proof(['/components/schemas/A']);
};
const conforming = (schema: Schema): unknown => {
  const validator = new Validator(schema, '2020-12');
  const all = typeof schema === 'object' && 'properties' in schema ? VALUES.map((p) => ({ p })) : VALUES;
  return all.find((value) => validator.validate(value).valid);
};

it('rejects no schema to which a value conforms', () => {
  const wrong = SCHEMAS.filter((schema) => conforming(schema) !== undefined && proofOf(schema) !== undefined);
  expect(wrong).toEqual([]);
});

it('proves most of what admits nothing', () => {
  const empty = SCHEMAS.filter((schema) => conforming(schema) === undefined);
  const unproven = empty.filter((schema) => proofOf(schema) === undefined);
  expect(empty.length).toBeGreaterThan(150);
  expect(unproven.length / empty.length).toBeLessThan(0.2);
});

it.each<[string, Schema, string]>([
  [
    'a required property that is false',
    { required: ['a'], properties: { a: false }, type: 'object' },
    'is false, and "a" is required',
  ],
  ['bounds', { type: 'number', minimum: 10, maximum: 1 }, 'has minimum 10 and maximum 1'],
  [
    'an item',
    { type: 'array', minItems: 1, items: { type: 'string', minLength: 2, maxLength: 1 } },
    'has minLength 2 and maxLength 1',
  ],
  ['the branches of a union', { oneOf: [false, { type: 'string', enum: [1] }] }, 'no branch admits a value'],
])('says why: %s', (_, schema, message) => {
  expect(proofOf(schema)?.message).toContain(message);
});

it.each(['request', 'response'] as const)(
  'a property that is excluded from a %s is not required there',
  (direction) => {
    const keyword = direction === 'request' ? 'readOnly' : 'writeOnly';
    const schema = {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'string', minLength: 2, maxLength: 1, [keyword]: true } },
    };
    expect(proofOf(schema, direction)).toBeUndefined();
    expect(proofOf(schema, direction === 'request' ? 'response' : 'request')).toBeDefined();
  },
);

it('ends for schemas that lead back to themselves, and proves nothing of them', () => {
  const self = { $ref: '#/components/schemas/A' };
  expect(
    proofOf({
      type: 'object',
      required: ['next'],
      properties: { next: { anyOf: [self, { type: 'null' }] } },
    }),
  ).toBeUndefined();
});
