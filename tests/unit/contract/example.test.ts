import { exampleRequest } from '../../../src/contract/example';

const NONE = { 204: { description: 'done' } };
const asked = (operationId: string, media?: object, more = {}) => ({
  operationId,
  responses: NONE,
  ...(media && { requestBody: { required: true, content: { 'application/json': media } } }),
  ...more,
});
const document = (paths: object, components = {}) => ({
  openapi: '3.1.0',
  info: { title: 'A test', version: '1.0.0' },
  paths,
  components,
});
const NEEDY = { parameters: [{ name: 'q', in: 'query', required: true, schema: {} }] };
const example = { example: { a: 1 } };

test.each([
  ['an example of its media type', { example: { a: 1 } }, '{"a":1}'],
  ['a named one', { examples: { one: { value: 'it' } } }, '"it"'],
  ['a named one elsewhere', { examples: { one: { $ref: '#/components/examples/One' } } }, '1'],
  ['one of its schema', { schema: { examples: [[]] } }, '[]'],
  ['one of its schema elsewhere', { schema: { $ref: '#/components/schemas/One' } }, '{"b":"\'"}'],
])('is the body that has %s', (_, media, text) => {
  const components = { examples: { One: { value: 1 } }, schemas: { One: { examples: [{ b: "'" }] } } };
  const paths = { '/list': { get: asked('list') }, '/things': { put: asked('put', media) } };
  const body = { contentType: 'application/json', text };
  expect(exampleRequest(document(paths, components))).toEqual({
    ...{ operationId: 'put', method: 'PUT', path: '/things', body },
  });
});

test.each([
  [
    'the first that requires no body, where none has an example',
    { '/things': { post: asked('make', {}), get: asked('list') } },
    'list',
  ],
  [
    'the first body with an example',
    { '/a': { post: asked('one', example), put: asked('two', example) } },
    'two',
  ],
  [
    'the first that asks for credentials',
    {
      '/login': { post: asked('login', example) },
      '/a': { post: asked('one', example, { security: [{ key: [] }] }) },
    },
    'one',
  ],
  [
    'none that requires a parameter',
    { '/a': { post: asked('one', example, NEEDY), get: asked('list') } },
    'list',
  ],
  [
    'none below a path parameter',
    {
      '/a/{id}': { parameters: [{ name: 'id', in: 'path', required: true, schema: {} }], get: asked('one') },
    },
    undefined,
  ],
])('is %s', (_, paths, operationId) => {
  expect(exampleRequest(document(paths))?.operationId).toBe(operationId);
});

test('has the base path of the server', () => {
  const served = {
    ...document({ '/list': { get: asked('list') } }),
    servers: [{ url: 'https://example.com/v1' }],
  };
  expect(exampleRequest(served)).toEqual({ operationId: 'list', method: 'GET', path: '/v1/list' });
});

test.each<[string, object, object[], unknown]>([
  ['a bearer token', { type: 'http', scheme: 'Bearer' }, [{ one: [] }], ['Authorization', 'Bearer ']],
  ['OAuth', { type: 'oauth2', flows: {} }, [{ one: [] }], ['Authorization', 'Bearer ']],
  ['an API key in a header', { type: 'apiKey', in: 'header', name: 'X-Key' }, [{ one: [] }], ['X-Key', '']],
  ['an API key elsewhere', { type: 'apiKey', in: 'query', name: 'key' }, [{ one: [] }], undefined],
  ['a password', { type: 'http', scheme: 'basic' }, [{ one: [] }], undefined],
  ['a certificate', { type: 'mutualTLS' }, [{ one: [] }], undefined],
  ['two at once', { type: 'http', scheme: 'bearer' }, [{ one: [], two: [] }], undefined],
  ['nothing', {}, [], undefined],
])('says how %s is presented, if one header does it', (_, scheme, security, credential) => {
  const securitySchemes = { one: scheme, two: scheme };
  const paths = { '/list': { get: asked('list', undefined, { security }) } };
  expect(exampleRequest(document(paths, { securitySchemes }))?.credential).toEqual(credential);
});
