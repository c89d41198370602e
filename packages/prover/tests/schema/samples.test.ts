import * as fc from 'fast-check';
import type { Schemas } from '../../src/document/direction';
import type { JsonObject } from '../../src/json/tree';
import { print, type Value } from '../../src/json/value';
import { createOracle } from '../../src/schema/oracle';
import { nearSamples, samples } from '../../src/schema/samples';
import { ANY_CHARACTER } from '../../src/schema/strings';

const requests = (json: JsonObject): Schemas => ({ json, direction: 'request' });

const sample = (schema: JsonObject, mode: 'required' | 'all' | 'any'): Value[] => {
  const schemas = requests({ schema });
  return samples(schemas, createOracle(schemas), '/schema', mode, 20);
};

describe('samples', () => {
  test.each<[string, JsonObject]>([
    ['lengths', { type: 'string', minLength: 3, maxLength: 3 }],
    ['enums', { enum: ['a', 1, null] }],
    [
      'tuples',
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'null' }], items: false, minItems: 2 },
    ],
    ['sets', { type: 'array', items: { type: 'integer' }, uniqueItems: true, minItems: 2 }],
    [
      'allOf',
      {
        allOf: [
          { required: ['a'], properties: { a: { type: 'string' } } },
          { properties: { a: { maxLength: 2 } } },
        ],
      },
    ],
  ])('are valid for a schema with %s, in every mode', (_, schema) => {
    expect(sample(schema, 'required').length).toBeGreaterThan(0);
    expect(sample(schema, 'all').length).toBeGreaterThan(0);
    expect(sample(schema, 'any').length).toBeGreaterThan(0);
  });

  test.each<[string, JsonObject]>([
    ['alone', {}],
    ['between bounds', { minimum: 0.1, maximum: 0.2 }],
    ['on a small interval', { exclusiveMinimum: 0, maximum: 1e-40 }],
  ])('of the format float are floats: %s', (_, bounds) => {
    const found = sample({ type: 'number', format: 'float', ...bounds }, 'any').map((value) =>
      Number(print(value)),
    );
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((number) => Math.fround(number) !== number)).toEqual([]);
  });

  test('have the members of each schema, however deep, where none is below itself', () => {
    const chain = Array.from({ length: 9 }, (_, n): [string, JsonObject] => [
      `S${n}`,
      { type: 'object', properties: { [`p${n}`]: { $ref: `#/schema/$defs/S${n + 1}` } } },
    ]);
    const $defs = { ...Object.fromEntries(chain), S9: { type: 'string' } };
    const [value] = sample({ $ref: '#/schema/$defs/S0', $defs }, 'all');
    expect(value && print(value)).toMatch(/^\{"p0":\{"p1":.*"p8":"/);
  });

  test('have the members of a schema in one place, where tuples lead to it from many', () => {
    const tupleOf = (name: string) => {
      const prefixItems = Array<JsonObject>(30).fill({ $ref: `#/schema/$defs/${name}` });
      return { type: 'object', properties: { tuple: { type: 'array', minItems: 30, prefixItems } } };
    };
    const leaf = { type: 'object', properties: { leaf: { const: 1 } } };
    const found = sample({ ...tupleOf('Inner'), $defs: { Inner: tupleOf('Leaf'), Leaf: leaf } }, 'all');
    for (const value of found) expect(print(value).match(/leaf/g)?.length).toBeLessThanOrEqual(30);
  });

  test('are the same on every run', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'number' } },
    };
    expect(sample(schema, 'any').map(print)).toEqual(sample(schema, 'any').map(print));
  });
});

test('strings of any character are those of fast-check', () => {
  const texts = (unit: 'binary' | fc.Arbitrary<string>) =>
    fc.sample(fc.string({ unit, maxLength: 20 }), { numRuns: 500, seed: 1 });
  expect(texts(ANY_CHARACTER)).toEqual(texts('binary'));
});

test('values near generated ones break one branch, so that exactly one applies', () => {
  const schemas = requests({
    schema: {
      oneOf: [
        { properties: { limit: { type: 'number' }, from: { type: 'string', format: 'date' } } },
        { properties: { cursor: { type: 'string' } } },
      ],
    },
  });
  const found = [...nearSamples(schemas, createOracle(schemas), '/schema')].map(print);
  expect(found).toEqual(
    expect.arrayContaining([expect.stringMatching(/^\{"limit":[\d.-]+,"from":"\d.*","cursor":null\}$/)]),
  );
  expect(found).toEqual(expect.arrayContaining([expect.stringMatching(/"cursor":"[^}]*"limit":null/)]));
});

describe('values near samples', () => {
  const unionOf = (count: number, name = 'k', from = 0): JsonObject => ({
    oneOf: Array.from({ length: count }, (_, i) => ({
      type: 'object',
      required: ['kind'],
      properties: { kind: { const: `${name}${from + i}` } },
    })),
  });
  const object = (properties: Record<string, JsonObject>): JsonObject => ({
    type: 'object',
    required: Object.keys(properties),
    properties,
  });

  test.each<[string, number, JsonObject]>([
    ['a property', 25, object({ u: unionOf(25) })],
    ['a property', 100, object({ u: unionOf(100) })],
    ['an item', 30, { type: 'array', minItems: 1, items: unionOf(30) }],
    ['the whole', 30, unionOf(30)],
    ['a union of unions', 60, { oneOf: Array.from({ length: 30 }, (_, i) => unionOf(2, 'k', 2 * i)) }],
    ['a part of a branch', 30, { oneOf: [object({ v: unionOf(30) }), { type: 'string' }] }],
    ['a property beside a short union', 30, object({ u: unionOf(2, 's'), v: unionOf(30) })],
    ['two unions', 30, { allOf: [object({ u: unionOf(26, 'a') }), object({ v: unionOf(30) })] }],
  ])('have each branch of %s with %i branches', (_, count, schema) => {
    const schemas = requests({ schema });
    const near = [...nearSamples(schemas, createOracle(schemas), '/schema')].map(print).join('\n');
    const missing = Array.from({ length: count }, (_, i) => `"k${i}"`).filter((text) => !near.includes(text));
    expect(missing).toEqual([]);
  });
});
