import { unboundedLists } from '../../../scripts/publish/remarks';
import { OpenApiDocument, readOperations } from '../../../src/contract';
import { buildDocument, json } from '../../support/service';

const pointersOf = (schema: object, status = '200', content = json(schema)) => {
  const document = new OpenApiDocument(
    buildDocument({
      operation: { responses: { [status]: { description: '', content } } },
      components: { schemas: { List: { type: 'array' }, Short: { type: 'array', maxItems: 9 } } },
    }),
  );
  return unboundedLists(document, readOperations(document)).map(({ pointer }) => pointer);
};
const AT = '/paths/~1things/post/responses/200/content/application~1json/schema';

it.each([
  [{ type: 'array' }],
  [{ type: ['array', 'null'], items: true }],
  [{ $ref: '#/components/schemas/List' }],
  [{ allOf: [{ $ref: '#/components/schemas/List' }, { minItems: 1 }] }],
])('a response of %j is a list of unlimited length', (schema) => {
  expect(pointersOf(schema)).toEqual([AT]);
  expect(pointersOf({ ...schema, maxItems: 9 })).toEqual([]);
  expect(pointersOf(schema, '404')).toEqual([]);
});

it.each([
  [{ type: 'object' }],
  [{ $ref: '#/components/schemas/Short' }],
  [{ properties: { list: { type: 'array' } } }],
])('a response of %j is not such a list', (schema) => {
  expect(pointersOf(schema)).toEqual([]);
});
