import { OpenApiDocument } from 'contract-first-server/tools';
import { DescribedValue } from '../../../src/contract/operations/described-value';
import { buildDocument } from '../../../../../scripts/testing/service';

const described = (schemas: Readonly<Record<string, unknown>>) =>
  DescribedValue.at(
    new OpenApiDocument(buildDocument({ components: { schemas } })),
    '/components/schemas/It',
  );
const integer = { type: 'integer' };
const boolean = { type: 'boolean' };
const x = { properties: { x: integer } };

test.each([
  ['$ref', (next: object) => next],
  ['$ref beside other keywords', (next: object) => ({ ...next, title: 'It' })],
  ...['allOf', 'anyOf', 'oneOf'].map((name) => [name, (next: object) => ({ [name]: [next] })] as const),
  ...['then', 'else'].map((name) => [name, (next: object) => ({ if: true, [name]: next })] as const),
  ['dependentSchemas', (next: object) => ({ dependentSchemas: { a: next } })],
] as const)('a value is described through 1,600 schemas in a row: %s', (_, wrap) => {
  const reference = (i: number) => ({ $ref: `#/components/schemas/It${i}` });
  const row = Array.from({ length: 1_600 }, (__, i) => [`It${i}`, wrap(reference(i + 1))] as const);
  const value = described({ It: reference(0), ...Object.fromEntries(row), It1600: { type: 'object', ...x } });
  expect(value.types()).toEqual(['object']);
  expect(value.property('x').types()).toEqual(['number']);
});

test.each<[string, object, readonly string[] | undefined]>([
  [
    'all of its certain schemas',
    { ...x, allOf: [{ properties: { x: { type: ['number', 'null'] } } }] },
    ['number'],
  ],
  ['any of its branches', { anyOf: [x, { properties: { x: boolean } }] }, ['number', 'boolean']],
  ['a condition where nothing else does', { if: { required: ['y'] }, then: x }, ['number']],
  [
    'no condition where something else does',
    { ...x, then: { properties: { x: { enum: [1, true] } } } },
    ['number'],
  ],
  ['what depends on a property', { dependentSchemas: { y: x } }, ['number']],
  ['a pattern', { patternProperties: { '^x': integer } }, ['number']],
  [
    'no pattern of other names',
    { patternProperties: { '^y': integer }, additionalProperties: boolean },
    ['boolean'],
  ],
  [
    'what is left to other properties',
    { properties: { y: boolean }, additionalProperties: integer },
    ['number'],
  ],
  [
    'what is left unevaluated',
    { allOf: [{ properties: { y: boolean } }], unevaluatedProperties: integer },
    ['number'],
  ],
  ['nothing unevaluated that is evaluated', { allOf: [x], unevaluatedProperties: boolean }, ['number']],
  ['nothing that is negated', { not: x }, undefined],
])('a property has the types of %s', (_, It, types) => {
  expect(described({ It }).property('x').types()).toEqual(types);
});

test.each<[object, readonly string[]]>([
  [{ prefixItems: [integer], items: boolean }, ['number', 'boolean']],
  [{ prefixItems: [integer], unevaluatedItems: boolean }, ['number', 'boolean']],
])('the items of %j', (It, types) => {
  const value = described({ It });
  expect([0, 1].flatMap((i) => value.item(i).types() ?? [])).toEqual(types);
});
