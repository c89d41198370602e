import { compileContract, OBJECTS } from 'contract-first-server/tools';
import { InvalidContract } from 'contract-first-server';
import { buildDocument, buildService } from '../../../../../scripts/testing/service';
import request from 'supertest';
import { accountOf, completeDocument, edited, objects } from './complete';

/** Each object that a reference may replace. */
const REFERRING = objects(completeDocument()).filter(
  ({ expected }) =>
    ['Schema', 'PathItem'].includes(expected) || OBJECTS.get(expected)?.referable !== undefined,
);

const become = (pointer: string, ref: string) =>
  edited(pointer, (value) => {
    for (const name of Object.keys(value)) Reflect.deleteProperty(value, name);
    value['$ref'] = ref;
  });

it.each(REFERRING.map(({ pointer }) => pointer))(
  'a broken reference at %s is reported with its text',
  (pointer) => {
    expect(accountOf(become(pointer, '#/components/none')).findings).toContain(
      `${pointer}/$ref: "#/components/none" leads nowhere in this document`,
    );
  },
);

it.each(REFERRING.map(({ pointer }) => pointer))(
  'a reference at %s to another kind of object is reported',
  (pointer) => {
    expect(accountOf(become(pointer, '#/info')).findings).toContainEqual(
      expect.stringMatching(/\/\$ref: expected an? .* Object, got an Info Object$/),
    );
  },
);

const NOT_SCHEMAS = REFERRING.filter(
  ({ expected, pointer }) => expected !== 'Schema' && pointer.startsWith('/components/'),
);

it.each(NOT_SCHEMAS.map(({ pointer }) => pointer))('a reference at %s to itself is reported', (pointer) => {
  expect(accountOf(become(pointer, `#${pointer}`)).findings).toContain(
    `${pointer}/$ref: leads back to itself`,
  );
});

it.each([
  [
    'an operationId of a link',
    '/components/links/self',
    { operationId: 'none' },
    'no operation has the operationId "none"',
  ],
  [
    'an operationRef of a link',
    '/components/links/self',
    { operationId: undefined, operationRef: '#/paths/~1things/put' },
    '"#/paths/~1things/put" does not lead to an operation of this document',
  ],
  [
    'the mapping of a discriminator',
    '/components/schemas/Pet/discriminator',
    { mapping: { dog: 'Dog' } },
    '"Dog" is neither a component nor a reference to a schema',
  ],
  ['a security requirement', '', { security: [{ none: [] }] }, 'is not among components.securitySchemes'],
])('%s without a target is reported', (_, pointer, fields, message) => {
  const { findings } = accountOf(edited(pointer, (value) => Object.assign(value, fields)));
  expect(findings).toContainEqual(expect.stringContaining(message));
});

it.each([
  ['a schema below an extension', { $ref: '#/x-schemas/A' }],
  [
    'a schema of an operation',
    { $ref: '#/paths/~1others/post/requestBody/content/application~1json/schema' },
  ],
  ['an anchor', { $ref: '#one' }],
  ['a pointer with percent-encoding', { $ref: '#/components/schemas/a%2Eb' }],
])('a reference may refer to %s', async (_, schema) => {
  const body = (content: object) => ({
    requestBody: { content: { 'application/json': { schema: content } } },
  });
  const responses = { 204: { description: '' } };
  const one = { const: 1 };
  const document = buildDocument({
    'x-schemas': { A: { $ref: '#/components/schemas/a.b' } },
    components: { schemas: { 'a.b': one, Anchored: { ...one, $anchor: 'one' } } },
    paths: {
      '/things': { post: { operationId: 'postThing', ...body(schema), responses } },
      '/others': { post: { operationId: 'postOther', ...body(one), responses } },
    },
  });
  const done = () => Promise.resolve({ status: 204, body: undefined });
  const { app } = buildService({ document, handlers: { postThing: done, postOther: done } });
  const post = (value: string) =>
    request(app).post('/things').set('Content-Type', 'application/json').send(value);
  expect((await post('1')).status).toBe(204);
  expect((await post('2')).status).toBe(400);
});

describe('a path item with a $ref', () => {
  const operation = (operationId: string) => ({ operationId, responses: { 204: { description: '' } } });
  const handlers = { a: () => Promise.resolve({ status: 204 }), b: () => Promise.resolve({ status: 204 }) };
  const parameter = (name: string) => ({ name, in: 'query', required: true, schema: { type: 'string' } });

  it('has its own operations and those of its target, with the parameters of both', async () => {
    const { app } = buildService({
      document: buildDocument({
        paths: { '/x': { $ref: '#/components/pathItems/X', get: operation('a') } },
        components: { pathItems: { X: { post: operation('b'), parameters: [parameter('q')] } } },
      }),
      handlers,
    });
    expect((await request(app).get('/x?q=1')).status).toBe(204);
    expect((await request(app).get('/x')).status).toBe(400);
    expect((await request(app).post('/x?q=1')).status).toBe(204);
  });

  it('may be the target of several paths, which share their handlers', async () => {
    const { app } = buildService({
      document: buildDocument({
        paths: {
          '/v1/x': { $ref: '#/components/pathItems/X' },
          '/v2/x': { $ref: '#/components/pathItems/X' },
        },
        components: { pathItems: { X: { get: operation('a') } } },
      }),
      handlers: { a: handlers.a },
    });
    expect((await request(app).get('/v1/x')).status).toBe(204);
    expect((await request(app).get('/v2/x')).status).toBe(204);
  });

  it.each(['get', 'parameters', 'servers'])('is reported if both have %s', (field) => {
    const value = { get: operation('a'), parameters: [], servers: [{ url: '/' }] }[field];
    const { findings } = accountOf(
      buildDocument({
        paths: { '/x': { $ref: '#/components/pathItems/X', get: operation('a'), [field]: value } },
        components: { pathItems: { X: { [field]: value } } },
      }),
    );
    expect(findings).toEqual([
      `/paths/~1x/${field}: is also at #/components/pathItems/X/${field}, the target of the $ref: OpenAPI does not define which one applies`,
    ]);
  });
});

it('a document without a served operation is refused', () => {
  const webhooks = { a: { post: { responses: { 204: { description: '' } } } } };
  expect(accountOf({ openapi: '3.1.0', info: { title: '', version: '1' }, webhooks }).findings).toEqual([
    '/paths: no operation is under any path: nothing would be served',
  ]);
});

describe('each finding names the operations that it concerns', () => {
  const concerned = (pointer: string, edit: (value: Record<string, unknown>) => void) => {
    try {
      compileContract(edited(pointer, edit), undefined);
    } catch (error) {
      if (error instanceof InvalidContract) return error.findings.map(({ operations }) => operations);
    }
    return [];
  };
  const spoil = (value: Record<string, unknown>) => (value['$dynamicRef'] = '#a');

  it.each<[string, string[] | undefined]>([
    ['/paths/~1things/get/parameters/0/schema', ['GET /things']],
    ['/components/pathItems/others/get/parameters/0/schema', ['GET /others']],
    ['/components/parameters/id/schema', ['GET /more/{id}']],
    ['/components/responses/one/headers/X-A/schema', ['GET /more/{id}']],
    ['/components/schemas/Cat', undefined],
    ['/webhooks/happened/post/parameters/0/schema', undefined],
  ])('%s: %j', (pointer, operations) => {
    expect(concerned(pointer, spoil)).toEqual([operations]);
  });

  it('for a security scheme, those that require it, also by inheritance', () => {
    expect(concerned('', (value) => Object.assign(value, { security: [{ none: [] }] }))).toEqual([
      ['GET /things', 'QUERY /found', 'COPY /found', 'GET /others', 'GET /more/{id}'],
    ]);
  });

  it('in the message', () => {
    const document = edited('/components/parameters/id/schema', spoil);
    expect(() => compileContract(document, undefined)).toThrow(
      '#/components/parameters/id/schema/$dynamicRef: dynamic references cannot be served: use $ref (GET /more/{id})',
    );
  });
});
