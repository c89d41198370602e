import { exampleRequest } from '../../../src/contract/samples/example-request';
import { curlCommand, messageOf } from '../../../src/contract/samples/message';
import { OpenApiDocument } from '../../../src/contract/document/document';
import type { JsonObject } from 'contract-first-server';

const NONE = { 204: { description: 'done' } };
const operation = (operationId: string, media?: object, more = {}) => ({
  operationId,
  responses: NONE,
  ...(media && { requestBody: { required: true, content: { 'application/json': media } } }),
  ...more,
});
const document = (paths: object, components = {}) => ({
  openapi: '3.2.0',
  info: { title: 'A test', version: '1.0.0' },
  paths,
  components,
});
const exampleOf = (root: JsonObject) => exampleRequest(new OpenApiDocument(root));
const NEEDY = { parameters: [{ name: 'q', in: 'query', required: true, schema: {} }] };
const example = { example: { a: 1 } };

test.each([
  ['an example of its media type', { example: { a: 1 } }, '{"a":1}'],
  [
    'the data of one',
    { examples: { one: { dataValue: { a: 1 }, serializedValue: '{ "a": 1 }' } } },
    '{"a":1}',
  ],
  [
    'one as text',
    { schema: { type: 'object' }, examples: { one: { serializedValue: '{"a":1}' } } },
    '{"a":1}',
  ],
  ['a named one', { examples: { one: { value: 'it' } } }, '"it"'],
  ['a named one elsewhere', { examples: { one: { $ref: '#/components/examples/One' } } }, '1'],
  ['one of its schema', { schema: { examples: [[]] } }, '[]'],
  ['one of its schema elsewhere', { schema: { $ref: '#/components/schemas/One' } }, '{"b":"\'"}'],
])('is the body that has %s', (_, media, text) => {
  const components = { examples: { One: { value: 1 } }, schemas: { One: { examples: [{ b: "'" }] } } };
  const paths = { '/list': { get: operation('list') }, '/things': { put: operation('put', media) } };
  const body = { contentType: 'application/json', text };
  expect(exampleOf(document(paths, components))).toEqual({
    ...{ operationId: 'put', method: 'PUT', path: '/things', body, credentials: [] },
  });
});

test.each([
  [
    'the first that requires no body, if no body has an example',
    { '/things': { post: operation('make', {}), get: operation('list') } },
    'list',
  ],
  [
    'the first body with an example',
    { '/a': { post: operation('one', example), put: operation('two', example) } },
    'two',
  ],
  [
    'the first that requires credentials',
    {
      '/login': { post: operation('login', example) },
      '/a': { post: operation('one', example, { security: [{ key: [] }] }) },
    },
    'one',
  ],
  [
    'none that requires a parameter without a value',
    { '/a': { post: operation('one', example, NEEDY), get: operation('list') } },
    'list',
  ],
  [
    'one with a generated parameter, if there is no other',
    {
      '/a/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: {} }],
        get: operation('one'),
      },
    },
    'one',
  ],
  [
    'one with examples, although it has a path parameter',
    {
      '/a': { post: operation('generated', {}, NEEDY) },
      '/a/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: {}, example: 1 }],
        get: operation('one'),
      },
    },
    'one',
  ],
  [
    'one with a generated body rather than one with examples that would find nothing',
    {
      '/a': { post: operation('generated', {}, NEEDY) },
      '/a/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: {}, example: 1 }],
        get: operation('one', undefined, { responses: { 200: {}, 404: {} } }),
      },
    },
    'generated',
  ],
])('is %s', (_, paths, operationId) => {
  expect(exampleOf(document(paths))?.operationId).toBe(operationId);
});

test('has the base path of the server', () => {
  const served = {
    ...document({ '/list': { get: operation('list') } }),
    servers: [{ url: 'https://example.com/v1' }],
  };
  expect(exampleOf(served)).toEqual({
    operationId: 'list',
    method: 'GET',
    path: '/v1/list',
    credentials: [],
  });
});

const bearer = { scheme: 'one', kind: 'bearer', in: 'header', name: 'Authorization' };
const key = (place: string, name: string, scheme = 'one') => ({ scheme, kind: 'apiKey', in: place, name });
test.each<[string, object, object[], unknown]>([
  ['a bearer token', { type: 'http', scheme: 'Bearer' }, [{ one: [] }], [bearer]],
  ['OAuth', { type: 'oauth2', flows: {} }, [{ one: [] }], [bearer]],
  [
    'an API key in a header',
    { type: 'apiKey', in: 'header', name: 'X-Key' },
    [{ one: [] }],
    [key('header', 'X-Key')],
  ],
  ['an API key in a query', { type: 'apiKey', in: 'query', name: 'k' }, [{ one: [] }], [key('query', 'k')]],
  [
    'an API key in a cookie',
    { type: 'apiKey', in: 'cookie', name: 'k' },
    [{ one: [] }],
    [key('cookie', 'k')],
  ],
  ['a password', { type: 'http', scheme: 'basic' }, [{ one: [] }], [{ ...bearer, kind: 'basic' }]],
  ['a digest', { type: 'http', scheme: 'digest' }, [{ one: [] }], []],
  ['a certificate', { type: 'mutualTLS' }, [{ one: [] }], []],
  [
    'two at once',
    { type: 'http', scheme: 'basic' },
    [{ one: [], key: [] }],
    [{ ...bearer, kind: 'basic' }, key('query', 'q', 'key')],
  ],
  [
    'one instead of a digest and a key',
    { type: 'http', scheme: 'digest' },
    [{ one: [], key: [] }, { key: [] }],
    [key('query', 'q', 'key')],
  ],
  ['one instead of nothing', { type: 'http', scheme: 'bearer' }, [{}, { one: [] }], [bearer]],
  ['nothing', {}, [], []],
])('has the place of each secret: %s', (_, scheme, security, credentials) => {
  const securitySchemes = { one: scheme, key: { type: 'apiKey', in: 'query', name: 'q' } };
  const paths = { '/list': { get: operation('list', undefined, { security }) } };
  expect(exampleOf(document(paths, { securitySchemes }))?.credentials).toEqual(credentials);
});

const thing = (parameters: readonly object[], more = {}) =>
  document(
    { '/things/{id}': { get: operation('get', undefined, { parameters, ...more }) } },
    {
      parameters: {
        Day: { name: 'day', in: 'query', required: true, schema: { type: 'string' }, example: '1 May' },
      },
      schemas: { Size: { allOf: [{ type: 'string' }, { enum: ['s', 'm'] }] } },
      securitySchemes: {
        key: { type: 'apiKey', in: 'query', name: 'key' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'k' },
      },
    },
  );
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer', default: 7 } };
const required = (place: string, name: string, more: object) => ({
  in: place,
  name,
  required: true,
  ...more,
});

test('carries every required parameter in its location and style', () => {
  const parameters = [
    id,
    { $ref: '#/components/parameters/Day' },
    required('query', 'tags', {
      style: 'pipeDelimited',
      explode: false,
      schema: { type: 'array', examples: [['a', 'b']] },
    }),
    required('query', 'filter', { style: 'deepObject', schema: {}, examples: { one: { value: { a: 1 } } } }),
    required('query', 'json', { content: { 'application/json': { schema: {}, example: [1] } } }),
    required('header', 'X-Size', { schema: { $ref: '#/components/schemas/Size' } }),
    required('cookie', 'session', { schema: { const: 'x;y' } }),
    { in: 'query', name: 'not-needed', schema: {}, example: 1 },
  ];
  expect(exampleOf(thing(parameters))).toEqual({
    operationId: 'get',
    method: 'GET',
    path: '/things/7?day=1%20May&tags=a%7Cb&filter%5Ba%5D=1&json=%5B1%5D',
    headers: { 'X-Size': 's', Cookie: 'session=x%3By' },
    credentials: [],
  });
});

test.each([
  ['a path parameter', [{ ...id, schema: { type: 'integer', minimum: 3 } }], { path: '/things/3' }],
  [
    'a header',
    [id, required('header', 'X', { schema: { type: 'string', pattern: '^[a-c]{4}$' } })],
    { headers: { X: expect.stringMatching(/^[a-c]{4}$/) as string } },
  ],
  [
    'a header whose example no header can carry',
    [id, required('header', 'X', { schema: {}, example: 'a\nb' })],
    { headers: { X: 'text' } },
  ],
  [
    'a query parameter',
    [id, required('query', 'n', { schema: { enum: [true] } })],
    { path: '/things/7?n=true' },
  ],
  [
    'a cookie',
    [id, required('cookie', 'c', { schema: { type: 'boolean' } })],
    { headers: { Cookie: 'c=true' } },
  ],
])('generates %s without an example', (_, parameters, expected) => {
  expect(exampleOf(thing(parameters))).toMatchObject(expected);
});

test('generates a required body without an example', () => {
  const schema = { type: 'object', required: ['a'], properties: { a: { type: 'integer', minimum: 2 } } };
  const request = exampleOf(document({ '/a': { post: operation('one', { schema }) } }));
  expect(JSON.parse(request?.body?.text ?? '')).toMatchObject({ a: 2 });
});

test.each([
  ['a header that cannot carry any value', [id, required('header', 'X', { schema: { const: 'a\nb' } })]],
  ['a parameter that no value fits', [id, required('query', 'q', { schema: { enum: [] } })]],
])('is none if the only operation has %s', (_, parameters) => {
  expect(exampleOf(thing(parameters))).toBeUndefined();
});

test('adds a secret to the parameters', () => {
  const sent = (scheme: string, parameters: readonly object[], secret?: string) => {
    const example = exampleOf(thing([id, ...parameters], { security: [{ [scheme]: [] }] }));
    return example && messageOf(example, secret);
  };
  const day = { $ref: '#/components/parameters/Day' };
  const session = required('cookie', 'session', { schema: {}, example: 'x' });
  expect(sent('key', [day], 's/1')?.path).toBe('/things/7?day=1%20May&key=s%2F1');
  expect(sent('key', [], 's/1')?.path).toBe('/things/7?key=s%2F1');
  expect(sent('key', [])?.path).toBe('/things/7');
  expect(sent('cookie', [session], 's')?.headers).toEqual({ Cookie: 'session=x; k=s' });
});

test('encodes a password as RFC 7617 does, and a secret without a colon as a user without a password', () => {
  const securitySchemes = { basic: { type: 'http', scheme: 'Basic' } };
  const paths = { '/list': { get: operation('list', undefined, { security: [{ basic: [] }] }) } };
  const example = exampleOf(document(paths, { securitySchemes }));
  const sent = (secret: string) => example && messageOf(example, secret).headers['Authorization'];
  expect(sent('Aladdin:open sesame')).toBe('Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==');
  expect(sent('key')).toBe('Basic a2V5Og==');
});

test('becomes a shell command', () => {
  const message = { method: 'PUT', path: '/a?b=c&d', headers: { 'X-A': "it's" }, body: '{}' };
  expect(curlCommand('http://127.0.0.1:1', message)).toBe(
    "curl -i -X PUT 'http://127.0.0.1:1/a?b=c&d' \\\n    -H 'X-A: it'\\''s' \\\n    -d '{}'",
  );
});

const upload = {
  type: 'object',
  properties: {
    title: { type: 'string', default: '@home; "now"' },
    size: { type: 'integer' },
    photo: { $ref: '#/components/schemas/Photo' },
    more: { type: 'array', items: { type: 'string', contentMediaType: 'image/*' } },
    tags: { type: 'array', minItems: 2, items: { type: 'string' } },
    meta: { type: 'object', properties: { "it's": { const: 1 } } },
    more_meta: { type: 'object', properties: { a: { const: ';' } } },
  },
};
test.each([
  [
    'a form of several parts, with files',
    {
      'multipart/form-data': { schema: upload, encoding: { photo: { contentType: 'image/png, image/gif' } } },
    },
    [
      'curl -i http://127.0.0.1:1/a',
      '--form-string \'title=@home; "now"\'',
      "-F 'size=1'",
      "-F 'photo=@package.json;type=image/png'",
      "-F 'more=@package.json;type=image/png'",
      "-F 'tags=text'",
      "-F 'tags=text'",
      "-F 'meta={\"it'\\''s\":1};type=application/json'",
      `-F 'more_meta="{\\"a\\":\\";\\"}";type=application/json'`,
    ],
  ],
  [
    'a form',
    { 'application/x-www-form-urlencoded': { schema: { properties: { a: { const: 'b c' } } } } },
    ['curl -i http://127.0.0.1:1/a', "-H 'Content-Type: application/x-www-form-urlencoded'", "-d 'a=b+c'"],
  ],
  [
    'bytes',
    { 'video/*': { 'x-stream': true } },
    ['curl -i http://127.0.0.1:1/a', "-H 'Content-Type: video/mp4'", "--data-binary '@package.json'"],
  ],
  [
    'items',
    { 'application/jsonl': { 'x-item-schema': { type: 'object', properties: { a: { const: 1 } } } } },
    ['curl -i http://127.0.0.1:1/a', "-H 'Content-Type: application/jsonl'", `-d '{"a":1}'`],
  ],
  [
    'text',
    { 'text/plain': { schema: { type: 'integer' } } },
    ['curl -i http://127.0.0.1:1/a', "-H 'Content-Type: text/plain'", "-d '1'"],
  ],
])('sends %s', (_, content, lines) => {
  const required = !('multipart/form-data' in content || 'video/*' in content);
  const post = { ...operation('make'), requestBody: { required, content } };
  const schemas = { Photo: { type: 'string', format: 'binary' } };
  const example = exampleOf(document({ '/a': { post } }, { schemas }));
  if (!example) throw new Error('expected a request');
  expect(curlCommand('http://127.0.0.1:1', messageOf(example)).split(' \\\n    ')).toEqual(lines);
});

test('prints a stream as it comes', () => {
  const content = { 'application/jsonl': { 'x-item-schema': {} } };
  const get = { operationId: 'follow', responses: { 200: { description: '', content } } };
  const example = exampleOf(document({ '/a': { get } }));
  expect(example && curlCommand('http://127.0.0.1:1', messageOf(example))).toBe(
    'curl -i -N http://127.0.0.1:1/a',
  );
});
