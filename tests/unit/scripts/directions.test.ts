import { splitByDirection } from '../../../scripts/publish/directions';
import { isObject, OpenApiDocument } from '../../../src/contract';
import { buildDocument, json } from '../../support/service';

const split = (schema: object, schemas: Readonly<Record<string, unknown>> = {}) => {
  const operation = { requestBody: { content: json(schema) }, responses: { 200: { description: '' } } };
  const { components } = splitByDirection(
    new OpenApiDocument(buildDocument({ operation, components: { schemas } })),
  );
  return isObject(components) ? components['schemas'] : undefined;
};
const id = { properties: { id: { type: 'integer', readOnly: true } } };

it('copies a row of 1,600 schemas that lead to one that goes one way', () => {
  const reference = (i: number) => ({ $ref: `#/components/schemas/It${i}` });
  const row = Array.from({ length: 1_600 }, (_, i) => [`It${i}`, { allOf: [reference(i + 1)] }] as const);
  const schemas = split(reference(0), { ...Object.fromEntries(row), It1600: id });
  expect(schemas).toMatchObject({
    It0Request: { allOf: [{ $ref: '#/components/schemas/It1Request' }] },
    It1600Request: { properties: {} },
  });
});

it.each([
  ['then', { if: true, then: { required: ['id'] } }],
  ['dependentSchemas', { dependentSchemas: { a: { required: ['id'] } } }],
])('does not require what goes the other way in %s', (keyword, rest) => {
  expect(split({ $ref: '#/components/schemas/It' }, { It: { ...id, ...rest } })).toMatchObject({
    ItRequest: { [keyword]: keyword === 'then' ? { required: [] } : { a: { required: [] } } },
  });
});
