import { unboundedLists } from '../../src/document/publish/remarks';
import { type JsonObject } from 'contract-first-server';
import { OpenApiDocument, readOperations } from 'contract-first-server/tools';
import { DOCUMENTS, readFiles } from '../../../../scripts/testing/document-server';
import { readDocument, remarksOn } from 'contract-first-prover';
import { buildDocument, json } from '../../../../scripts/testing/service';

/** The remarks of `make generate` and of `make contract`, which are the same places. */
function pointersIn(document: JsonObject): string[] {
  const read = new OpenApiDocument(document);
  const generate = unboundedLists(read, readOperations(read)).map(({ pointer }) => pointer);
  const contract = remarksOn(readDocument(document as Parameters<typeof readDocument>[0]));
  expect(contract.map(({ pointer }) => pointer)).toEqual(generate);
  expect(new Set(contract.map(({ text }) => text)).size).toBe(generate.length);
  return generate;
}

const pointersOf = (schema: object, status = '200', content: Record<string, object> = json(schema)) =>
  pointersIn(
    buildDocument({
      operation: { responses: { [status]: { description: '', content } } },
      components: { schemas: { List: { type: 'array' }, Short: { type: 'array', maxItems: 9 } } },
    }),
  );
const AT = '/paths/~1things/post/responses/200/content/application~1json/schema';
const LIST = '/components/schemas/List';

it.each([
  [{ type: 'array' }, [AT]],
  [{ type: ['array', 'null'], items: true }, [AT]],
  [{ $ref: '#/components/schemas/List' }, [LIST]],
  [{ allOf: [{ $ref: '#/components/schemas/List' }, { minItems: 1 }] }, [LIST]],
])('a response of %j is a list of unlimited length', (schema, places) => {
  expect(pointersOf(schema)).toEqual(places);
  expect(pointersOf({ ...schema, maxItems: 9 })).toEqual([]);
  expect(pointersOf(schema, '404')).toEqual([]);
  expect(pointersOf({ properties: { all: schema } })).toEqual(
    places.map((place) => place.replace(AT, `${AT}/properties/all`)),
  );
  expect(pointersOf({}, '200', { ...json(schema), 'application/xml': { schema } })).toEqual(places);
  expect(
    pointersOf({ properties: { all: schema }, allOf: [{ properties: { all: { maxItems: 9 } } }] }),
  ).toEqual([]);
});

it('two lists in one response are two remarks', () => {
  const list = { type: 'array', items: true };
  expect(pointersOf({ properties: { 'a/b': list, c: list } })).toEqual([
    `${AT}/properties/a~1b`,
    `${AT}/properties/c`,
  ]);
});

it.each([
  [{ type: 'object' }],
  [{ $ref: '#/components/schemas/Short' }],
  [{ type: 'array', enum: [[]] }],
  [{ properties: { list: { properties: { deep: { type: 'array' } } } } }],
])('a response of %j is not such a list', (schema) => {
  expect(pointersOf(schema)).toEqual([]);
});

it.each(DOCUMENTS)('make generate and make contract remark on the same lists of %s', async (name) => {
  pointersIn(await readFiles(name));
});
