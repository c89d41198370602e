import request from 'supertest';
import { TokenStrategy } from 'contract-first-server';
import { buildDocument, buildService } from '../../../../scripts/testing/service';

const FORM = 'application/x-www-form-urlencoded';
const form = {
  schema: {
    type: 'object',
    required: ['foo'],
    properties: {
      foo: { type: 'string' },
      bar: { type: 'boolean' },
      ids: { type: 'array', items: { type: 'integer', format: 'int64' } },
      color: { type: 'object', properties: { R: { type: 'integer' } } },
      size: { type: 'integer', default: 7 },
    },
  },
  encoding: { ids: { style: 'pipeDelimited', explode: false } },
};
const object = { schema: { type: 'object', properties: { flag: { type: ['boolean', 'null'] } } } };

/** The query that the handler gets, or the message of the refusal. */
async function queryOf(content: object, query: string, more: object = {}, security: object[] = []) {
  let received: unknown = 'nothing';
  const { app } = buildService({
    document: buildDocument({
      openapi: '3.2.0',
      operation: { parameters: [{ name: 'q', in: 'querystring', content, ...more }], security },
      components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'my key' } } },
    }),
    strategies: { key: new TokenStrategy(() => ({})) },
    handlers: {
      postThing: ({ query: given }: { query: unknown }) => {
        received = given;
        return Promise.resolve({ status: 204 });
      },
    },
  });
  const response = await request(app).post(`/things${query}`);
  return response.status === 204 ? received : (response.body as { message: string }).message;
}

it.each([
  ['', undefined],
  [
    '?foo=a+%2B+b&bar=true&ids=1%7C9007199254740993&color=%7B%22R%22%3A1%7D&other=3',
    { foo: 'a + b', bar: true, ids: [1n, 9007199254740993n], color: { R: 1 }, size: 7 },
  ],
  ['?bar=true', "query must have required property 'foo'"],
  ['?foo=1&bar=x', 'query/bar must be boolean'],
  ['?foo=1&foo=2', 'query/foo is given more than once'],
  ['?foo=%ff', 'query/foo is not percent-encoded UTF-8'],
  ['?__proto__=1&foo=2', 'query has the name "__proto__", which is not accepted'],
])('a query that is a form is read: %s', async (query, expected) => {
  expect(await queryOf({ [FORM]: form }, query)).toEqual(expected);
});

it.each<[string, object, string, unknown]>([
  ['JSON', { 'application/json': object }, '?%7B%22flag%22%3Anull%7D', { flag: null }],
  ['JSON, in which a plus sign is none', { 'application/json': {} }, '?%22a+b%22', 'a+b'],
  ['JSON of another type', { 'application/json': object }, '?1', 'query must be object'],
  [
    'JSON with an end too early',
    { 'application/json': object },
    '?%7B',
    'query: expected a property name, got the end at position 1',
  ],
  ['a missing form', { [FORM]: {} }, '', 'query is required'],
  ['a missing text', { 'application/json': object }, '', 'query is required'],
  ['a text', { 'application/jsonpath': { schema: { type: 'string' } } }, '?%24.a%5B1%5D', '$.a[1]'],
  ['an integer', { 'text/plain': { schema: { type: 'integer' } } }, '?12', 12],
])('a query that is %s is read', async (_, content, query, expected) => {
  expect(await queryOf(content, query, { required: true })).toEqual(expected);
});

it('the credentials in a form are not part of it', async () => {
  const security = [{ '#/components/securitySchemes/key': [] }];
  const query = '?my+key=secret&foo=1';
  expect(await queryOf({ [FORM]: form }, query, {}, security)).toEqual({ foo: '1', size: 7 });
  await expect(queryOf({ 'application/json': object }, query, {}, security)).rejects.toThrow(
    'q cannot be served: my key is in the query too, which is a form then',
  );
});

it.each(['image/png', 'application/octet-stream', 'multipart/mixed', '*/*'])(
  'a query of %s is refused',
  async (type) => {
    const schema = type === 'image/png' ? { schema: { type: 'string', format: 'binary' } } : {};
    await expect(queryOf({ [type]: schema }, '')).rejects.toThrow(
      `expected a form, JSON or text, got ${type}`,
    );
  },
);

it('an operation without parameters rejects a query, and takes an empty one', async () => {
  const handlers = { postThing: () => Promise.resolve({ status: 204 }) };
  const { app } = buildService({ document: buildDocument(), handlers });
  await request(app).post('/things?').expect(204);
  const response = await request(app).post('/things?color=1');
  expect(response).toMatchObject({ status: 400, body: { message: 'query/color is not in the document' } });
});
