import { readDocument } from '../../../scripts/prove/document/reader';
import { remarksOn } from '../../../scripts/prove/report/remarks';

const list = { type: 'array', items: { type: 'string' } };
const get = (schema: object) => ({
  get: {
    operationId: 'getIt',
    responses: { 200: { description: 'done', content: { 'application/json': { schema } } } },
  },
});
const remarksOf = (schema: object): string[] =>
  remarksOn(
    readDocument({
      openapi: '3.1.0',
      info: { title: 'Lists', version: '1.0.0' },
      paths: { '/it': get(schema) },
      components: { schemas: { List: list } },
    } as never),
  ).map(({ pointer }) => pointer);

const SCHEMA = '/paths/~1it/get/responses/200/content/application~1json/schema';

test.each([
  ['a list', list, [SCHEMA]],
  ['a list in an envelope', { type: 'object', properties: { items: list } }, [`${SCHEMA}/properties/items`]],
  ['a list by reference', { $ref: '#/components/schemas/List' }, ['/components/schemas/List']],
  ['a list or null', { ...list, type: ['array', 'null'] }, [SCHEMA]],
  ['a list with a bound', { ...list, maxItems: 100 }, []],
  ['an object', { type: 'object' }, []],
])('a response with %s is remarked on if it has no bound', (_, schema, want) => {
  expect(remarksOf(schema)).toEqual(want);
});
