import type { JsonObject } from '../../src/json/tree';
import { parse, type Value } from '../../src/json/value';
import { constraints } from '../../src/schema/constraints';
import { createOracle } from '../../src/schema/oracle';
import { oneWayViolations } from '../../src/schema/probes';
import { samples } from '../../src/schema/samples';

const readOnly = { type: 'integer', readOnly: true };
const objectWith = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});
const schemasOf = (schema: JsonObject, direction: 'request' | 'response' = 'request') => ({
  json: { schema, Id: readOnly, Stored: objectWith({ id: readOnly }), Plain: { type: 'integer' } },
  direction,
});

/** Schemas in which `id` is a required property of responses only. `name` belongs to both directions. */
const WAYS: [way: string, schema: JsonObject, pointer: string][] = [
  ['by its own schema', objectWith({ id: readOnly, name: {} }), '/schema/properties/id'],
  [
    'by the schema that it refers to',
    objectWith({ id: { $ref: '#/Id' }, name: {} }),
    '/schema/properties/id',
  ],
  [
    'beside a reference',
    objectWith({ id: { $ref: '#/Plain', readOnly: true }, name: {} }),
    '/schema/properties/id',
  ],
  ['in an allOf', { allOf: [{ $ref: '#/Stored' }, objectWith({ name: {} })] }, '/Stored/properties/id'],
  [
    'in an allOf, required by another',
    { allOf: [{ $ref: '#/Stored' }, { required: ['id', 'name'] }] },
    '/Stored/properties/id',
  ],
  [
    'in an allOf, required beside it',
    { allOf: [{ $ref: '#/Stored' }], required: ['id', 'name'] },
    '/Stored/properties/id',
  ],
  [
    'in an allOf, listed beside it',
    { allOf: [{ $ref: '#/Stored' }], ...objectWith({ id: { minimum: 0 }, name: {} }) },
    '/Stored/properties/id',
  ],
];

describe.each(WAYS)('a property that is readOnly, %s,', (_, schema, pointer) => {
  const requests = schemasOf(schema);
  const oracle = createOracle(requests);
  const responses = createOracle(schemasOf(schema, 'response'));

  test.each([
    ['{"name":1}', true, false],
    ['{"name":1,"id":2}', false, true],
    ['{}', false, false],
  ])('judges %s as a request: %s, as a response: %s', (text, request, response) => {
    expect(oracle.valid('/schema', parse(text))).toBe(request);
    expect(responses.valid('/schema', parse(text))).toBe(response);
  });

  test('is in no value that is generated for a request', () => {
    for (const mode of ['required', 'all', 'any'] as const) {
      const names = samples(requests, oracle, '/schema', mode, 20).map((value) => [
        ...(value as Map<string, Value>).keys(),
      ]);
      expect(names).toEqual(Array(20).fill(['name']));
    }
  });

  test('is an obligation, and has a value that violates nothing else', () => {
    const found = constraints(requests, '/schema').filter((constraint) => constraint.pointer.endsWith('/id'));
    expect(found).toEqual([{ pointer, keyword: 'readOnly', unconditional: true }]);
    const [value] = oneWayViolations(requests, oracle, '/schema', pointer);
    expect(value instanceof Map && [...value.keys()].sort()).toEqual(['id', 'name']);
  });
});

test.each<[string, JsonObject, valid: string[], invalid: string[]]>([
  ['items', { items: readOnly }, ['[]'], ['[1]']],
  ['prefixItems', { prefixItems: [{}, readOnly] }, ['["a"]'], ['["a",1]']],
  ['anyOf', { anyOf: [readOnly, { type: 'null' }] }, ['null'], ['1']],
  ['oneOf', { oneOf: [{ type: 'string' }, readOnly] }, ['"a"'], ['1']],
  ['then', { if: { type: 'integer' }, then: readOnly }, ['"a"'], ['1']],
  ['patternProperties', { patternProperties: { '^i': readOnly } }, ['{}'], ['{"id":1}']],
  ['additionalProperties', { additionalProperties: readOnly }, ['{}'], ['{"id":1}']],
  ['a reference', { items: { $ref: '#/Id' } }, ['[]'], ['[1]']],
  [
    'a branch of a property, beside one that admits the same',
    { properties: { a: { anyOf: [{ type: 'string', readOnly: true }, { maxLength: 3 }] } } },
    ['{}', '{"a":1}'],
    ['{"a":"x"}'],
  ],
  [
    'a branch by reference, beside one that admits anything',
    { anyOf: [{ $ref: '#/Stored' }, { type: 'object' }] },
    ['{}', '{"name":1}'],
    ['{"id":1}', '{"id":1,"name":2}'],
  ],
  [
    'a branch behind one that lists the same',
    { oneOf: [{ required: ['x'] }, objectWith({ id: readOnly })] },
    ['{}'],
    ['{"id":1}', '{"x":1,"id":1}'],
  ],
  [
    'an allOf in a branch',
    { anyOf: [{ allOf: [{ $ref: '#/Stored' }, { required: ['b'] }] }, true] },
    ['{"b":1}', '{"id":1}'],
    ['{"b":1,"id":1}'],
  ],
])(
  'readOnly below %s is an obligation, and counts for each value that it admits',
  (_, schema, valid, invalid) => {
    const requests = schemasOf(schema);
    const oracle = createOracle(requests);
    for (const text of valid) expect([text, oracle.valid('/schema', parse(text))]).toEqual([text, true]);
    for (const text of invalid) expect([text, oracle.valid('/schema', parse(text))]).toEqual([text, false]);
    expect(constraints(requests, '/schema').map(({ keyword }) => keyword)).toContain('readOnly');
  },
);

test('readOnly on the whole body has no effect', () => {
  const requests = schemasOf({ type: 'integer', readOnly: true });
  expect(createOracle(requests).valid('/schema', parse('1'))).toBe(true);
  expect(constraints(requests, '/schema').map(({ keyword }) => keyword)).toEqual(['type']);
});
