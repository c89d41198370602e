import type { Json, JsonObject } from '../../src/json/tree';
import { parse } from '../../src/json/value';
import { createOracle } from '../../src/schema/oracle';

const oracleOf = (json: JsonObject) => createOracle({ json, direction: 'request' });
const valid = (schema: Json, text: string): boolean => oracleOf({ schema }).valid('/schema', parse(text));

const int32 = { type: 'integer', format: 'int32' };
const int64 = { type: 'integer', format: 'int64' };
const closed = { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false };

describe('the oracle', () => {
  test.each([
    ['the largest int64', int64, '9223372036854775807', true],
    ['one more than int64', int64, '9223372036854775808', false],
    ['the smallest int64', int64, '-9223372036854775808', true],
    ['one less than int64', int64, '-9223372036854775809', false],
    ['the largest with an exponent', int64, '9.223372036854775807e18', true],
    ['1e19', int64, '1e19', false],
    ['1e400', int64, '1e400', false],
    ['a number between two doubles', { minimum: 2 ** 63 - 1024 }, '9223372036854775296', true],
    ['1e2 as an integer', int64, '1e2', true],
    ['1.0 as an integer', int64, '1.0', true],
    ['a fraction that a double cannot hold', { type: 'integer' }, '1.00000000000000000001', false],
    ['a fraction beyond 2^53', { type: 'integer' }, '9007199254740993.5', false],
    ['the same fraction as a number', { type: 'number' }, '9007199254740993.5', true],
    ['the largest int32', int32, '2147483647', true],
    ['one more than int32', int32, '2147483648', false],
    ...[
      ['int8', '127', '128', '-129'],
      ['int16', '32767', '32768', '-32769'],
      ['uint8', '255', '256', '-1'],
      ['uint16', '65535', '65536', '-1'],
      ['uint32', '4294967295', '4294967296', '-1'],
      ['double-int', '9007199254740991', '9007199254740992', '-9007199254740992'],
    ].flatMap(([format = '', most = '', more = '', less = '']): [string, Json, string, boolean][] => [
      [`the largest ${format}`, { type: 'integer', format }, most, true],
      [`one more than ${format}`, { type: 'integer', format }, more, false],
      [`one less than ${format}`, { type: 'integer', format }, less, false],
    ]),
    ['a string where the format is int64', { type: ['integer', 'string'], format: 'int64' }, '"x"', true],
    ['a value beyond int64 below not', { not: int64 }, '9223372036854775808', true],
    ['a value in int64 below not', { not: int64 }, '9223372036854775807', false],
    ['a property named __proto__', { additionalProperties: false }, '{"__proto__":1}', false],
    ['a missing property', { required: ['a'] }, '{"b":1}', false],
    ['an unevaluated property', closed, '{"b":1}', false],
    ['astral characters counted as one', { maxLength: 2 }, '"🌱🌱"', true],
  ])('judges %s', (_, schema, text, want) => {
    expect(valid(schema, text)).toBe(want);
  });

  test('follows recursive references', () => {
    const tree = { type: 'object', required: ['n'], properties: { n: {}, next: { $ref: '#/schemas/tree' } } };
    const oracle = oracleOf({ schemas: { tree } });
    expect(oracle.valid('/schemas/tree', parse('{"n":1,"next":{"n":2}}'))).toBe(true);
    expect(oracle.valid('/schemas/tree', parse('{"n":1,"next":{}}'))).toBe(false);
  });

  test('judges one keyword independent of the others', () => {
    const oracle = oracleOf({ schema: { type: 'string', minLength: 3, pattern: '^a' } });
    expect(oracle.breaks('/schema', 'minLength', 'b')).toBe(true);
    expect(oracle.breaks('/schema', 'type', 'b')).toBe(false);
  });

  test('prepares a schema once', () => {
    const read = jest.fn(() => 'string');
    const schema = Object.defineProperty({}, 'type', { get: read, enumerable: true });
    const oracle = oracleOf({ schema });
    expect(oracle.valid('/schema', 'a')).toBe(true);
    const times = read.mock.calls.length;
    expect([oracle.valid('/schema', 'b'), oracle.valid('/schema', null)]).toEqual([true, false]);
    expect(read).toHaveBeenCalledTimes(times);
  });

  test('ignores examples that look like schemas', () => {
    const member = () => ({ type: 'integer', example: { id: 'https://example.org/1' } });
    expect(valid({ properties: { a: member(), b: member() } }, '{"a":1,"b":"x"}')).toBe(false);
  });

  test('throws on a keyword that it does not support', () => {
    expect(() => valid({ $dynamicRef: '#x' }, '1')).toThrow('$dynamicRef');
  });
});

test.each([
  ['a pattern', { type: 'string', pattern: '^(a+)+$' }, `"${'a'.repeat(60)}!"`],
  ['a pattern of names', { patternProperties: { '^(a|a)*$': {} } }, `{"${'a'.repeat(60)}!":1}`],
])('has no verdict if %s takes too long, and returns all the same', (_, schema, text) => {
  const oracle = oracleOf({ schema });
  const verdictOn = (value: string) => [oracle.decides('/schema', parse(value)), valid(schema, value)];
  expect(verdictOn(text)).toEqual([false, false]);
  expect(oracle.errors('/schema', parse(text))).toEqual([expect.stringMatching(/^is not judged: /)]);
  expect(verdictOn(text.replace('!', ''))).toEqual([true, true]);
});
