import { OpenApiDocument } from 'contract-first-server/tools';
import { Reader } from '../../src/client/runtime/read';
import { typeOf } from '../../src/generate/column-types';
import { secretIn } from '../../src/new/tables/secrets';
import { handledValue } from '../../src/new/types';
import { buildDocument } from '../../../../scripts/testing/service';

/*
 * Schemas that lead to each other in many ways. Where each way is taken, these tests take minutes, and exceed their time; where each
 * schema is asked once, milliseconds.
 */

const documentOf = (schemas: object) => new OpenApiDocument(buildDocument({ components: { schemas } }));
const to = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const many = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

test('objects that refer to all others are searched for secrets once', () => {
  const names = many(14, 'Object');
  const properties = Object.fromEntries(names.map((name) => [`to${name}`, to(name)]));
  const document = documentOf(
    Object.fromEntries(names.map((name) => [name, { type: 'object', properties }])),
  );
  expect(secretIn(document, ['/components/schemas/Object0'])).toBeUndefined();
});

test('layers of unions are searched for the type of a column and of a value once', () => {
  const layers = many(8, 'Layer').map((layer) => many(8, layer));
  const schemas = layers.flatMap((layer, i) =>
    layer.map((name): [string, object] => [
      name,
      layers[i + 1] ? { anyOf: layers[i + 1]?.map(to) } : { type: 'string' },
    ]),
  );
  const document = documentOf(Object.fromEntries<object>(schemas));
  const first = [`/components/schemas/${String(layers[0]?.[0])}`];
  expect(typeOf(document, first).type).toBe('TEXT');
  expect(handledValue(document, first, 7)).toBe(7);
});

test('a client asks each schema of an answer once', () => {
  // Each has two branches, and both lead to the next.
  const shapes = many(30, '').flatMap((_, i) => [
    { any: [[2 * i + 2, 2 * i + 1]] },
    { all: [2 * i + 2], required: ['title'] },
  ]);
  const reader = new Reader([...shapes, { types: ['object'], required: ['name'] }]);
  for (const value of [5, { ix: 1 }]) expect(reader.exact(value, 0)).toEqual(value);
});
