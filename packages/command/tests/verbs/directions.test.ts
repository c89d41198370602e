import { splitByDirection } from '../../src/document/publish/directions';
import { isObject, OpenApiDocument } from 'contract-first-server/tools';
import { buildDocument, json } from '../../../../scripts/testing/service';

const split = (schema: object, schemas: Readonly<Record<string, unknown>> = {}) => {
  const operation = { requestBody: { content: json(schema) }, responses: { 200: { description: '' } } };
  const { components } = splitByDirection(
    new OpenApiDocument(buildDocument({ operation, components: { schemas } })),
  );
  return isObject(components) ? components['schemas'] : undefined;
};
const id = { properties: { id: { type: 'integer', readOnly: true } } };

it('copies a chain of 800 schemas that ends in one with a readOnly property', () => {
  const reference = (i: number) => ({ $ref: `#/components/schemas/It${i}` });
  const row = Array.from({ length: 800 }, (_, i) => [`It${i}`, { allOf: [reference(i + 1)] }] as const);
  const schemas = split(reference(0), { ...Object.fromEntries(row), It800: id });
  expect(schemas).toMatchObject({
    It0Request: { allOf: [{ $ref: '#/components/schemas/It1Request' }] },
    It800Request: { properties: {} },
  });
});

it.each([
  ['then', { if: true, then: { required: ['id'] } }],
  ['dependentSchemas', { dependentSchemas: { a: { required: ['id'] } } }],
])('does not require a property of the other direction in %s', (keyword, rest) => {
  expect(split({ $ref: '#/components/schemas/It' }, { It: { ...id, ...rest } })).toMatchObject({
    ItRequest: { [keyword]: keyword === 'then' ? { required: [] } : { a: { required: [] } } },
  });
});

it('does not mistake a name for a field', () => {
  const schema = { $ref: '#/components/schemas/It' };
  const responses = Object.fromEntries(
    ['schema', 'parameters', 'requestBody'].map((name) => [
      name,
      { description: '', content: json({ ...schema, default: {} }), headers: { default: { schema } } },
    ]),
  );
  const root = buildDocument({
    components: { schemas: { It: { properties: { id: { writeOnly: true } } } }, responses },
  });
  const { components } = splitByDirection(new OpenApiDocument(root));
  const copy = { $ref: '#/components/schemas/ItResponse' };
  for (const name of Object.keys(responses)) {
    expect(components).toHaveProperty(['responses', name, 'content', 'application/json', 'schema'], {
      ...copy,
      default: {},
    });
    expect(components).toHaveProperty(['responses', name, 'headers', 'default', 'schema'], copy);
  }
});
