/**
 * For each enforced keyword, a document that contains it once, and a request or a startup whose outcome differs without
 * the keyword.
 */
import type { Answer, JsonObject } from 'contract-first-server';
import { buildDocument, json } from '../../../../../scripts/testing/service';

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

export interface KeywordCase extends Exchange {
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
    [name]: {
      ...(/^(implicit|authorizationCode)$/.test(name) && { authorizationUrl: 'https://a.example' }),
      ...(name === 'deviceAuthorization' && { deviceAuthorizationUrl: 'https://a.example' }),
      ...(name !== 'implicit' && { tokenUrl: 'https://a.example' }),
      scopes: { read: '' },
    },
  },
});

/** A case: the keyword, a document that contains it once, the outcome, and the request and the result of the handler. */
type Row = readonly [
  keyword: string,
  document: JsonObject,
  ends: KeywordCase['ends'],
  exchange?: Exchange & { readonly with?: unknown },
];

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const V1 = { path: '/v1/things' };
const A1 = { path: '/things?a=1' };
const servers = [{ url: '/v1' }];
const variables = (v: object) => buildDocument({ servers: [{ url: '/{v}', variables: { v } }] });
const required = { required: true, schema: integer };
const integers = { type: 'array', items: integer };
const formOf = (encoding: object, type = 'array') =>
  things(form({ a: { type, items: integer } }, { a: encoding }));
const answering = (headers: object) => ({
  answer: { status: 204, headers, body: undefined } as Answer,
});
const items = { [Symbol.asyncIterator]: () => [1, 2].values() };
const paths = (things: object, more: object = {}) => buildDocument({ paths: { '/things': things }, ...more });
/** A document of 3.2, which adds the keyword of the case. */
const of32 = (document: JsonObject): JsonObject => ({ ...document, openapi: '3.2.0' });
const item = { pathItems: { A: { post: operation('postThing') } } };
/** A body of one part. */
const partOf = (kind: string): Exchange => ({
  type: `multipart/${kind}; boundary=b`,
  body: `--b\r\nContent-Disposition: ${kind}; name=a\r\nContent-Type: text/plain\r\n\r\n1\r\n--b--`,
});
const bodyIn = (content: object) => ({ requestBody: { content } });
const bodyOf = (schema: unknown, more: object = {}) => things(bodyIn(json(schema)), more);

const ROWS: readonly Row[] = [
  ['OpenAPI openapi', buildDocument(), 204],
  [
    'OpenAPI jsonSchemaDialect',
    buildDocument({ jsonSchemaDialect: 'http://json-schema.org/draft-07/schema#' }),
    'refused',
  ],
  [
    'OpenAPI $self',
    of32(
      bodyOf(
        { $ref: 'api.yaml#/components/schemas/A' },
        { $self: 'https://a.example/api.yaml', components: { schemas: { A: false } } },
      ),
    ),
    400,
    { body: '1' },
  ],
  ['OpenAPI servers', buildDocument({ servers }), 204, V1],
  ['OpenAPI paths', buildDocument(), 204],
  ['Paths *', buildDocument(), 204],
  ['Responses *', buildDocument(), 204],
  ['SecurityRequirement *', secured(bearer), 401],
  ['OpenAPI components', secured(bearer), 401],
  [
    'OpenAPI security',
    buildDocument({ security: [{ a: [] }], components: { securitySchemes: { a: bearer } } }),
    401,
  ],
  ['Server url', buildDocument({ servers }), 204, V1],
  ['Server variables', variables({ default: 'v1' }), 204, V1],
  ['ServerVariable enum', variables({ default: 'v1', enum: ['v1', 'v2'] }), 204, { path: '/v2/things' }],
  ['ServerVariable default', variables({ default: 'v1' }), 204, V1],

  ['Components pathItems', paths({ $ref: '#/components/pathItems/A' }, { components: item }), 204],
  [
    'PathItem $ref',
    paths({ $ref: '#/components/pathItems/A', get: operation('getThing') }, { components: item }),
    204,
  ],
  ...METHODS.map((method): Row => {
    const others = { '/things': { [method]: operation('one') }, '/others': { get: operation('other') } };
    return [`PathItem ${method}`, buildDocument({ paths: others }), 204, { method }];
  }),
  ...Object.entries({ query: 'query', additionalOperations: 'copy' }).map(([field, method]): Row => {
    const one = field === 'query' ? operation('one') : { COPY: operation('one') };
    return [
      `PathItem ${field}`,
      of32(paths({ [field]: one, post: operation('postThing') })),
      204,
      { method },
    ];
  }),
  ['PathItem servers', paths({ servers, post: operation('postThing') }), 204, V1],
  [
    'PathItem parameters',
    paths({ parameters: [{ name: 'a', in: 'query', ...required }], post: operation('postThing') }),
    400,
  ],

  ['Operation operationId', buildDocument(), 204],
  ['Operation parameters', withParameter({ required: true }), 400],
  ['Operation requestBody', bodyOf(true), 204, { body: '1' }],
  ['Operation responses', buildDocument(), 204],
  ['Operation security', secured(bearer), 401],
  ['Operation servers', things({ servers }), 204, V1],

  ['Parameter name', withParameter({ required: true }), 204, A1],
  ['Parameter in', withParameter({ required: true }), 204, A1],
  ['Parameter required', withParameter({ required: true }), 400],
  [
    'Parameter style',
    withParameter({ style: 'pipeDelimited', explode: false, schema: integers }),
    204,
    { path: '/things?a=1%7C2' },
  ],
  ['Parameter explode', withParameter({ explode: false, schema: integers }), 204, { path: '/things?a=1,2' }],
  ['Parameter schema', withParameter({}), 400, { path: '/things?a=x' }],
  [
    'Parameter content',
    things({ parameters: [{ name: 'a', in: 'query', content: json(integer) }] }),
    400,
    { path: '/things?a=%22x%22' },
  ],

  ['RequestBody content', bodyOf(integer), 204, { body: '1' }],
  ['RequestBody required', things({ requestBody: { required: true, content: json(integer) } }), 400],
  ['Operation x-body-limit', things({ ...bodyIn(json(integer)), 'x-body-limit': 2 }), 413, { body: '123' }],
  ...['x-deprecated-since', 'x-sunset'].map((name): Row => [
    `Operation ${name}`,
    things({ deprecated: true, [name]: 'soon' }),
    'refused',
  ]),
  ['MediaType x-stream', things(bodyIn({ 'application/json': { 'x-stream': true } })), 'refused'],
  ...['itemSchema', 'x-item-schema'].map((name): Row => {
    const content = { 'application/jsonl': { schema: text, [name]: integer } };
    const document = of32(things({ responses: { 200: { description: '', content } } }));
    return [`MediaType ${name}`, document, 200, { answer: { status: 200, body: items } }];
  }),
  ['MediaType schema', bodyOf(integer), 400, { body: '"x"' }],
  ['MediaType encoding', formOf({ style: 'form', explode: false }), 204, { type: FORM, body: 'a=1,2' }],
  ['Encoding contentType', formOf({ contentType: 'text/plain' }, 'object'), 'refused'],
  [
    'Encoding style',
    formOf({ style: 'pipeDelimited', explode: false }),
    204,
    { type: FORM, body: 'a=1%7C2' },
  ],
  ['Encoding explode', formOf({ explode: false }), 204, { type: FORM, body: 'a=1,2' }],
  [
    'Encoding headers',
    things(
      bodyIn({
        'multipart/form-data': {
          schema: { properties: { a: integer } },
          encoding: { a: { headers: { 'X-A': { required: true, schema: integer } } } },
        },
      }),
    ),
    400,
    partOf('form-data'),
  ],
  ...['prefixEncoding', 'itemEncoding'].map((name): Row => {
    const encoding = { contentType: 'text/csv' };
    const media = {
      schema: { type: 'array', items: integer },
      [name]: name === 'itemEncoding' ? encoding : [encoding],
    };
    return [`MediaType ${name}`, of32(things(bodyIn({ 'multipart/mixed': media }))), 400, partOf('mixed')];
  }),
  // OpenAPI 3.1 section 4.8.15.1: with this keyword an object has a style instead of JSON, which a form does not support.
  ['Encoding allowReserved', formOf({ allowReserved: true }, 'object'), 'refused'],

  ['Response headers', withHeader({}), 204, answering({ 'X-A': 1 })],
  [
    'Response content',
    things({ responses: { 200: { description: '', content: json(integer) } } }),
    200,
    { answer: { status: 200, body: 1 }, with: 1 },
  ],
  ['Header required', withHeader({ required: true }), 500],
  ['Header schema', withHeader({}), 500, answering({ 'X-A': 'x' })],
  ['Header style', withHeader({ style: 'form' }), 'refused'],
  [
    'Header explode',
    withHeader({
      explode: true,
      schema: { type: 'object', properties: { b: integer }, additionalProperties: false },
    }),
    204,
    { ...answering({ 'X-A': { b: 1 } }), with: 'b=1' },
  ],
  [
    'Header content',
    things({ responses: { 204: { description: '', headers: { 'X-A': { content: json(integer) } } } } }),
    500,
    answering({ 'X-A': 'x' }),
  ],
  [
    'Reference $ref',
    things(
      { parameters: [{ $ref: '#/components/parameters/A' }] },
      { components: { parameters: { A: { name: 'a', in: 'query', ...required } } } },
    ),
    400,
  ],

  [
    'Schema $schema',
    bodyOf({ $schema: 'http://json-schema.org/draft-07/schema#' }),
    'refused',
    { body: '1' },
  ],
  [
    'Schema readOnly',
    bodyOf({ type: 'object', properties: { id: { readOnly: true } }, required: ['id'] }),
    204,
    { body: '{}' },
  ],
  [
    'Schema writeOnly',
    things({
      responses: {
        200: { description: '', content: json({ properties: { a: { writeOnly: true } }, required: ['a'] }) },
      },
    }),
    200,
    { answer: { status: 200, body: {} } },
  ],
  [
    'Schema default',
    bodyOf({ type: 'object', properties: { a: { type: 'integer', default: 7 } } }),
    204,
    { body: '{}', with: { a: 7 } },
  ],
  // Without the discriminator it is a cat. Only the mapping defines its name.
  ...['Schema discriminator', 'Discriminator propertyName', 'Discriminator mapping'].map((keyword): Row => {
    const $refs = ['Cat', 'Dog'].map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const kind = { type: 'object', required: ['kind'], properties: { kind: text, size: integer } };
    const mapped = keyword.endsWith('mapping');
    return [
      keyword,
      bodyOf(
        { oneOf: $refs, discriminator: { propertyName: 'kind', mapping: { hund: 'Dog' } } },
        { components: { schemas: { Cat: kind, Dog: { ...kind, required: ['kind', 'size'] } } } },
      ),
      mapped ? 204 : 400,
      { body: JSON.stringify({ kind: 'hund', ...(mapped && { size: 1 }) }) },
    ];
  }),

  [
    'Discriminator defaultMapping',
    of32(
      bodyOf(
        {
          oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }],
          discriminator: { propertyName: 'kind', defaultMapping: 'Dog' },
        },
        { components: { schemas: { Cat: { required: ['kind'] }, Dog: { type: 'object' } } } },
      ),
    ),
    204,
    { body: '{}' },
  ],

  ['SecurityScheme type', secured(bearer), 401],
  ['SecurityScheme scheme', secured(bearer), 401],
  ...['name', 'in'].map((name): Row => {
    const document = secured({ type: 'apiKey', name: 'X-Key', in: 'header' });
    return [`SecurityScheme ${name}`, document, 204, { headers: { 'X-Key': 'good' } }];
  }),
  ['SecurityScheme flows', secured(flow('implicit'), [{ a: ['read'] }]), 401],
  ...['implicit', 'password', 'clientCredentials', 'authorizationCode', 'deviceAuthorization'].map(
    (name): Row => [`OAuthFlows ${name}`, of32(secured(flow(name), [{ a: ['read'] }])), 401],
  ),
  ['OAuthFlow scopes', secured(flow('implicit'), [{ a: ['read'] }]), 401],
];

/** For each kind of component: what refers to it, the component, and the outcome. */
const COMPONENTS: Readonly<Record<string, readonly [using: object, A: unknown, ends: number]>> = {
  schemas: [{ requestBody: { content: json({ $ref: '#/components/schemas/A' }) } }, false, 400],
  responses: [
    { responses: { 204: { $ref: '#/components/responses/A' } } },
    { description: '', headers: { 'X-A': required } },
    500,
  ],
  parameters: [
    { parameters: [{ $ref: '#/components/parameters/A' }] },
    { name: 'a', in: 'query', ...required },
    400,
  ],
  requestBodies: [
    { requestBody: { $ref: '#/components/requestBodies/A' } },
    { required: true, content: json({ type: 'string' }) },
    400,
  ],
  headers: [
    { responses: { 204: { description: '', headers: { 'X-A': { $ref: '#/components/headers/A' } } } } },
    required,
    500,
  ],
  securitySchemes: [{ security: [{ A: [] }] }, bearer, 401],
  mediaTypes: [
    { requestBody: { content: { 'application/json': { $ref: '#/components/mediaTypes/A' } } } },
    { schema: false },
    400,
  ],
};

const COMPONENT_ROWS = Object.entries(COMPONENTS).map(([name, [using, A, ends]]): Row => {
  const body = /schemas|requestBodies|mediaTypes/.test(name) ? { body: '1' } : {};
  return [`Components ${name}`, of32(things(using, { components: { [name]: { A } } })), ends, body];
});

/** The keywords of Schema that have a file of the JSON Schema Test Suite have no case here. */
export const CASES: readonly KeywordCase[] = [...ROWS, ...COMPONENT_ROWS].map(
  ([keyword, document, ends, exchange]) => ({ keyword, document, ends, ...exchange }),
);
