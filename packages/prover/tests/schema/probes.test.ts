import { withOptionalMembersToggled } from '../../src/cases/bases';
import type { Schemas } from '../../src/document/direction';
import type { Json, JsonObject } from '../../src/json/tree';
import { parse, print } from '../../src/json/value';
import { constraints } from '../../src/schema/constraints';
import { instanceLocations, probes } from '../../src/schema/probes';
import { createOracle } from '../../src/schema/oracle';

const requests = (json: JsonObject): Schemas => ({ json, direction: 'request' });

describe('probes', () => {
  const violations = (schema: JsonObject, text: string, keyword: string): string[] => {
    const schemas = requests({ schema });
    return probes(instanceLocations(schemas, createOracle(schemas), '/schema', parse(text)))
      .filter((probe) => probe.keyword === keyword && probe.side === 'violates')
      .map(({ value }) => print(value));
  };

  test.each<[string, JsonObject, string, string[]]>([
    ['minimum', { type: 'integer', minimum: 5 }, '6', ['4']],
    ['exclusiveMaximum', { type: 'integer', exclusiveMaximum: 5 }, '4', ['5']],
    ['maximum', { type: 'number', maximum: 0.5 }, '0.1', ['0.6', '100.5']],
    ['multipleOf', { type: 'integer', multipleOf: 12 }, '24', ['25']],
    ['maxLength', { type: 'string', maxLength: 2 }, '"a"', ['"aaa"', '"🌱🌱🌱"', '"a🌱🌱"']],
    ['required', { required: ['a', 'b'] }, '{"a":1,"b":2}', ['{"b":2}', '{"a":1}']],
    ['maxItems', { type: 'array', maxItems: 1 }, '["a"]', ['["a","a1"]', '["a","a"]']],
    ['uniqueItems', { type: 'array', uniqueItems: true }, '[1,2]', ['[1,2,1]', '[1,2,1.0]']],
    [
      'additionalProperties',
      { properties: { a: {} }, additionalProperties: false },
      '{"a":1}',
      ['{"a":1,"extra":null}', '{"a":1,"extra":true}'],
    ],
    ['dependentRequired', { dependentRequired: { a: ['b'] } }, '{"a":1,"b":2}', ['{"a":1}']],
  ])('violate %s just outside of its bound', (keyword, schema, text, want) => {
    expect(violations(schema, text, keyword)).toEqual(want);
  });

  test('have one item more than a thousand', () => {
    const found = violations({ type: 'array', maxItems: 1_000 }, '["a"]', 'maxItems');
    expect(found.map((text) => text.split(',').length)).toEqual([1_001, 1_001]);
  });

  test('violate int64 by one', () => {
    const found = violations({ type: 'integer', format: 'int64' }, '1', 'format');
    expect(found).toEqual(expect.arrayContaining(['9223372036854775808', '-9223372036854775809']));
  });
});

test('constraints are found wherever a keyword occurs, even if no value reaches it', () => {
  const schema: Json = {
    $ref: '#/other',
    properties: { a: { anyOf: [{ minLength: 1 }, { type: 'null' }] }, b: { items: { format: 'int64' } } },
  };
  const found = constraints(requests({ schema, other: { required: ['a'] } }), '/schema');
  expect(found.map(({ pointer, keyword, unconditional }) => [pointer, keyword, unconditional])).toEqual([
    ['/other', 'required', true],
    ['/schema/properties/a', 'anyOf', true],
    ['/schema/properties/a/anyOf/0', 'minLength', false],
    ['/schema/properties/a/anyOf/1', 'type', false],
    ['/schema/properties/b/items', 'format', true],
  ]);
});

test.each<[string, Json, [string, string][]]>([
  [
    'a property of a string',
    { type: 'string', properties: { link: { type: 'string', maxLength: 3 } } },
    [
      ['/schema/properties/link type', 'holds violates'],
      ['/schema/properties/link maxLength', 'holds violates'],
    ],
  ],
  [
    'an item of an object',
    { type: ['object', 'null'], items: { minimum: 1 } },
    [['/schema/items minimum', 'holds violates']],
  ],
  ['a bound of a string', { type: 'string', minimum: 1 }, [['/schema minimum', 'violates']]],
  ['a length of a number or a string', { type: ['integer', 'string'], maxLength: 1 }, []],
  [
    'a schema that is used elsewhere, too',
    {
      allOf: [{ type: 'string', properties: { a: { $ref: '#/other' } } }],
      not: {},
      prefixItems: [{ $ref: '#/other' }],
    },
    [],
  ],
])('no value shows %s', (_, schema, want) => {
  const found = constraints(requests({ schema, other: { type: 'string' } }), '/schema');
  const idle = found.flatMap(({ pointer, keyword, idle }) =>
    idle ? [[`${pointer} ${keyword}`, idle.sides.join(' ')]] : [],
  );
  expect(idle).toEqual(want);
});

test('optional members are left out one by one, and unlisted ones added', () => {
  const schema: Json = {
    required: ['a'],
    properties: { b: {}, c: { properties: { d: {} } } },
  };
  const schemas = requests({ schema });
  const value = parse('{"a":1,"b":2,"c":{"d":3}}');
  const locations = instanceLocations(schemas, createOracle(schemas), '/schema', value);
  expect(withOptionalMembersToggled(locations, true).map(print)).toEqual([
    '{"a":1,"c":{"d":3}}',
    '{"a":1,"b":2}',
    '{"a":1,"b":2,"c":{"d":3},"unlisted":true}',
    '{"a":1,"b":2,"c":{"d":3},"constructor":true}',
    '{"a":1,"b":2,"c":{}}',
    '{"a":1,"b":2,"c":{"d":3,"unlisted":true}}',
    '{"a":1,"b":2,"c":{"d":3,"constructor":true}}',
  ]);
});
