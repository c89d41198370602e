import { stringify } from 'yaml';
import { typeOf } from '../../src/generate/column-types';
import { columnsOf } from '../../src/new/tables/columns';
import { insideOf, within } from '../../src/new/errors/envelopes';
import { layOut } from '../../src/new/layout';
import { namesFrom } from '../../src/new/names';
import { readSource } from '../../src/document/source/source';
import { OpenApiDocument } from 'contract-first-server/tools';
import { useFolder } from '../../../../scripts/testing/folder';
import { buildDocument } from '../../../../scripts/testing/service';

const folder = useFolder();
const inDocument = (schemas: Record<string, object>) =>
  new OpenApiDocument(buildDocument({ components: { schemas } }));

const integer = { type: 'integer' };
const text = { type: 'string' };
const none = { type: 'null' };

it.each([
  [text, 'TEXT'],
  [{ ...text, format: 'uuid' }, 'TEXT'],
  [{ ...text, format: 'date-time' }, 'TIMESTAMP'],
  [{ ...text, format: 'date' }, 'DATE'],
  [{ ...integer, format: 'int64' }, 'INT64'],
  [{ ...integer, format: 'int32' }, 'INTEGER'],
  [{ type: 'number' }, 'DOUBLE'],
  [{ type: 'boolean' }, 'BOOLEAN'],
  [{ type: ['string', 'null'] }, 'TEXT', 'nullable'],
  [{ anyOf: [integer, none] }, 'INTEGER', 'nullable'],
  [{ oneOf: [{ enum: ['a'] }, { const: 'b' }] }, 'TEXT', 'narrow'],
  [{ enum: ['a', 'b', null] }, 'TEXT', 'nullable', 'narrow'],
  [{ allOf: [{ type: 'string' }, { format: 'date' }] }, 'DATE'],
  [{ type: ['string', 'integer'] }, 'JSON_VALUE', 'narrow'],
  [{ type: 'array', items: text }, 'JSON_VALUE', 'narrow'],
  [{ type: 'object' }, 'JSON_VALUE', 'narrow'],
  [{}, 'JSON_VALUE', 'nullable', 'narrow'],
])('a property %j has a column of %s', (schema, type, ...rules) => {
  const given = typeOf(inDocument({ A: schema }), ['/components/schemas/A']);
  expect(given).toEqual({ type, nullable: rules.includes('nullable'), narrow: rules.includes('narrow') });
});

test('columns are NOT NULL where the document requires, and a name of two cases is two names', () => {
  const properties = {
    Id: integer,
    id: text,
    'user-name': text,
    user_name: text,
    secret: { ...text, writeOnly: true },
  };
  const document = inDocument({ A: { type: 'object', required: ['id'], properties } });
  const found = columnsOf(document, ['/components/schemas/A'], []);
  expect(found?.columns.map(({ property, name, required }) => [property, name, required])).toEqual([
    ['Id', 'Id', false],
    ['id', 'id2', true],
    ['user-name', 'userName', false],
    ['user_name', 'user_name', false],
  ]);
});

const thing = { type: 'object', required: ['id'], properties: { id: text } };
const list = { type: 'array', items: thing };
const object = (properties: object, ...required: readonly string[]) => ({
  type: 'object',
  required,
  properties,
});
const said = { status: { ...integer, example: 200 }, message: { ...text, examples: ['Found'] } };
it.each([
  [thing, 'one', undefined, []],
  [object({ thing }), 'one', 'thing', []],
  [object({ data: thing, meta: { type: 'object' } }, 'data'), 'one', 'data', []],
  [object({ id: text, owner: thing }, 'id'), 'one', undefined, []],
  [list, 'list', undefined, []],
  [
    object({ things: list, thingsCount: integer }, 'things', 'thingsCount'),
    'list',
    'things',
    ['thingsCount'],
  ],
  [object({ data: list, meta: { type: 'object' } }), 'list', 'data', []],
  [object({ first: list, second: list }), 'list', undefined, []],
  [object({ ...said, data: thing }, 'status', 'message', 'data'), 'one', 'data', []],
  [object({ ...said, data: list }, 'status', 'data'), 'list', 'data', []],
  [object({ message: text, data: thing }, 'message', 'data'), 'one', undefined, []],
] as const)('the envelope of %j', (schema, wanted, property, beside) => {
  const found = insideOf(inDocument({ A: schema }), ['/components/schemas/A'], 'response', wanted);
  expect([found.property, [...found.beside.keys()]]).toEqual([property, beside]);
  expect(within(found, property === undefined ? 1 : { [property]: 1 })).toBe(1);
});

const names = namesFrom('shop', 'Shop');
const json = (schema: object): object => ({ description: '', content: { 'application/json': { schema } } });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const parameter = (name: string, schema: object, place = 'path') => ({
  name,
  in: place,
  required: place === 'path',
  schema,
});

/** The file of a resource, or of a handler, of a document with authors and their books. */
async function laidOut(
  book: object,
  responses: Readonly<Record<string, string>>,
  query: readonly object[] = [],
) {
  const error = json({ type: 'object', required: ['message'], properties: { message: text } });
  const absent = { 400: error, 404: error };
  const own = {
    ...object({ id: { ...text, format: 'uuid', readOnly: true }, ...book }, 'id', ...Object.keys(book)),
  };
  const author = object({ id: { ...integer, format: 'int64', readOnly: true }, name: text }, 'id', 'name');
  const read = (name: string, id: object) => ({
    parameters: [parameter('id', id)],
    get: { operationId: `get${name}`, responses: { 200: json(ref(name)), ...absent } },
  });
  const create = (name: string, more: object = {}) => ({
    operationId: `add${name}`,
    requestBody: { required: true, ...json(ref(name)) },
    responses: { 201: json(ref(name)), ...absent, ...more },
  });
  const root = {
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    paths: {
      '/books': {
        post: create(
          'Book',
          Object.fromEntries(
            Object.entries(responses).map(([status, description]) => [status, { ...error, description }]),
          ),
        ),
        get: {
          operationId: 'listBooks',
          parameters: query,
          responses: { 200: json({ type: 'array', items: ref('Book') }), 400: error },
        },
      },
      '/books/{id}': read('Book', { ...text, format: 'uuid' }),
      '/authors': { post: create('Author') },
      '/authors/{id}': read('Author', { ...integer, format: 'int64' }),
    },
    components: { schemas: { Book: own, Author: author } },
  };
  if (!names) throw new Error('expected names');
  return layOut(readSource(folder.write({ 'shop.yaml': stringify(root) })), names, '3.0.0');
}

const query = (name: string, schema: object) => parameter(name, schema, 'query');
it.each([
  [
    'the property that 409 names',
    { name: text, isbn: text },
    { 409: 'The name is taken.' },
    [],
    /name: TEXT\.unique\(\),\s*isbn: TEXT \}/,
  ],
  [
    'the only natural key',
    { title: text, isbn: text },
    { 409: 'Exists already.' },
    [],
    /title: TEXT,\s*isbn: TEXT\.unique\(\)/,
  ],
  [
    'no key where 409 means another thing',
    { title: text },
    { 409: 'No shelf is free.' },
    [],
    /title: TEXT\s*\}/,
  ],
  ['words of SQL', { order: text, select: text }, {}, [], /order: TEXT,\s*select: TEXT/],
  [
    'a filter and an offset',
    { title: text },
    {},
    [query('title', text), query('limit', integer), query('offset', integer)],
    /equal\(books, \{ title \}\)[^]*LIMIT \$\{Math\.max\(limit, 0\)\} OFFSET \$\{Math\.max\(offset, 0\)\}/,
  ],
  [
    'pages',
    { title: text },
    {},
    [query('page', { ...integer, minimum: 1 }), query('per_page', { ...integer, minimum: 1 })],
    /per_page = 20[^]*LIMIT \$\{per_page\} OFFSET \$\{Math\.min\(\(page - 1\) \* per_page, Number\.MAX_SAFE_INTEGER\)\}/,
  ],
])('a table has %s', async (_, book, responses, parameters, code) => {
  const { files } = await laidOut(book, responses, parameters);
  expect(files['src/storage/books.ts']).toMatch(code);
  expect(files['src/handlers/list-books.ts']).toContain('store.books.list(');
});

const isStub = (text = ''): boolean => text.includes('=> stub(');

test('no handler guesses what a search means, and the store has no list that ignores it', async () => {
  const { files, notes, stubs } = await laidOut({ title: text }, { 409: 'No shelf is free.' }, [
    query('q', text),
  ]);
  expect(stubs.map(({ operation, reason }) => [operation.operationId, reason])).toEqual([
    ['listBooks', 'the document does not say what q selects'],
  ]);
  expect(files['src/handlers/list-books.ts']).toMatch(
    / \* GET \/books\n \*\n \* A stub: the document does not say what q selects\n \*\/\nexport const listBooks/,
  );
  expect(files['src/storage/books.ts']).not.toContain('async list(');
  expect(isStub(files['src/handlers/get-book.ts'])).toBe(false);
  expect(notes.join('\n')).toContain('addBook documents 409 (No shelf is free)');
});

test('no handler guesses what a property that nobody gives means', async () => {
  const sold = { type: 'boolean', readOnly: true };
  const { files, notes, stubs } = await laidOut({ title: text, sold }, { 409: 'No shelf is free.' }, []);
  expect(stubs.map(({ operation, reason }) => [operation.operationId, reason])).toEqual([
    [
      'addBook',
      'the document does not say what sold is initially. Until you write it, there is no object for listBooks, getBook',
    ],
  ]);
  expect(isStub(files['src/handlers/add-book.ts'])).toBe(true);
  expect(isStub(files['src/handlers/get-book.ts'])).toBe(false);
  expect(notes.join('\n')).toContain('addBook documents 409 (No shelf is free)');
});
