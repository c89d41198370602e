import { OpenApiDocument } from '../../../src/contract/document/document';
import { SchemaSet } from '../../../src/contract/schema/schema-set';
import { Shapes } from '../../../src/contract/schema/shapes';
import { buildDocument } from '../../../../../scripts/testing/service';

const BRANCHES = Array.from({ length: 12 }, (_, i) => ({ properties: { [`p${i}`]: { type: 'integer' } } }));
const document = new OpenApiDocument(
  buildDocument({ components: { schemas: { Mix: { anyOf: BRANCHES } } } }),
);

test('the number of cached shapes is bounded, whichever branches clients choose', () => {
  let chosen = 0;
  const branches: string[] = [];
  const holdsOf = (branch: string) => {
    if (!branches.includes(branch)) branches.push(branch); // in document order
    return () => (chosen & (1 << branches.indexOf(branch))) !== 0;
  };
  const shapes = new Shapes(new SchemaSet(document, 'response'), 'response', holdsOf);
  const convert = shapes.converter('/components/schemas/Mix');
  const all = Object.fromEntries(BRANCHES.map((_, i) => [`p${i}`, i]));
  for (chosen = 1; chosen < 1 << BRANCHES.length; chosen++) {
    const holder = { body: { ...all } };
    convert?.(holder, 'body');
    const left = Object.values(holder.body).reduce((bits, i) => bits | (1 << i), 0);
    expect(left).toBe(chosen);
  }
  for (const memory of ['shapes', 'positions']) {
    expect((Reflect.get(shapes, memory) as Map<string, unknown>).size).toBeLessThanOrEqual(1000);
  }
});

test.each(['request', 'response'] as const)(
  'the property of a discriminator is listed in a %s, though no branch describes it',
  (direction) => {
    const branch = (name: string) => ({ type: 'object', properties: { [name]: { type: 'integer' } } });
    const schemas = {
      Cat: branch('lives'),
      Dog: branch('tricks'),
      Pet: {
        oneOf: ['Cat', 'Dog'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
        discriminator: { propertyName: 'kind' },
      },
    };
    const pets = new OpenApiDocument(buildDocument({ components: { schemas } }));
    const shapes = new Shapes(new SchemaSet(pets, direction), direction, () => () => true);
    const holder = { body: { kind: 'Cat', lives: 9, other: 1 } };
    shapes.converter('/components/schemas/Pet')?.(holder, 'body');
    expect(holder.body).toEqual({ kind: 'Cat', lives: 9 });
  },
);
