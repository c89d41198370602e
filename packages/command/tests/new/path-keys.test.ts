import { OpenApiDocument } from 'contract-first-server/tools';
import { buildDocument } from '../../../../scripts/testing/service';
import { keyValue, numbersFor } from '../../src/new/tables/path-keys';

const MOST = 2 ** 47;

test.each<[object, readonly [number, number] | undefined]>([
  [{}, [1, MOST]],
  [{ minimum: 0 }, [1, MOST]],
  [{ minimum: 1000.5 }, [1001, MOST]],
  [{ exclusiveMinimum: 1000.5 }, [1001, MOST]],
  [{ exclusiveMinimum: 1000 }, [1001, MOST]],
  [{ maximum: 2 ** 40 }, [1, 2 ** 40 + 1]],
  [{ maximum: 2 ** 40 + 0.5 }, [1, 2 ** 40 + 1]],
  [{ exclusiveMaximum: 2 ** 40 }, [1, 2 ** 40]],
  [{ format: 'int32' }, [1, 2 ** 31]],
  [{ maximum: 1000 }, undefined],
  [{ maximum: -1 }, undefined],
  [{ minimum: 2 ** 50 }, undefined],
  [{ multipleOf: 10 }, undefined],
  [{ enum: [1, 2] }, undefined],
])('keys are drawn from the numbers that %j admits: %j', (bounds, expected) => {
  const document = new OpenApiDocument(
    buildDocument({ components: { schemas: { Key: { type: 'integer', ...bounds } } } }),
  );
  expect(numbersFor(document, ['/components/schemas/Key'])).toEqual(expected);
});

test.each([
  ['TEXT', 7, '7'],
  ['TEXT', 2n ** 60n, String(2n ** 60n)],
  ['TEXT', 'a', 'a'],
  ['INT64', '7', 7n],
  ['INT64', '999999999999999999', 999999999999999999n],
  ['INT64', '9999999999999999999', undefined],
  ['INT64', '007', undefined],
  ['INT64', 'a', undefined],
  ['INTEGER', '7', 7],
  ['INTEGER', '9999999999999999', undefined],
  ['INTEGER', undefined, undefined],
  ['DATE', '2024-01-01', '2024-01-01'],
] as const)('the key in a column %s for %j in a path is %j', (type, example, key) => {
  expect(keyValue(type, example)).toEqual(key);
});
