import { stringify } from 'yaml';
import { layOut } from '../../src/new/layout';
import { namesFrom, pluralOf, singularOf } from '../../src/new/names';
import { readSource } from '../../src/document/source/source';
import { useFolder } from '../../../../scripts/testing/folder';

// One table for one kind of objects, with a name that a person would choose, and nothing in it that must not be stored.

const folder = useFolder();
const names = namesFrom('shop', 'Shop');
const text = { type: 'string' };
const object = (properties: object) => ({ type: 'object', required: Object.keys(properties), properties });
const json = (schema: object) => ({ description: 'a', content: { 'application/json': { schema } } });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const inPath = { name: 'id', in: 'path', required: true, schema: text };
const missing = { 404: json(object({ message: text })) };
const id = { ...text, readOnly: true };
const customer = object({ id, note: text });

function layOutOf(paths: object, schemas: object = {}) {
  const root = { openapi: '3.1.0', info: { title: 'Shop', version: '1' }, paths, components: { schemas } };
  if (!names) throw new Error('expected names');
  const file = folder.write({ 'api.yaml': stringify(root, { aliasDuplicateObjects: false }) });
  return layOut(readSource(file), names, '3.0.0');
}

/** Operations that create, list and read. */
function resource(path: string, of: string, schema: object, made = schema, more: object = {}) {
  const requestBody = { required: true, content: { 'application/json': { schema: made } } };
  return {
    [path]: {
      post: { operationId: `make${of}`, requestBody, responses: { 201: json(schema) } },
      get: { operationId: `list${of}`, responses: { 200: json({ type: 'array', items: schema }) } },
    },
    [`${path}/{id}`]: {
      parameters: [inPath],
      get: { operationId: `get${of}`, responses: { 200: json(schema), ...missing } },
      ...more,
    },
  };
}

it.each([
  ['/customers', ['customers'], 'there is no customer ${id}'],
  ['/users/id', ['customers'], 'there is no customer ${id}'],
  ['/orders/open', ['customers'], 'there is no customer ${id}'],
  ['/level2', ['customers'], 'there is no customer ${id}'],
])('the objects below %s are in the table %j', async (path, expected, absent) => {
  const schema = ref('Customer');
  const { tables, files } = await layOutOf(resource(path, 'One', schema), { Customer: customer });
  expect(tables.map(({ name }) => name)).toEqual(expected);
  expect(files['src/handlers/get-one.ts']).toContain(absent);
});

test('an object without a name is called what its path calls it', async () => {
  const { files } = await layOutOf(resource('/v1/companies', 'CompaniesCompany', customer));
  expect(files['src/handlers/get-companies-company.ts']).toContain('there is no company ${id}');
});

test('one kind of objects has one table, however many paths and schemas name it', async () => {
  const [one, deleted] = [ref('customer'), object({ id: text, deleted: { const: true } })];
  const change = {
    post: {
      operationId: 'change',
      requestBody: {
        required: true,
        content: { 'application/x-www-form-urlencoded': { schema: object({ note: text }) } },
      },
      responses: { 200: json(one), ...missing },
    },
    delete: { operationId: 'remove', responses: { 200: json(deleted), ...missing } },
  };
  const paths = {
    ...resource('/v1/customers', 'Customer', one, one, change),
    ...resource('/admin/customers', 'Other', one),
  };
  const { tables, files } = await layOutOf(paths, { customer });
  expect(tables.map(({ name }) => name)).toEqual(['customers']);
  // What is changed by a form, and by POST.
  expect(files['src/handlers/change.ts']).toContain('store.customers.change(id, body)');
  // What is read of a deleted one is not known.
  const scenarios = files['tests/contract/service.ts'] ?? '';
  expect(scenarios).toContain("{ operation: 'remove', parameters: (answerTo) =>");
  expect(scenarios).not.toMatch(/answerTo\(1\)[^}]*\}\), expect: 'noSuchResource'/);
});

test('two kinds of objects below a word have tables by what they belong to', async () => {
  const other = object({ id, day: text });
  const paths = { ...resource('/orgs/members', 'A', ref('A')), ...resource('/teams/members', 'B', ref('B')) };
  const { tables } = await layOutOf(paths, { A: customer, B: other });
  expect(tables.map(({ name }) => name)).toEqual(['members', 'teamMembers']);
});

it.each([
  ['password', text],
  ['client_secret', text],
  ['accessToken', { type: ['string', 'null'] }],
  ['pin', { ...text, format: 'password' }],
  ['phrase', { ...text, writeOnly: true }],
  ['login', object({ user: text, apiKey: text })],
])('a %s is not stored as it was sent: the handlers are stubs that say so', async (name, schema) => {
  const { files, stubs } = await layOutOf(
    resource('/customers', 'Customer', object({ id, note: text, [name]: schema })),
  );
  const secret = name === 'login' ? 'apiKey' : name;
  expect(new Set(stubs.map(({ reason }) => reason))).toEqual(
    new Set([`${secret} is a secret: decide how to store it, not as it was sent`]),
  );
  expect(stubs).toHaveLength(3);
  expect(files).not.toHaveProperty(['src/storage/customers.ts']);
});

test('what only counts tokens, or says whether there is a password, is no secret', async () => {
  const schema = object({
    id,
    tokens: { type: 'integer' },
    hasPassword: { type: 'boolean' },
    token_type: text,
  });
  expect((await layOutOf(resource('/customers', 'Customer', schema))).tables).toHaveLength(1);
});

it.each(['multipart/form-data', 'application/octet-stream'])(
  'a body of %s may have ten megabytes',
  async (type) => {
    const of = (operationId: string, more: object = {}) => ({
      operationId,
      requestBody: { content: { [type]: { schema: {} } } },
      responses: { 204: { description: 'a' } },
      ...more,
    });
    const { files } = await layOutOf({
      '/a': { post: of('upload'), put: of('replace', { 'x-body-limit': 5 }) },
    });
    expect(files['openapi/overlay.yaml']?.match(/target: .*\n.*larger.*\n.*\n *x-body-limit: \d+/g)).toEqual([
      expect.stringMatching(/\$\.paths\['\/a'\]\.post\n[^]*: 10485760$/),
    ]);
  },
);

it.each([
  ['companies', 'company'],
  ['boxes', 'box'],
  ['classes', 'class'],
  ['houses', 'house'],
  ['customers', 'customer'],
  ['news', 'news'],
  ['keys', 'key'],
])('the singular of %s is %s', (plural, singular) => {
  expect([singularOf(plural), pluralOf(singular)]).toEqual([singular, plural]);
});
