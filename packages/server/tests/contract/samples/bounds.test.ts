import { type JsonObject } from 'contract-first-server';
import { OpenApiDocument, samples } from 'contract-first-server/tools';
import { buildDocument } from '../../../../../scripts/testing/service';

// The work for a sample is bounded, whatever its schema demands. It is counted in values, not measured in time.

const list = (items: JsonObject, most = 1e7): JsonObject => ({ type: 'array', minItems: most, items });
const HOSTILE: readonly [string, JsonObject][] = [
  ['minProperties', { type: 'object', minProperties: 1e7 }],
  ['minItems', list({ type: 'string' })],
  ['minLength', { type: 'string', minLength: 1e9 }],
  ['minContains', { type: 'array', contains: { const: 1 }, minContains: 1e7 }],
  ['uniqueItems', { ...list({ type: 'integer' }), uniqueItems: true }],
  ['propertyNames', { type: 'object', minProperties: 1e7, propertyNames: { pattern: '^[a-z]{3}$' } }],
  ['lists of lists', list(list(list({ type: 'object', minProperties: 1_000 }, 1_000), 1_000), 1_000)],
  ['objects of lists', { type: 'object', minProperties: 1e7, additionalProperties: list({}, 1_000) }],
];

const sizeOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, one: unknown) => sum + sizeOf(one), 1)
    : 1;

test.each(HOSTILE)('%s', (_, schema) => {
  const document = new OpenApiDocument(buildDocument({ components: { schemas: { Hostile: schema } } }));
  const sizes = [...samples(document, '/components/schemas/Hostile', 'response')].map(sizeOf);
  expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(20_000);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(80_000);
});
