import { otherThan } from '../../src/new/tests';
import { handledValue } from '../../src/new/types';
import { type JsonObject } from 'contract-first-server';
import { OpenApiDocument } from 'contract-first-server/tools';
import { buildDocument } from '../../../../scripts/testing/service';

const POINTER = '/components/schemas/One';
const documentOf = (schema: JsonObject) =>
  new OpenApiDocument(buildDocument({ components: { schemas: { One: schema } } }));
const integer = { type: 'integer' };
const text = { type: 'string' };
const int64 = { ...integer, format: 'int64' };

test.each<[JsonObject, example: unknown, other: unknown]>([
  [integer, 1, 999_999],
  [integer, 999_999, 1_000_000],
  [{ ...integer, maximum: 9 }, 8, 9],
  [{ ...integer, maximum: 9 }, 9, 8],
  [{ ...integer, exclusiveMaximum: 9 }, 8, 7],
  [{ ...integer, minimum: 1_000_000 }, 1_000_000, 1_000_001],
  [{ ...integer, minimum: 5, maximum: 5 }, 5, undefined],
  [text, 'a', 'none-such'],
  [
    { ...text, format: 'uuid' },
    '8e0b5a2c-6f2b-4a53-9b1e-0d6f5a7c3e21',
    'ffffffff-ffff-4fff-8fff-ffffffffffff',
  ],
  [{ ...text, pattern: '^x[12]$' }, 'x1', 'x2'],
  [{ enum: ['a', 'b'] }, 'a', undefined],
])('for %j, another key than %j is %j', (schema, example, other) => {
  expect(otherThan(documentOf(schema), POINTER, example)).toBe(other);
});

test('a handler has a value with bigints where the document has 64 bits, and members in its order', () => {
  const schema = {
    type: 'object',
    properties: { id: int64, count: integer, list: { type: 'array', items: int64 } },
    additionalProperties: int64,
  };
  const value = handledValue(documentOf(schema), [POINTER], { other: 4, list: [3], count: 2n, id: 1 });
  expect(Object.entries(value as object)).toEqual([
    ['id', 1n],
    ['count', 2],
    ['list', [3n]],
    ['other', 4n],
  ]);
});
