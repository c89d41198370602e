import type { Schemas } from '../document/direction';
import { readDocument } from '../document/read';
import type { Json, JsonObject } from '../json/json';
import { parse, print, type Value } from '../json/value';
import { serializeParameter } from '../request/serialize';
import { slots } from '../request/slots';
import { constraints } from './constraints';
import { instanceLocations } from './locations';
import { createOracle } from './oracle';
import { probes } from './probes';
import { samples } from './samples';

const requests = (json: JsonObject): Schemas => ({ json, direction: 'request' });

const sample = (schema: JsonObject, mode: 'required' | 'all' | 'any'): Value[] => {
  const schemas = requests({ schema });
  return samples(schemas, createOracle(schemas), '/schema', mode, 20);
};

describe('values', () => {
  test.each<[string, JsonObject]>([
    ['bounds', { type: 'integer', minimum: 5, exclusiveMaximum: 7 }],
    ['int64 near its end', { type: 'integer', format: 'int64', minimum: 2 ** 62 }],
    ['steps', { type: 'number', multipleOf: 0.25, minimum: 1 }],
    ['open intervals', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }],
    ['lengths', { type: 'string', minLength: 3, maxLength: 3 }],
    ['patterns', { type: 'string', pattern: '^[A-Z]{2}-[0-9]+$' }],
    ['formats', { type: 'string', format: 'date-time' }],
    ['enums', { enum: ['a', 1, null] }],
    [
      'tuples',
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'null' }], items: false, minItems: 2 },
    ],
    ['sets', { type: 'array', items: { type: 'integer' }, uniqueItems: true, minItems: 2 }],
    ['contains', { type: 'array', contains: { const: 7 } }],
    [
      'names by pattern',
      {
        type: 'object',
        patternProperties: { '^[a-z]{2}$': { type: 'null' } },
        additionalProperties: false,
        minProperties: 1,
      },
    ],
    [
      'allOf',
      {
        allOf: [
          { required: ['a'], properties: { a: { type: 'string' } } },
          { properties: { a: { maxLength: 2 } } },
        ],
      },
    ],
    ['oneOf', { oneOf: [{ type: 'string', maxLength: 2 }, { type: 'integer' }] }],
    [
      'if, then, else',
      {
        type: 'object',
        properties: { a: { type: 'boolean' }, b: { type: 'null' } },
        if: { required: ['a'] },
        then: { required: ['b'] },
      },
    ],
    ['recursion', { type: 'object', properties: { next: { $ref: '#/schema' } } }],
  ])('fit a schema with %s, in every mode', (_, schema) => {
    expect(sample(schema, 'required').length).toBeGreaterThan(0);
    expect(sample(schema, 'all').length).toBeGreaterThan(0);
    expect(sample(schema, 'any').length).toBeGreaterThan(0);
  });

  test.each<[string, JsonObject]>([
    ['alone', {}],
    ['between bounds', { minimum: 0.1, maximum: 0.2 }],
    ['on a small interval', { exclusiveMinimum: 0, maximum: 1e-40 }],
  ])('of the format float are ones that a float holds: %s', (_, bounds) => {
    const found = sample({ type: 'number', format: 'float', ...bounds }, 'any').map((value) =>
      Number(print(value)),
    );
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((number) => Math.fround(number) !== number)).toEqual([]);
  });

  test('are the same on every run', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'number' } },
    };
    expect(sample(schema, 'any').map(print)).toEqual(sample(schema, 'any').map(print));
  });
});

describe('faults', () => {
  const broken = (schema: JsonObject, text: string, keyword: string): string[] => {
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
    ['maxLength', { type: 'string', maxLength: 2 }, '"a"', ['"aaa"', '"🌱🌱🌱"']],
    ['required', { required: ['a', 'b'] }, '{"a":1,"b":2}', ['{"b":2}', '{"a":1}']],
    ['maxItems', { type: 'array', maxItems: 1 }, '["a"]', ['["a","a1"]', '["a","a"]']],
    ['uniqueItems', { type: 'array', uniqueItems: true }, '[1,2]', ['[1,2,1]']],
    [
      'additionalProperties',
      { properties: { a: {} }, additionalProperties: false },
      '{"a":1}',
      ['{"a":1,"extra":null}', '{"a":1,"extra":true}'],
    ],
    ['dependentRequired', { dependentRequired: { a: ['b'] } }, '{"a":1,"b":2}', ['{"a":1}']],
  ])('stand just outside of %s', (keyword, schema, text, want) => {
    expect(broken(schema, text, keyword)).toEqual(want);
  });

  test('of int64 stand at its very edge, and only the oracle that is exact can tell', () => {
    const found = broken({ type: 'integer', format: 'int64' }, '1', 'format');
    expect(found).toEqual(expect.arrayContaining(['9223372036854775808', '-9223372036854775809']));
  });

  test('are owed wherever a keyword stands, also where no value happens to lead', () => {
    const schema: Json = {
      $ref: '#/other',
      properties: { a: { anyOf: [{ minLength: 1 }, { type: 'null' }] }, b: { items: { format: 'int64' } } },
    };
    const owed = constraints(requests({ schema, other: { required: ['a'] } }), '/schema');
    expect(owed.map(({ pointer, keyword, unconditional }) => [pointer, keyword, unconditional])).toEqual([
      ['/other', 'required', true],
      ['/schema/properties/a', 'anyOf', true],
      ['/schema/properties/a/anyOf/0', 'minLength', false],
      ['/schema/properties/a/anyOf/1', 'type', false],
      ['/schema/properties/b/items', 'format', true],
    ]);
  });
});

describe('parameters', () => {
  const array = '[3,4,5]';
  const object = '{"r":100,"g":200}';
  /** The rows of the table in https://spec.openapis.org/oas/v3.1.0#style-examples, for a parameter named p. */
  test.each<[string, string, boolean, string, string]>([
    ['path', 'simple', false, array, '3,4,5'],
    ['path', 'simple', false, object, 'r,100,g,200'],
    ['path', 'simple', true, object, 'r=100,g=200'],
    ['path', 'label', false, '5', '.5'],
    ['path', 'label', true, array, '.3.4.5'],
    ['path', 'label', true, object, '.r=100.g=200'],
    ['path', 'matrix', false, '5', ';p=5'],
    ['path', 'matrix', false, array, ';p=3,4,5'],
    ['path', 'matrix', true, array, ';p=3;p=4;p=5'],
    ['path', 'matrix', true, object, ';r=100;g=200'],
    ['query', 'form', true, array, 'p=3&p=4&p=5'],
    ['query', 'form', false, array, 'p=3,4,5'],
    ['query', 'form', false, object, 'p=r,100,g,200'],
    ['query', 'spaceDelimited', false, array, 'p=3%204%205'],
    ['query', 'pipeDelimited', false, array, 'p=3%7C4%7C5'],
    ['query', 'deepObject', true, object, 'p%5Br%5D=100&p%5Bg%5D=200'],
    ['header', 'simple', false, array, '3,4,5'],
    ['cookie', 'form', true, '5', 'p=5'],
  ])('in %s, style %s, explode %s: %s is %s', (place, style, explode, value, want) => {
    const parameter = { name: 'p', in: place, style, explode, schema: {}, required: true };
    const json = { openapi: '3.1.0', paths: { '/{p}': { get: { parameters: [parameter], responses: {} } } } };
    const [read] = readDocument(json).operations[0]?.parameters ?? [];
    expect(read && serializeParameter(read, parse(value))).toBe(want);
  });

  test('are read back as their schema types them', () => {
    const parameters = [{ name: 'p', in: 'query', schema: { type: 'array', items: { type: 'integer' } } }];
    const document = readDocument({
      openapi: '3.1.0',
      paths: { '/': { get: { parameters, responses: {} } } },
    });
    const [slot] = document.operations.flatMap((operation) => slots(document, operation));
    expect(slot?.decode(parse('["7"]'))).toEqual(parse('[7]'));
    expect(slot?.decode(parse('["x"]'))).toEqual(['x']);
    expect(slot?.decode(parse('[]'))).toBeUndefined();
  });
});
