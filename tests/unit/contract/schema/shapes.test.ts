import { OpenApiDocument } from '../../../../src/contract/document/document';
import { SchemaSet } from '../../../../src/contract/schema/schema-set';
import { Shapes } from '../../../../src/contract/schema/shapes';
import { buildDocument } from '../../../support/service';

const BRANCHES = Array.from({ length: 12 }, (_, i) => ({ properties: { [`p${i}`]: { type: 'integer' } } }));
const document = new OpenApiDocument(
  buildDocument({ components: { schemas: { Mix: { anyOf: BRANCHES } } } }),
);

test('what branches a client chooses does not make it remember more and more', () => {
  let chosen = 0;
  const asked: string[] = [];
  const took = (branch: string) => {
    if (!asked.includes(branch)) asked.push(branch); // in the order of the document
    return () => (chosen & (1 << asked.indexOf(branch))) !== 0;
  };
  const shapes = new Shapes(new SchemaSet(document, 'response'), 'response', took);
  const convert = shapes.converter('/components/schemas/Mix');
  const all = Object.fromEntries(BRANCHES.map((_, i) => [`p${i}`, i]));
  for (chosen = 1; chosen < 1 << BRANCHES.length; chosen++) {
    const holder = { body: { ...all } };
    convert?.(holder, 'body');
    const left = Object.values(holder.body).reduce((bits, i) => bits | (1 << i), 0);
    expect(left).toBe(chosen);
  }
  const table = Reflect.get(shapes, 'table') as object;
  for (const memory of ['shapes', 'positions']) {
    expect((Reflect.get(table, memory) as Map<string, unknown>).size).toBeLessThanOrEqual(1000);
  }
});
