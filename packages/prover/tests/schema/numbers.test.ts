import * as fc from 'fast-check';
import type { JsonObject } from '../../src/json/tree';
import { NumberLiteral } from '../../src/json/value';
import { numberValues } from '../../src/schema/numbers';
import { createOracle } from '../../src/schema/oracle';

const bound = fc.oneof(
  fc.integer({ min: -20, max: 20 }),
  fc.integer({ min: -200, max: 200 }).map((tenths) => tenths / 10),
  fc.constantFrom(1e-9, -1e-7, 0.001, 1e15, 2 ** 53, -(2 ** 63)),
);
const step = fc.constantFrom(1, 2, 3, 10, 0.5, 0.1, 0.25, 2.5, 1e-7, 1e-9, 1e6);
const schemas = fc.record(
  {
    type: fc.constantFrom('integer', 'number'),
    minimum: bound,
    maximum: bound,
    exclusiveMinimum: bound,
    exclusiveMaximum: bound,
    multipleOf: step,
  },
  { requiredKeys: ['type'] },
) as fc.Arbitrary<JsonObject>;

/** Small numbers of few decimals, of which each schema of small bounds and coarse steps admits some or none. */
const SMALL = Array.from({ length: 401 }, (_, n) => new NumberLiteral(String((n - 200) / 10)));

test('finds numbers exactly where a schema has some, and each fits', () => {
  fc.assert(
    fc.property(schemas, fc.boolean(), (schema, isSimple) => {
      const values = numberValues(
        [{ pointer: '/schema', schema, unconditional: true }],
        schema['type'] === 'integer',
        isSimple,
      );
      const oracle = createOracle({ json: { schema }, direction: 'request' });
      if (!values) {
        expect(SMALL.filter((value) => oracle.valid('/schema', value))).toEqual([]);
        return;
      }
      const drawn = fc.sample(values, { numRuns: 20, seed: 1 });
      // An exclusive bound may be drawn, and is left out then.
      const fitting = drawn.filter((value) => oracle.valid('/schema', value));
      expect(fitting.length).toBeGreaterThan(0);
      if (schema['exclusiveMinimum'] === undefined && schema['exclusiveMaximum'] === undefined)
        expect(drawn.map(({ text }) => text)).toEqual(fitting.map(({ text }) => text));
    }),
    { numRuns: 150, seed: 25 },
  );
});
