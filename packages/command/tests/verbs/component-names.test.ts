import { OpenApiDocument } from 'contract-first-server/tools';
import { readSource } from '../../src/document/source/source';
import { useFolder } from '../../../../scripts/testing/folder';

const folder = useFolder();
const read = (more: object) =>
  readSource(
    folder.write({
      'main.json': JSON.stringify(
        { openapi: '3.1.0', info: { title: 'A', version: '1' }, ...more },
        undefined,
        1,
      ),
    }),
  );
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

test('a component with a name that OpenAPI does not allow is read under one that it allows', () => {
  const source = read({
    security: [{ 'Api Key': [] }],
    components: {
      schemas: {
        'Page«Pet»': { properties: { items: { items: ref('Pet') }, next: ref('Page%C2%ABPet%C2%BB') } },
        Page_Pet_: { properties: { all: ref('Page«Pet»/properties/items'), 'Page«Pet»': {} } },
        Pet: { description: '#/components/schemas/Page«Pet»' },
      },
      securitySchemes: { 'Api Key': { type: 'http', scheme: 'basic' } },
    },
  });
  expect(source.document).toMatchObject({
    security: [{ Api_Key: [] }],
    components: {
      schemas: {
        'Page_Pet_-2': { properties: { items: { items: ref('Pet') }, next: ref('Page_Pet_-2') } },
        Page_Pet_: { properties: { all: ref('Page_Pet_-2/properties/items'), 'Page«Pet»': {} } },
        Pet: { description: '#/components/schemas/Page«Pet»' },
      },
      securitySchemes: { Api_Key: { type: 'http', scheme: 'basic' } },
    },
  });
  expect(new OpenApiDocument(source.document).findings).toEqual([]);
  expect(source.locate('/components/schemas/Page_Pet_-2/properties')).toMatch(/main.json:15:\d+$/);
  expect(source.notes).toEqual([
    `${folder.path('main.json')}:14:4: OpenAPI does not allow the name "Page«Pet»": the component is read as Page_Pet_-2`,
    `${folder.path('main.json')}:39:4: OpenAPI does not allow the name "Api Key": the component is read as Api_Key`,
  ]);
});

test.each<[string, object, object, object]>([
  [
    'of a branch',
    { Pet: { oneOf: [ref('A Cat'), ref('Dog')], discriminator: { propertyName: 'kind' } } },
    {},
    { 'A Cat': '#/components/schemas/A_Cat' },
  ],
  [
    'of a subtype',
    { Pet: { discriminator: { propertyName: 'kind' } } },
    { allOf: [ref('Pet')] },
    { 'A Cat': '#/components/schemas/A_Cat' },
  ],
  [
    'that a mapping writes',
    { Pet: { oneOf: [ref('A Cat')], discriminator: { propertyName: 'kind', mapping: { cat: 'A Cat' } } } },
    {},
    { cat: '#/components/schemas/A_Cat' },
  ],
])('the earlier name %s still selects it', (_, schemas, cat, mapping) => {
  const { document } = read({ components: { schemas: { ...schemas, 'A Cat': cat, Dog: {} } } });
  expect(document).toHaveProperty('components.schemas.Pet.discriminator.mapping', mapping);
});
