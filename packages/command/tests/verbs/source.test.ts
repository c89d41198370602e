import { readSource, type Source } from '../../src/document/source/source';
import { compileContract, OpenApiDocument, writeDocument } from 'contract-first-server/tools';
import { readDocument } from 'contract-first-server';
import { type Files, useFolder } from '../../../../scripts/testing/folder';

const folder = useFolder();
/** Reads the first of these files. */
const read = (files: Files): Source => readSource(folder.write(files));

const HEAD = "openapi: 3.1.0\ninfo: { title: A, version: '1' }\n";

describe('reads numbers exactly', () => {
  const values = '[9007199254740993, -9223372036854775809, 1, 0.1, 1e2, 18446744073709551615]';
  const exact = [9007199254740993n, -9223372036854775809n, 1, 0.1, 100, 18446744073709551615n];

  it.each([
    ['YAML', 'a.yaml', `x: ${values}`],
    ['JSON', 'a.json', `{"x": ${values}}`],
  ])('in %s', (_, name, text) => {
    const { document, notes } = read({ [name]: text });
    expect(document).toEqual({ x: exact });
    expect(notes).toEqual([]);
    expect(readDocument(writeDocument(document))).toEqual({ x: exact });
  });

  it.each([
    ['YAML', 'a.yaml', 'x:\n  y: 0.12345678901234567891\n', '2:6'],
    ['JSON', 'a.json', '{"x":\n  {"y": 0.12345678901234567891, "z": "0.12345678901234567891"}}', '2:9'],
  ])('or, in %s, reports those that are not exact', (_, name, text, place) => {
    expect(read({ [name]: text }).notes).toEqual([
      `${folder.path(name)}:${place}: the number 0.12345678901234567891 is read as 0.12345678901234568`,
    ]);
  });
});

describe('combines a document of several files', () => {
  it('turns each part into a component, and inlines each path item', () => {
    const { document, locate } = read({
      'main.yaml': `${HEAD}paths:
  /a: { $ref: 'paths.yaml#/a' }
components:
  schemas:
    Own: { type: string }
    Pet: { $ref: 'schemas.yaml#/Pet' }
`,
      'paths.yaml': `a:
  get:
    operationId: getA
    parameters: [{ $ref: '#/parameters/q' }]
    responses: { '200': { $ref: 'responses.yaml' } }
parameters:
  q: { name: q, in: query, schema: { $ref: 'main.yaml#/components/schemas/Own' } }
`,
      'responses.yaml':
        "description: ''\ncontent: { application/json: { schema: { $ref: 'schemas.yaml#/Pet' } } }\n",
      'schemas.yaml': `Pet:
  properties:
    $ref: { type: string }
    friend: { $ref: '#/Pet' }
    own: { $ref: 'main.yaml#/components/schemas/Own' }
    data: { const: { $ref: 'none.yaml' } }
  discriminator: { propertyName: kind, mapping: { pet: 'schemas.yaml#/Pet' } }
`,
    });
    expect(new OpenApiDocument(document).findings).toEqual([]);
    expect(document).toMatchObject({
      paths: {
        '/a': {
          get: {
            parameters: [{ $ref: '#/components/parameters/q' }],
            responses: { 200: { $ref: '#/components/responses/responses' } },
          },
        },
      },
      components: {
        parameters: { q: { schema: { $ref: '#/components/schemas/Own' } } },
        schemas: {
          Pet: {
            properties: {
              friend: { $ref: '#/components/schemas/Pet' },
              own: { $ref: '#/components/schemas/Own' },
              data: { const: { $ref: 'none.yaml' } },
            },
            discriminator: { mapping: { pet: '#/components/schemas/Pet' } },
          },
        },
      },
    });
    expect(locate('/components/schemas/Pet/properties/friend')).toBe(`${folder.path('schemas.yaml')}:4:5`);
    expect(locate('/paths/~1a/get/operationId')).toBe(`${folder.path('paths.yaml')}:3:5`);
    expect(locate('/components/schemas/Own')).toBe(`${folder.path('main.yaml')}:7:5`);
  });

  const user = (more = '') => `{ type: object${more} }`;
  it.each<[string, Files, readonly string[]]>([
    [
      'a file for each, listed in the document',
      {
        'main.yaml': "{ User: { $ref: 'parts/User.yaml' }, Post: { $ref: 'parts/post.yaml' } }",
        'parts/User.yaml': user(),
        'parts/post.yaml': "properties: { by: { $ref: 'User.yaml' } }",
      },
      ['User', 'Post'],
    ],
    [
      'files that take it from each other',
      {
        'main.yaml':
          "{ User: { $ref: 'users.yaml#/schemas/User' }, Post: { $ref: 'posts.yaml#/schemas/Post' } }",
        'users.yaml': `schemas: { User: ${user(", properties: { post: { $ref: 'posts.yaml#/schemas/Post' } }")} }`,
        'posts.yaml':
          "schemas: { User: { $ref: 'users.yaml#/schemas/User' }, Post: { properties: { by: { $ref: '#/schemas/User' } } } }",
      },
      ['User', 'Post'],
    ],
    [
      'a chain of files',
      {
        'main.yaml': "{ User: { $ref: 'a.yaml#/User' } }",
        'a.yaml': "User: { $ref: 'b.yaml#/User' }",
        'b.yaml': "User: { $ref: 'User.yaml' }",
        'User.yaml': user(),
      },
      ['User'],
    ],
    [
      'copies of it in two files',
      {
        'main.yaml': "{ Post: { allOf: [{ $ref: 'a.yaml#/User' }, { $ref: 'b.yaml#/User' }] } }",
        'a.yaml': `User: ${user()}`,
        'b.yaml': `User: ${user()}`,
      },
      ['Post', 'User'],
    ],
    [
      'two names of one',
      {
        'main.yaml': "{ Person: { $ref: 'a.yaml#/User' }, User: { $ref: 'a.yaml#/User' } }",
        'a.yaml': `User: ${user()}`,
      },
      ['Person', 'User'],
    ],
    [
      'another name in the document',
      {
        'main.yaml': "{ Person: { $ref: 'a.yaml#/User' }, Post: { $ref: 'a.yaml#/Post' } }",
        'a.yaml': `User: ${user()}\nPost: { items: { $ref: '#/User' } }`,
      },
      ['Person', 'Post'],
    ],
    [
      'a real conflict',
      {
        'main.yaml': "{ Post: { allOf: [{ $ref: 'a.yaml#/User' }, { $ref: 'b.yaml#/User' }] } }",
        'a.yaml': `User: ${user()}`,
        'b.yaml': `User: ${user(', title: B')}`,
      },
      ['Post', 'User', 'User-2'],
    ],
    [
      'a whole section in a file',
      {
        'main.yaml': "{ $ref: 'all.yaml' }",
        'all.yaml': "{ User: { $ref: 'User.yaml' }, Post: { items: { $ref: 'User.yaml' } } }",
        'User.yaml': user(),
      },
      ['User', 'Post'],
    ],
    [
      'a circle of files',
      {
        'main.yaml': "{ User: { $ref: 'a.yaml#/User' } }",
        'a.yaml': "User: { $ref: 'b.yaml#/User' }",
        'b.yaml': "User: { $ref: 'a.yaml#/User' }",
      },
      ['User', 'User-2', 'User-3'],
    ],
  ])('schemas keep their names: %s', (_, { 'main.yaml': main, ...parts }, names) => {
    const { document } = read({
      'main.yaml': `${HEAD}paths: {}\ncomponents:\n  schemas: ${String(main)}\n`,
      ...parts,
    });
    const { schemas } = document['components'] as { schemas: Record<string, unknown> };
    expect(Object.keys(schemas)).toEqual(names);
    for (const [, name = ''] of JSON.stringify(schemas).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      expect(schemas).toHaveProperty([name]);
    expect(JSON.stringify(schemas)).not.toContain('.yaml');
  });

  it.each(['none.yaml', 'other.yaml#/none', '%'])('reports %s if it has no target', (ref) => {
    const { document } = read({
      'main.yaml': `${HEAD}paths: {}\ncomponents: { schemas: { A: { $ref: '${ref}' } } }\n`,
      'other.yaml': 'a: 1\n',
    });
    expect(new OpenApiDocument(document).findings).toEqual([
      { pointer: '/components/schemas/A/$ref', message: `"${ref}" leads nowhere in this document` },
    ]);
  });

  it('puts the target in the place of a reference that OpenAPI does not allow, and says so', () => {
    const { document, notes, locate } = read({
      'main.yaml': `openapi: 3.1.0
info: { $ref: 'parts.yaml#/info' }
tags: { $ref: 'parts.yaml#/tags' }
paths:
  /a:
    get: { $ref: 'parts.yaml#/get' }
    put: { $ref: '#/x-operations/put' }
    post:
      operationId: post
      parameters: { $ref: 'parts.yaml#/parameters' }
      responses: { '204': { description: '', content: { application/json: { $ref: 'parts.yaml#/media' } } } }
components: { $ref: 'parts.yaml#/components' }
x-operations: { put: { operationId: put, responses: { '204': { description: '' } } }, other: { $ref: none.yaml } }
`,
      'parts.yaml': `info: { title: A, version: '1' }
tags: [{ name: a }]
get: { $ref: '#/read' }
read:
  operationId: get
  parameters: [{ $ref: '#/parameters/0' }]
  responses: { '200': { description: '', content: { text/plain: { example: { $ref: none.yaml } } } } }
parameters: [{ name: q, in: query, schema: { $ref: '#/components/schemas/B' } }]
media: { schema: { $ref: '#/components/schemas/B' } }
components: { schemas: { A: { $ref: '#/components/schemas/B' }, B: { type: string } } }
`,
    });
    expect(new OpenApiDocument(document).findings).toEqual([]);
    expect(document).toMatchObject({
      info: { title: 'A' },
      tags: [{ name: 'a' }],
      paths: {
        '/a': {
          get: { operationId: 'get', parameters: [{ $ref: '#/components/parameters/0' }] },
          put: { operationId: 'put' },
          post: {
            parameters: [{ name: 'q' }],
            responses: { 204: { content: { 'application/json': { schema: {} } } } },
          },
        },
      },
      components: { schemas: { A: { $ref: '#/components/schemas/B' }, B: { type: 'string' } } },
      'x-operations': { other: { $ref: 'none.yaml' } },
    });
    expect(document).not.toHaveProperty('paths./a.get.$ref');
    expect(notes).toEqual([
      `${folder.path('main.yaml')}:12:1: OpenAPI does not allow a $ref here: it is replaced by its target, and in 7 more places`,
    ]);
    expect(locate('/paths/~1a/get/operationId')).toBe(`${folder.path('parts.yaml')}:5:3`);
  });

  it('reads the names of a mapping by the main document first, then by their own, then as files', () => {
    const { document } = read({
      'main.yaml': `${HEAD}components: { schemas: { Main: {}, Pet: { $ref: 'pets.yaml#/components/schemas/Pet' } } }\n`,
      'pets.yaml': `components:
  schemas:
    Pet:
      discriminator:
        propertyName: kind
        mapping: { a: Main, b: Own, c: Cat.json, d: ./Main, e: Cat.json#/x, f: 'My.Dog', g: none }
    Own: {}
    My.Dog: {}
`,
      'Cat.json': '{ "type": "object", "x": {} }',
    });
    expect(document).toMatchObject({
      components: {
        schemas: {
          Pet: {
            discriminator: {
              mapping: {
                a: 'Main',
                b: '#/components/schemas/Own',
                c: '#/components/schemas/Cat',
                d: './Main',
                e: '#/components/schemas/x',
                f: '#/components/schemas/My.Dog',
                g: 'none',
              },
            },
          },
        },
      },
    });
  });

  it('brings what a document of 3.2 refers to: media types, a default mapping, and files beside its $self', () => {
    const { document } = read({
      'main.yaml': `openapi: 3.2.0
$self: https://a.example/api/openapi.yaml
security: [{ 'openapi.yaml#/components/securitySchemes/A': [a], B: [], 'parts.yaml#/scheme': [] }]
components:
  securitySchemes: { A: { type: http, scheme: bearer } }
  mediaTypes: { A: { $ref: 'parts.yaml#/media' } }
  schemas:
    Pet: { $ref: 'https://a.example/api/parts.yaml#/Pet' }
    Own: { $ref: 'openapi.yaml#/components/schemas/Pet' }
    Far: { $ref: 'https://b.example/api/parts.yaml#/Pet' }
`,
      'parts.yaml': `scheme: { type: http, scheme: basic }
media: { schema: { $ref: '#/Cat' } }
Pet: { discriminator: { propertyName: kind, defaultMapping: '#/Cat' } }
Cat: { allOf: [{ $ref: 'https://a.example/api/openapi.yaml#/components/schemas/Own' }] }
`,
    });
    expect(document['security']).toEqual([{ A: ['a'], B: [], scheme: [] }]);
    expect(document['components']).toEqual({
      securitySchemes: {
        A: { type: 'http', scheme: 'bearer' },
        scheme: { type: 'http', scheme: 'basic' },
      },
      mediaTypes: { A: { schema: { $ref: '#/components/schemas/Cat' } } },
      schemas: {
        Pet: { discriminator: { propertyName: 'kind', defaultMapping: '#/components/schemas/Cat' } },
        Own: { $ref: 'openapi.yaml#/components/schemas/Pet' },
        Far: { $ref: 'https://b.example/api/parts.yaml#/Pet' },
        Cat: { allOf: [{ $ref: 'https://a.example/api/openapi.yaml#/components/schemas/Own' }] },
      },
    });
    const { references } = new OpenApiDocument(document);
    expect(references.resolve('openapi.yaml#/components/schemas/Pet')).toBe('/components/schemas/Pet');
    expect(references.resolve('https://a.example/api/openapi.yaml#/components/schemas/Own')).toBe(
      '/components/schemas/Own',
    );
    expect(references.resolve('https://b.example/api/parts.yaml#/Pet')).toBeUndefined();
  });

  it('names the file that cannot be read, and the place of the reference', () => {
    const main = `${HEAD}components: { schemas: { A: { $ref: 'other.yaml' } } }\n`;
    expect(() => read({ 'main.yaml': main, 'other.yaml': 'a: 1\na: 2\n' })).toThrow(
      `${folder.path('other.yaml')}:2:1: the key "a" occurs twice in one object`,
    );
    expect(() => read({ 'main.yaml': main, 'other.json': '', 'other.yaml': 'a: *b\n' })).toThrow(
      `${folder.path('other.yaml')}:1:4: the alias *b has no anchor before it`,
    );
  });
});

describe('converts a document of OpenAPI 3.0', () => {
  const convert = (schema: object) => {
    const source = read({
      'main.json': JSON.stringify({
        openapi: '3.0.3',
        info: { title: 'A', version: '1' },
        paths: { '/a': { get: { operationId: 'getA', responses: { 200: { description: '' } } } } },
        components: { schemas: { A: schema, B: { type: 'object' } } },
      }),
    });
    compileContract(source.document, undefined);
    const { schemas } = source.document['components'] as { schemas: { A: object } };
    return { schema: schemas.A, notes: source.notes };
  };
  const B = { $ref: '#/components/schemas/B' };

  it.each<[string, object, object]>([
    ['nullable with a type', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    ['nullable that is false', { type: 'string', nullable: false }, { type: 'string' }],
    ['nullable with oneOf', { oneOf: [B], nullable: true }, { oneOf: [B, { type: 'null' }] }],
    ['nullable with anyOf', { anyOf: [B], nullable: true }, { anyOf: [B, { type: 'null' }] }],
    ['nullable with allOf', { allOf: [B], nullable: true }, { anyOf: [B, { type: 'null' }] }],
    [
      'nullable with an enum that contains null',
      { type: 'string', enum: ['a', null], nullable: true },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      'exclusive bounds',
      { minimum: 1, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: false },
      { exclusiveMinimum: 1, maximum: 2 },
    ],
    ['keywords beside a $ref', { ...B, nullable: true, description: 'a' }, { ...B, description: 'a' }],
    [
      'deep inside',
      { items: { properties: { a: { type: 'string', nullable: true } } } },
      { items: { properties: { a: { type: ['string', 'null'] } } } },
    ],
  ])('%s', (_, was, is) => {
    const { schema, notes } = convert(was);
    expect(schema).toEqual(is);
    expect(notes).toEqual([expect.stringMatching(/^OpenAPI 3\.0\.3 is converted to 3\.1\.0: .*\(1\)$/)]);
  });

  it.each<[string, object]>([
    ['keywords that 3.1 supports', { type: 'string', format: 'byte', example: 'YQ==' }],
    ['bytes', { type: 'string', format: 'binary' }],
    [
      'a property named like a keyword',
      { properties: { nullable: { type: 'string' }, exclusiveMinimum: { type: 'string' } } },
    ],
    [
      'data',
      { enum: [{ nullable: true, type: 'a' }], default: { nullable: true }, 'x-own': { nullable: true } },
    ],
  ])('but not %s', (_, schema) => {
    expect(convert(schema)).toEqual({ schema, notes: ['OpenAPI 3.0.3 is converted to 3.1.0'] });
  });
});
