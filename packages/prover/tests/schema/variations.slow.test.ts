import type { Schemas } from '../../src/document/direction';
import { type JsonObject, objectAt } from '../../src/json/tree';
import { parseOrUndefined, toJavaScript } from '../../src/json/value';
import { run } from '../../src/run';
import { whyNoValue } from '../../src/schema/no-value';
import { createOracle } from '../../src/schema/oracle';
import { samples } from '../../src/schema/samples';
import { MAX_VARIATIONS } from '../../src/schema/variations';
import { satisfiableSchemas } from '../support/schemas';
import { correctServer, numbers } from '../support/simple-server';

const drawn = (schema: JsonObject, mode: 'required' | 'all') => {
  const schemas: Schemas = { json: { schema }, direction: 'request' };
  return samples(schemas, createOracle(schemas), '/schema', mode, 20);
};

test('a value is found for each schema that has one, though its branches overlap', () => {
  // Four of them need the search.
  const schemas = satisfiableSchemas(600);
  expect(schemas.length).toBeGreaterThan(500);
  const missed = schemas.filter(
    ({ schema }) => drawn(schema, 'required').length + drawn(schema, 'all').length === 0,
  );
  expect(missed).toEqual([]);
});

test('generated requests are made for a schema whose values only the search finds', async () => {
  const names = { a: { type: ['string', 'null'] }, b: { type: 'integer' } };
  const schema = {
    oneOf: [
      { type: 'object', properties: names },
      { type: 'object', properties: { a: names.a } },
    ],
  };
  const holds = (value: Record<string, unknown>) =>
    (value['a'] === undefined || value['a'] === null || typeof value['a'] === 'string') &&
    value['b'] !== undefined &&
    !Number.isInteger(value['b']);
  const result = await run(
    numbers(
      (operation) => {
        objectAt(operation, '/requestBody/content/application~1json')['schema'] = schema;
      },
      (request, body) => {
        const base = correctServer(request, '1');
        if (base.status !== 204) return base;
        const value = parseOrUndefined(body);
        return {
          status: value instanceof Map && holds(toJavaScript(value) as Record<string, unknown>) ? 204 : 400,
        };
      },
      { profile: 'document', bodyLimit: undefined },
    ),
  );
  expect(result.failures.filter(({ family }) => family === 'generated')).toEqual([]);
  expect(result.families.get('generated')).toBeGreaterThan(50);
});

const text = { type: 'string' };
test.each<[string, JsonObject, string]>([
  ['false', { allOf: [{}, false] }, 'its schema is false'],
  ['two types', { allOf: [text, { type: 'integer' }] }, 'no type is admitted'],
  ['an enum of another type', { ...text, enum: [1, 2] }, 'no value of its enum conforms'],
  [
    'a pattern that nothing matches',
    { type: 'object', required: ['a'], properties: { a: { ...text, pattern: '^a$', minLength: 2 } } },
    `the search gave up after 40 drawn values and at most ${MAX_VARIATIONS} variations of them`,
  ],
  [
    'branches of other types than beside them',
    { ...text, oneOf: [{ type: 'integer' }, { type: 'null' }] },
    `the search gave up after 40 drawn values and at most ${MAX_VARIATIONS} variations of them`,
  ],
])('why a schema has no value: %s', (_, schema, want) => {
  const schemas: Schemas = { json: { schema }, direction: 'request' };
  expect([...drawn(schema, 'required'), ...drawn(schema, 'all')]).toEqual([]);
  expect(whyNoValue(schemas, createOracle(schemas), '/schema', 40)).toBe(want);
});
