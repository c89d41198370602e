import document from '../../../../generated/openapi';
import { InvalidContract, type JsonObject, stub } from 'contract-first-server';
import supertest from 'supertest';
import { buildApp } from '../../../../scripts/testing/plant-service';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';

/** The findings of a document, one line each. */
function findings(doc: JsonObject, options: object = {}): string[] {
  const postThing = () => Promise.resolve({ status: 204 });
  try {
    buildService({ document: doc, handlers: { postThing }, ...options });
  } catch (error) {
    if (error instanceof InvalidContract) {
      return error.findings.map(({ pointer, message }) => `#${pointer}: ${message}`);
    }
    throw error;
  }
  return [];
}

const POST = '#/paths/~1things/post';
const withSchema = (schema: unknown) =>
  buildDocument({
    operation: { requestBody: { content: json(schema) } },
    components: {
      schemas: {
        Three: { default: 3 },
        Ping: { $ref: '#/components/schemas/Pong' },
        Pong: { $ref: '#/components/schemas/Ping' },
        Loop: { anyOf: [{ type: 'string' }, { not: { $ref: '#/components/schemas/Loop' } }] },
      },
    },
  });
const AT = `${POST}/requestBody/content/application~1json/schema`;

it('serves the document of this project', () => {
  expect(() => buildApp()).not.toThrow();
});

describe('an invalid OpenAPI 3.1 document is refused', () => {
  it.each([
    [
      'of another version',
      buildDocument({ openapi: '3.0.3' }),
      '#/openapi: expected the version of an OpenAPI 3.1 or 3.2 document, got 3.0.3: convert it to 3.1 first',
    ],
    [
      'without a title',
      buildDocument({ info: { version: '1' } }),
      "#/info: must have required property 'title'",
    ],
    [
      'with an unknown field',
      buildDocument({ operation: { response: {} } }),
      `${POST}/response: is not a field of an Operation Object. Do you mean \`responses\`?`,
    ],
    [
      'with a status in lower case',
      buildDocument({ operation: { responses: { '2xx': { description: '' } } } }),
      `${POST}/responses/2xx: is not a field of a Responses Object. Expected a status such as 200, a range such as 2XX, or default`,
    ],
    [
      'with an invalid path',
      buildDocument({ paths: { things: {} } }),
      '#/paths/things: is not a field of a Paths Object. A path begins with /',
    ],
  ])('%s', (_, doc, finding) => {
    expect(findings(doc)).toContain(finding);
  });

  it.each([
    [
      { swagger: '2.0' },
      /^#\/swagger: expected an OpenAPI 3.1 or 3.2 document, got Swagger 2.0: convert it /,
    ],
    [
      { openapi: '3.3.0' },
      /^#\/openapi: expected the version of an OpenAPI 3.1 or 3.2 document, got 3\.3\.0: later versions/,
    ],
    [
      { openapi: 3.1 },
      /^#\/openapi: expected the version of an OpenAPI 3.1 or 3.2 document, got 3\.1: write it in full/,
    ],
  ])('of an unsupported version, without findings about its keywords: %j', (version, sentence) => {
    expect(findings({ ...version, info: {}, definitions: {} })).toEqual([expect.stringMatching(sentence)]);
  });
});

describe('an unenforceable schema is refused with its place', () => {
  it.each([
    ['an unknown type', { type: 'strng' }, `${AT}/type: must be equal to one of the allowed values`],
    [
      'an invalid bound',
      { properties: { a: { minLength: -1 } } },
      `${AT}/properties/a/minLength: must be >= 0`,
    ],
    ['an invalid pattern', { pattern: '(' }, `${AT}/pattern: must match format "regex"`],
    [
      'a $ref into its own $defs',
      { $defs: { a: true }, $ref: '#/$defs/a' },
      `${AT}/$ref: "#/$defs/a" leads nowhere in this document`,
    ],
    [
      'a $ref to another file',
      { $ref: 'other.yaml' },
      `${AT}/$ref: "other.yaml" leads nowhere in this document`,
    ],
    ['an $id', { $id: 'https://example.com/' }, `${AT}/$id: a schema with its own base URI cannot be served`],
    [
      'two references to each other',
      { $ref: '#/components/schemas/Ping' },
      '#/components/schemas/Pong/$ref: refers to itself for the same value: no value could ever be validated',
    ],
    [
      'a reference to itself in a branch',
      { $ref: '#/components/schemas/Loop' },
      '#/components/schemas/Loop/anyOf/1/not/$ref: refers to itself for the same value',
    ],
    [
      'a default that its schema refuses',
      { properties: { a: { type: 'integer', default: '1' } } },
      `${AT}/properties/a/default: does not match the schema that it stands in`,
    ],
    [
      'a default of an allOf that the whole schema refuses',
      { properties: { a: { allOf: [{ minimum: 5 }, { $ref: '#/components/schemas/Three' }] } } },
      `#/components/schemas/Three/default: does not match ${AT}/properties/a, for which it is filled in`,
    ],
    [
      'a default of a referenced schema that conflicts with a sibling keyword',
      { properties: { a: { $ref: '#/components/schemas/Three', minimum: 5 } } },
      `#/components/schemas/Three/default: does not match ${AT}/properties/a, for which it is filled in`,
    ],
    [
      'a readOnly body',
      { type: 'object', readOnly: true },
      `${AT}: is readOnly as a whole: no request can have this body`,
    ],
    ['a $dynamicRef', { $dynamicRef: '#x' }, `${AT}/$dynamicRef: dynamic references cannot be served`],
    [
      'another dialect',
      { $schema: 'http://json-schema.org/draft-07/schema#' },
      `${AT}/$schema: only JSON Schema 2020-12 can be served`,
    ],
  ])('%s', (_, schema, finding) => {
    const found = findings(withSchema(schema));
    expect(found.some((line) => line.startsWith(finding))).toBe(true);
  });

  it.each([
    ['prefixItems', { prefixItems: [{ type: 'string' }], items: false }],
    ['a $ref to an $anchor', { $ref: '#thing' }],
    ['a $ref deep into a schema', { $ref: '#/components/schemas/Deep/properties/a' }],
    ['a $ref with siblings', { $ref: '#/components/schemas/Deep', minProperties: 1 }],
    ['a schema that refers to itself', { $ref: '#/components/schemas/Node' }],
    [
      'the limits of int64 as bounds',
      { type: 'integer', format: 'int64', minimum: -(2 ** 63), maximum: 2 ** 63 },
    ],
    [
      'bounds that a double cannot represent',
      { type: 'integer', minimum: 2 ** 60, enum: [2 ** 60, 2 ** 61] },
    ],
    ['an enum without values', { enum: [] }],
    ['booleans', { properties: { a: true, b: false } }],
    [
      'annotations',
      { example: 1, deprecated: true, xml: {}, 'x-y': 1, discriminator: { propertyName: 'a' } },
    ],
  ])('but %s can be', (_, schema) => {
    const schemas = {
      Anchored: { $anchor: 'thing', type: 'object' },
      Deep: { properties: { a: { type: 'string' } } },
      Node: { properties: { next: { $ref: '#/components/schemas/Node' } } },
    };
    const doc = buildDocument({
      operation: { requestBody: { content: json(schema) } },
      components: { schemas },
    });
    expect(findings(doc)).toEqual([]);
  });

  it('even if no operation uses it', () => {
    const doc = buildDocument({ components: { schemas: { Unused: { type: 'strng' } } } });
    expect(findings(doc)[0]).toContain('#/components/schemas/Unused/type: must be');
  });
});

describe('an unsupported operation is refused with its place', () => {
  const operation = (fields: object) => buildDocument({ operation: fields });
  it.each([
    [
      'without an operationId',
      operation({ operationId: undefined }),
      `${POST}: has no operationId, by which its handler is found: add one, such as postThings`,
    ],
    [
      'without responses',
      operation({ responses: undefined }),
      `${POST}: has no responses, so nothing can be sent`,
    ],
    [
      'with a form as a response',
      operation({
        responses: { 200: { description: '', content: { 'application/x-www-form-urlencoded': {} } } },
      }),
      `${POST}/responses/200/content/application~1x-www-form-urlencoded: a form cannot be served as a response`,
    ],
    [
      'whose 400 differs from that of this server',
      operation({ responses: { 400: { description: '', content: json({ required: ['code'] }) } } }),
      `${POST}: the errors of this server do not conform to the document: the 400 response: body must have required property 'code'`,
    ],
    [
      'whose path is reserved',
      buildDocument({
        paths: { '/-/live': { post: { operationId: 'postThing', responses: { 204: { description: '' } } } } },
      }),
      '#/paths/~1-~1live/post: paths that start with /-/ are reserved for the operation of the server',
    ],
  ])('%s', (_, doc, finding) => {
    expect(findings(doc)).toContain(finding);
  });

  it('two with one operationId', () => {
    const post = { operationId: 'postThing', responses: { 204: { description: '' } } };
    expect(findings(buildDocument({ paths: { '/a': { post }, '/b': { post } } }))).toContain(
      '#/paths/~1b/post/operationId: is also the operationId of #/paths/~1a/post',
    );
  });
});

describe('the service must provide everything that the document requires', () => {
  it('a handler for every operation, and no other one', () => {
    const handlers = { postThings: () => Promise.resolve({ status: 204 }) };
    expect(findings(buildDocument(), { handlers })).toEqual([
      `${POST}: the operation postThing has no handler`,
      '#/paths: no operation has the operationId postThings, but a handler has',
    ]);
  });

  it('a stub for a handler, only if stubs are allowed', async () => {
    const options = { document: buildDocument(), handlers: { postThing: stub('postThing') } };
    expect(findings(options.document, { ...options, stubs: false })).toEqual([
      `${POST}: the handler of postThing is still a stub`,
    ]);
    const { app } = buildService(options);
    await supertest(app).post('/things').expect('X-Stub', 'postThing').expect(204);
  });

  it('two security schemes that one request cannot present together are refused', () => {
    const securitySchemes = { a: { type: 'http', scheme: 'bearer' }, b: { type: 'http', scheme: 'basic' } };
    const doc = buildDocument({
      operation: { security: [{ a: [], b: [] }] },
      components: { securitySchemes },
    });
    expect(findings(doc)).toContain(
      `${POST}/security/0: requires a and b together, which no request can satisfy: it has one Authorization field (RFC 9110 section 11.6.2)`,
    );
  });

  it('all findings are reported together', () => {
    const doc = { ...document, security: [{ none: [] }] };
    const schema = { type: 'object', properties: { a: { $ref: '#/x' }, b: { $id: 'x' } } };
    expect(findings(withSchema(schema)).map((line) => line.split(':')[0])).toEqual([
      `${AT}/properties/b/$id`,
      `${AT}/properties/a/$ref`,
    ]);
    expect(() => buildApp({ document: doc })).toThrow(
      '#/security/0/none: is not among components.securitySchemes',
    );
  });
});
