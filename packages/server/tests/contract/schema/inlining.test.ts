import fc from 'fast-check';
import { OpenApiDocument } from '../../../src/contract/document/document';
import { SchemaSet } from '../../../src/contract/schema/schema-set';
import { buildDocument } from '../../../../../scripts/testing/service';

const refer = (index: number) => ({ $ref: `#/components/schemas/T${index}` });

/** The length of all rewritten schemas of a document in which every type is the body of an operation. */
function rewritten(references: readonly (readonly number[])[]): number {
  const types = references.map((targets, index): [string, object] => [
    `T${index}`,
    { properties: Object.fromEntries(targets.map((target, key) => [`p${key}`, refer(target)])) },
  ]);
  const schemas = Object.fromEntries(types);
  const set = new SchemaSet(new OpenApiDocument(buildDocument({ components: { schemas } })), 'request');
  const bodies = Object.keys(schemas).map((name) => set.body(`/components/schemas/${name}`));
  return JSON.stringify([bodies, set.components]).length;
}

const types = fc.integer({ min: 2, max: 60 });
const graph = types.chain((count) =>
  fc.array(fc.array(fc.nat(count - 1), { maxLength: 5 }), { minLength: count, maxLength: count }),
);
/** No type refers to an earlier one. Written out, the first one doubles with each layer. */
const layers = types.map((count) =>
  Array.from({ length: count }, (_, index) => (index + 1 < count ? [index + 1, index + 1] : [])),
);

/** Characters for one type: what replaces references is at most 200 schemas of some 30 characters, in both uses of a type. */
const MOST = 15_000;

test.each([
  ['that refer to each other', graph],
  ['in layers', layers],
])('the schemas of types %s grow with the number of types only', (_, documents) => {
  fc.assert(
    fc.property(documents, (references) => rewritten(references) <= MOST * references.length),
    { numRuns: 50 },
  );
});

test('a type that is recursive is rewritten once, however many refer to it', () => {
  const ring = (count: number) => Array.from({ length: count }, (_, i) => [(i + 1) % count, (i * 7) % count]);
  expect(rewritten(ring(60)) / rewritten(ring(30))).toBeLessThan(2.2);
  expect(rewritten(ring(60))).toBeLessThan(60 * 500);
});
