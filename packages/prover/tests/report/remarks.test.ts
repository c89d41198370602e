import { remarksOn } from '../../src/report/remarks';
import { inJson, read } from '../support/document';

const list = { type: 'array', items: { type: 'string' } };
const SCHEMA = '/paths/~1things/get/responses/200/content/application~1json/schema';

test.each([
  ['a list', list, [SCHEMA]],
  ['a list in an envelope', { type: 'object', properties: { items: list } }, [`${SCHEMA}/properties/items`]],
  ['a list by reference', { $ref: '#/components/schemas/List' }, ['/components/schemas/List']],
  ['a list or null', { ...list, type: ['array', 'null'] }, [SCHEMA]],
  ['a list with a bound', { ...list, maxItems: 100 }, []],
  ['an object', { type: 'object' }, []],
])('a response with %s is remarked on if it has no bound', (_, schema, want) => {
  const responses = { 200: { description: 'done', content: inJson(schema) } };
  const { document } = read({ get: { responses } }, { components: { schemas: { List: list } } });
  expect(remarksOn(document).map(({ pointer }) => pointer)).toEqual(want);
});
