/**
 * For each enforced keyword, a document that contains it once, and a request or a startup whose outcome differs without
 * the keyword.
 */
import type { Answer, JsonObject } from '../../../src/contract';
import { buildDocument, json } from '../../support/service';

export interface Exchange {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The text of the body. */
  readonly body?: string;
  /** The media type of the body. Default: JSON. */
  readonly type?: string;
  /** The result of the handler. */
  readonly answer?: Answer;
}

export interface WordCase extends Exchange {
  /** The object and the keyword in the table, such as `Schema maxLength`; `Paths *` for the names of a map. */
  readonly keyword: string;
  readonly document: JsonObject;
  /** The outcome: a status or `refused` at startup, and optionally the input of the handler or the response. */
  readonly ends: number | 'refused';
  readonly with?: unknown;
}

const NO_CONTENT = { 204: { description: '' } };
const text = { type: 'string' };
const integer = { type: 'integer' };
const things = (operation: object, more: object = {}) => buildDocument({ operation, ...more });
const withParameter = (parameter: object, more: object = {}) =>
  things({ parameters: [{ name: 'a', in: 'query', schema: integer, ...parameter }] }, more);
const withHeader = (header: object) =>
  things({ responses: { 204: { description: '', headers: { 'X-A': { schema: integer, ...header } } } } });
const form = (properties: object, encoding: object) => ({
  requestBody: {
    content: { 'application/x-www-form-urlencoded': { schema: { type: 'object', properties }, encoding } },
  },
});
const secured = (scheme: object, security: object[] = [{ a: [] }]) =>
  things({ security }, { components: { securitySchemes: { a: scheme } } });
const operation = (operationId: string) => ({ operationId, responses: NO_CONTENT });
const FORM = 'application/x-www-form-urlencoded';
const bearer = { type: 'http', scheme: 'bearer' };
const flow = (name: string) => ({
  type: 'oauth2',
  flows: {
    [name]: { authorizationUrl: 'https://a.example', tokenUrl: 'https://a.example', scopes: { read: '' } },
  },
});

/** A keyword, a schema that contains it, and a request body that it refuses. */
const KEYWORDS: readonly (readonly [keyword: string, schema: object, body: unknown])[] = [
  ['type', { type: 'string' }, 1],
  ['const', { const: 1 }, 2],
  ['enum', { enum: [1, 2] }, 3],
  ['multipleOf', { multipleOf: 2 }, 3],
  ['maximum', { maximum: 2 }, 3],
  ['exclusiveMaximum', { exclusiveMaximum: 2 }, 2],
  ['minimum', { minimum: 2 }, 1],
  ['exclusiveMinimum', { exclusiveMinimum: 2 }, 2],
  ['maxLength', { maxLength: 1 }, 'ab'],
  ['minLength', { minLength: 1 }, ''],
  ['pattern', { pattern: '^a$' }, 'b'],
  ['format', { format: 'email' }, 'b'],
  ['maxItems', { maxItems: 1 }, [1, 2]],
  ['minItems', { minItems: 1 }, []],
  ['uniqueItems', { uniqueItems: true }, [1, 1]],
  ['contains', { contains: { const: 1 } }, [2]],
  ['maxContains', { contains: { const: 1 }, maxContains: 1 }, [1, 1]],
  ['minContains', { contains: { const: 1 }, minContains: 2 }, [1]],
  ['prefixItems', { prefixItems: [text] }, [1]],
  ['items', { items: text }, [1]],
  ['unevaluatedItems', { unevaluatedItems: false }, [1]],
  ['maxProperties', { maxProperties: 1 }, { a: 1, b: 2 }],
  ['minProperties', { minProperties: 1 }, {}],
  ['required', { required: ['a'] }, {}],
  ['dependentRequired', { dependentRequired: { a: ['b'] } }, { a: 1 }],
  ['properties', { properties: { a: { const: 1 } } }, { a: 2 }],
  ['patternProperties', { patternProperties: { '^a': { const: 1 } } }, { ab: 2 }],
  ['additionalProperties', { additionalProperties: false }, { a: 1 }],
  ['unevaluatedProperties', { unevaluatedProperties: false }, { a: 1 }],
  ['propertyNames', { propertyNames: { maxLength: 1 } }, { ab: 1 }],
  ['dependentSchemas', { dependentSchemas: { a: { minProperties: 2 } } }, { a: 1 }],
  ['if', { if: { const: 1 }, then: false }, 1],
  ['then', { if: true, then: false }, 1],
  ['else', { if: false, else: false }, 1],
  ['allOf', { allOf: [{ const: 1 }] }, 2],
  ['anyOf', { anyOf: [{ const: 1 }, { const: 3 }] }, 2],
  ['oneOf', { oneOf: [true, true] }, 2],
  ['not', { not: { const: 1 } }, 1],
  ['$ref', { $ref: '#/components/schemas/One' }, 2],
];

const inBody = (schema: object, body: unknown): Pick<WordCase, 'document' | 'body'> => ({
  document: things(
    { requestBody: { content: json(schema) } },
    { components: { schemas: { One: { const: 1 } } } },
  ),
  body: JSON.stringify(body),
});

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

export const CASES: readonly WordCase[] = [
  { keyword: 'OpenAPI openapi', document: buildDocument(), ends: 204 },
  {
    keyword: 'OpenAPI jsonSchemaDialect',
    document: buildDocument({ jsonSchemaDialect: 'http://json-schema.org/draft-07/schema#' }),
    ends: 'refused',
  },
  {
    keyword: 'OpenAPI servers',
    document: buildDocument({ servers: [{ url: '/v1' }] }),
    path: '/v1/things',
    ends: 204,
  },
  { keyword: 'OpenAPI paths', document: buildDocument(), ends: 204 },
  { keyword: 'Paths *', document: buildDocument(), ends: 204 },
  { keyword: 'Responses *', document: buildDocument(), ends: 204 },
  { keyword: 'SecurityRequirement *', document: secured(bearer), ends: 401 },
  {
    keyword: 'OpenAPI components',
    document: things({ security: [{ a: [] }] }, { components: { securitySchemes: { a: bearer } } }),
    ends: 401,
  },
  {
    keyword: 'OpenAPI security',
    document: buildDocument({ security: [{ a: [] }], components: { securitySchemes: { a: bearer } } }),
    ends: 401,
  },
  {
    keyword: 'Server url',
    document: buildDocument({ servers: [{ url: '/v1' }] }),
    path: '/v1/things',
    ends: 204,
  },
  {
    keyword: 'Server variables',
    document: buildDocument({ servers: [{ url: '/{v}', variables: { v: { default: 'v1' } } }] }),
    path: '/v1/things',
    ends: 204,
  },
  {
    keyword: 'ServerVariable enum',
    document: buildDocument({
      servers: [{ url: '/{v}', variables: { v: { default: 'v1', enum: ['v1', 'v2'] } } }],
    }),
    path: '/v2/things',
    ends: 204,
  },
  {
    keyword: 'ServerVariable default',
    document: buildDocument({ servers: [{ url: '/{v}', variables: { v: { default: 'v1' } } }] }),
    path: '/v1/things',
    ends: 204,
  },

  ...Object.entries({
    schemas: { requestBody: { content: json({ $ref: '#/components/schemas/A' }) } },
    responses: { responses: { 204: { $ref: '#/components/responses/A' } } },
    parameters: { parameters: [{ $ref: '#/components/parameters/A' }] },
    requestBodies: { requestBody: { $ref: '#/components/requestBodies/A' } },
    headers: {
      responses: { 204: { description: '', headers: { 'X-A': { $ref: '#/components/headers/A' } } } },
    },
    securitySchemes: { security: [{ A: [] }] },
  }).map(([name, using]): WordCase => {
    const A = {
      schemas: false,
      responses: { description: '', headers: { 'X-A': { required: true, schema: integer } } },
      parameters: { name: 'a', in: 'query', required: true, schema: integer },
      requestBodies: { required: true, content: json(false) },
      headers: { required: true, schema: integer },
      securitySchemes: bearer,
    }[name];
    const ends = { responses: 500, headers: 500, securitySchemes: 401 }[name] ?? 400;
    return {
      keyword: `Components ${name}`,
      document: things(using, { components: { [name]: { A } } }),
      ...(ends === 400 && name !== 'parameters' && { body: '1' }),
      ends,
    };
  }),
  {
    keyword: 'Components pathItems',
    document: buildDocument({
      paths: { '/things': { $ref: '#/components/pathItems/A' } },
      components: { pathItems: { A: { post: operation('postThing') } } },
    }),
    ends: 204,
  },

  {
    keyword: 'PathItem $ref',
    document: buildDocument({
      paths: { '/things': { $ref: '#/components/pathItems/A', get: operation('getThing') } },
      components: { pathItems: { A: { post: operation('postThing') } } },
    }),
    ends: 204,
  },
  ...METHODS.map((method): WordCase => ({
    keyword: `PathItem ${method}`,
    document: buildDocument({
      paths: { '/things': { [method]: operation('one') }, '/others': { get: operation('other') } },
    }),
    method,
    ends: 204,
  })),
  {
    keyword: 'PathItem servers',
    document: buildDocument({
      paths: { '/things': { servers: [{ url: '/v1' }], post: operation('postThing') } },
    }),
    path: '/v1/things',
    ends: 204,
  },
  {
    keyword: 'PathItem parameters',
    document: buildDocument({
      paths: {
        '/things': {
          parameters: [{ name: 'a', in: 'query', required: true, schema: integer }],
          post: operation('postThing'),
        },
      },
    }),
    ends: 400,
  },

  { keyword: 'Operation operationId', document: buildDocument(), ends: 204 },
  { keyword: 'Operation parameters', document: withParameter({ required: true }), ends: 400 },
  {
    keyword: 'Operation requestBody',
    document: things({ requestBody: { content: json(true) } }),
    body: '1',
    ends: 204,
  },
  { keyword: 'Operation responses', document: buildDocument(), ends: 204 },
  { keyword: 'Operation security', document: secured(bearer), ends: 401 },
  {
    keyword: 'Operation servers',
    document: things({ servers: [{ url: '/v1' }] }),
    path: '/v1/things',
    ends: 204,
  },

  { keyword: 'Parameter name', document: withParameter({ required: true }), path: '/things?a=1', ends: 204 },
  { keyword: 'Parameter in', document: withParameter({ required: true }), path: '/things?a=1', ends: 204 },
  { keyword: 'Parameter required', document: withParameter({ required: true }), ends: 400 },
  {
    keyword: 'Parameter style',
    document: withParameter({
      style: 'pipeDelimited',
      explode: false,
      schema: { type: 'array', items: integer },
    }),
    path: '/things?a=1%7C2',
    ends: 204,
  },
  {
    keyword: 'Parameter explode',
    document: withParameter({ explode: false, schema: { type: 'array', items: integer } }),
    path: '/things?a=1,2',
    ends: 204,
  },
  { keyword: 'Parameter schema', document: withParameter({}), path: '/things?a=x', ends: 400 },
  {
    keyword: 'Parameter content',
    document: things({ parameters: [{ name: 'a', in: 'query', content: json(integer) }] }),
    path: '/things?a=%22x%22',
    ends: 400,
  },

  {
    keyword: 'RequestBody content',
    document: things({ requestBody: { content: json(integer) } }),
    body: '1',
    ends: 204,
  },
  {
    keyword: 'RequestBody required',
    document: things({ requestBody: { required: true, content: json(integer) } }),
    ends: 400,
  },
  {
    keyword: 'MediaType schema',
    document: things({ requestBody: { content: json(integer) } }),
    body: '"x"',
    ends: 400,
  },
  {
    keyword: 'MediaType encoding',
    document: things(
      form({ a: { type: 'array', items: integer } }, { a: { style: 'form', explode: false } }),
    ),
    type: FORM,
    body: 'a=1,2',
    ends: 204,
  },
  {
    keyword: 'Encoding contentType',
    document: things(form({ a: { type: 'object' } }, { a: { contentType: 'text/plain' } })),
    ends: 'refused',
  },
  {
    keyword: 'Encoding style',
    document: things(
      form({ a: { type: 'array', items: integer } }, { a: { style: 'pipeDelimited', explode: false } }),
    ),
    type: FORM,
    body: 'a=1%7C2',
    ends: 204,
  },
  {
    keyword: 'Encoding explode',
    document: things(form({ a: { type: 'array', items: integer } }, { a: { explode: false } })),
    type: FORM,
    body: 'a=1,2',
    ends: 204,
  },
  {
    keyword: 'Encoding allowReserved',
    // OpenAPI 3.1 section 4.8.15.1: with this keyword an object has a style instead of JSON, which a form does not
    // support.
    document: things(form({ a: { type: 'object' } }, { a: { allowReserved: true } })),
    ends: 'refused',
  },

  {
    keyword: 'Response headers',
    document: withHeader({}),
    answer: { status: 204, headers: { 'X-A': 1 }, body: undefined },
    ends: 204,
  },
  {
    keyword: 'Response content',
    document: things({ responses: { 200: { description: '', content: json(integer) } } }),
    answer: { status: 200, body: 1 },
    ends: 200,
    with: 1,
  },
  { keyword: 'Header required', document: withHeader({ required: true }), ends: 500 },
  {
    keyword: 'Header schema',
    document: withHeader({}),
    answer: { status: 204, headers: { 'X-A': 'x' }, body: undefined },
    ends: 500,
  },
  { keyword: 'Header style', document: withHeader({ style: 'form' }), ends: 'refused' },
  {
    keyword: 'Header explode',
    document: withHeader({
      explode: true,
      schema: { type: 'object', properties: { b: integer }, additionalProperties: false },
    }),
    answer: { status: 204, headers: { 'X-A': { b: 1 } }, body: undefined },
    ends: 204,
    with: 'b=1',
  },
  {
    keyword: 'Header content',
    document: things({
      responses: { 204: { description: '', headers: { 'X-A': { content: json(integer) } } } },
    }),
    answer: { status: 204, headers: { 'X-A': 'x' }, body: undefined },
    ends: 500,
  },
  {
    keyword: 'Reference $ref',
    document: things(
      { parameters: [{ $ref: '#/components/parameters/A' }] },
      { components: { parameters: { A: { name: 'a', in: 'query', required: true, schema: integer } } } },
    ),
    ends: 400,
  },

  ...KEYWORDS.map(([keyword, schema, body]): WordCase => ({
    keyword: `Schema ${keyword}`,
    ...inBody(schema, body),
    ends: 400,
  })),
  {
    keyword: 'Schema $schema',
    ...inBody({ $schema: 'http://json-schema.org/draft-07/schema#' }, 1),
    ends: 'refused',
  },
  {
    keyword: 'Schema $anchor',
    ...inBody({ anyOf: [{ $anchor: 'one', const: 1 }, { allOf: [{ $ref: '#one' }] }] }, 1),
    ends: 204,
  },
  {
    keyword: 'Schema $defs',
    document: things(
      { requestBody: { content: json({ $ref: '#/components/schemas/A/$defs/one' }) } },
      { components: { schemas: { A: { $defs: { one: { const: 1 } } } } } },
    ),
    body: '2',
    ends: 400,
  },
  {
    keyword: 'Schema readOnly',
    ...inBody({ type: 'object', properties: { id: { readOnly: true } }, required: ['id'] }, {}),
    ends: 204,
  },
  {
    keyword: 'Schema writeOnly',
    document: things({
      responses: {
        200: { description: '', content: json({ properties: { a: { writeOnly: true } }, required: ['a'] }) },
      },
    }),
    answer: { status: 200, body: {} },
    ends: 200,
  },
  {
    keyword: 'Schema default',
    ...inBody({ type: 'object', properties: { a: { type: 'integer', default: 7 } } }, {}),
    ends: 204,
    with: { a: 7 },
  },
  ...['discriminator', 'propertyName', 'mapping'].map((name): WordCase => ({
    keyword: `${name === 'discriminator' ? 'Schema' : 'Discriminator'} ${name}`,
    document: things(
      {
        requestBody: {
          content: json({
            oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }],
            discriminator: { propertyName: 'kind', mapping: { hund: 'Dog' } },
          }),
        },
      },
      {
        components: {
          schemas: {
            Cat: { type: 'object', required: ['kind'], properties: { kind: text } },
            Dog: { type: 'object', required: ['kind', 'size'], properties: { kind: text, size: integer } },
          },
        },
      },
    ),
    // Without the discriminator it is a cat. Only the mapping defines its name.
    ...(name === 'mapping'
      ? { body: JSON.stringify({ kind: 'hund', size: 1 }), ends: 204 }
      : { body: JSON.stringify({ kind: 'hund' }), ends: 400 }),
  })),

  { keyword: 'SecurityScheme type', document: secured(bearer), ends: 401 },
  { keyword: 'SecurityScheme scheme', document: secured(bearer), ends: 401 },
  {
    keyword: 'SecurityScheme name',
    document: secured({ type: 'apiKey', name: 'X-Key', in: 'header' }),
    headers: { 'X-Key': 'good' },
    ends: 204,
  },
  {
    keyword: 'SecurityScheme in',
    document: secured({ type: 'apiKey', name: 'X-Key', in: 'header' }),
    headers: { 'X-Key': 'good' },
    ends: 204,
  },
  { keyword: 'SecurityScheme flows', document: secured(flow('implicit'), [{ a: ['read'] }]), ends: 401 },
  ...['implicit', 'password', 'clientCredentials', 'authorizationCode'].map((name): WordCase => ({
    keyword: `OAuthFlows ${name}`,
    document: secured(flow(name), [{ a: ['read'] }]),
    ends: 401,
  })),
  { keyword: 'OAuthFlow scopes', document: secured(flow('implicit'), [{ a: ['read'] }]), ends: 401 },
];
