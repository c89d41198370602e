import { compileContract, OpenApiDocument, walk, type Walked } from 'contract-first-server/tools';
import { InvalidContract, type JsonObject } from 'contract-first-server';

const schema = { type: 'string', xml: { name: 'a' }, externalDocs: { url: 'https://a.example' } };
const externalDocs = { url: 'https://a.example' };
const link = { operationId: 'getThing', server: { url: '/' } };
const [authorizationUrl, tokenUrl, scopes] = ['https://a.example', 'https://a.example', {}];
const response = {
  description: '',
  headers: { 'X-A': { schema } },
  content: { 'application/json': { schema, examples: { one: { value: 'a' } } } },
  links: { self: link },
};
const referred = { 'application/json': { $ref: '#/components/mediaTypes/one' } };
const operation = (operationId: string) => ({
  operationId,
  externalDocs,
  parameters: [{ name: 'q', in: 'query', schema, examples: { one: { value: 'a' } } }],
  requestBody: {
    content: {
      'application/x-www-form-urlencoded': {
        schema: { type: 'object', properties: { a: schema } },
        encoding: { a: { contentType: 'text/plain' } },
      },
    },
  },
  responses: { 200: response },
});

/** A valid document with at least one of each object of OpenAPI. */
export function completeDocument(): JsonObject {
  const document = {
    openapi: '3.2.0',
    $self: 'https://a.example/all.yaml',
    info: { title: 'All', version: '1', contact: { name: 'a' }, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/{v}', variables: { v: { default: 'a', enum: ['a'] } } }],
    security: [{ login: [] }, {}],
    tags: [{ name: 'a', externalDocs }],
    externalDocs,
    paths: {
      '/things': {
        get: {
          ...operation('getThing'),
          callbacks: { done: { '{$request.query.q}': { post: operation('done') } } },
        },
      },
      '/found': {
        query: { ...operation('findThings'), responses: { 200: { summary: '', content: referred } } },
        additionalOperations: {
          COPY: { ...operation('copyThings'), responses: { 200: { content: referred } } },
        },
      },
      '/others': { $ref: '#/components/pathItems/others' },
      '/more/{id}': {
        parameters: [{ $ref: '#/components/parameters/id' }],
        get: { operationId: 'getMore', responses: { 200: { $ref: '#/components/responses/one' } } },
      },
    },
    webhooks: { happened: { post: operation('happened') } },
    components: {
      schemas: {
        Pet: {
          oneOf: [{ $ref: '#/components/schemas/Cat' }],
          discriminator: { propertyName: 'kind', mapping: { cat: 'Cat' }, defaultMapping: 'Cat' },
        },
        Cat: { type: 'object', required: ['kind'], properties: { kind: { const: 'cat' } } },
        All: {
          $defs: { a: schema },
          $comment: 'every applicator',
          prefixItems: [schema],
          items: schema,
          contains: schema,
          additionalProperties: schema,
          properties: { a: schema },
          patternProperties: { '^b': schema },
          dependentSchemas: { a: schema },
          propertyNames: schema,
          if: schema,
          then: schema,
          else: schema,
          allOf: [schema],
          anyOf: [schema],
          oneOf: [schema],
          not: schema,
          unevaluatedItems: schema,
          unevaluatedProperties: schema,
        },
      },
      responses: { one: response },
      parameters: { id: { name: 'id', in: 'path', required: true, schema } },
      examples: { one: { value: 'a' } },
      requestBodies: { one: { content: { 'application/json': { schema } } } },
      headers: { one: { schema } },
      securitySchemes: {
        login: {
          type: 'oauth2',
          flows: {
            implicit: { authorizationUrl, scopes },
            password: { tokenUrl, scopes },
            clientCredentials: { tokenUrl, scopes },
            authorizationCode: { authorizationUrl, tokenUrl, scopes },
            deviceAuthorization: { deviceAuthorizationUrl: 'https://a.example', tokenUrl, scopes },
          },
        },
      },
      links: { self: link },
      callbacks: { done: { '{$request.query.q}': { post: operation('doneToo') } } },
      pathItems: { others: { get: operation('getOthers') } },
      mediaTypes: { one: { schema, examples: { one: { dataValue: 'a', serializedValue: '"a"' } } } },
    },
  };
  // A copy through JSON, in which no two places share an object.
  return JSON.parse(JSON.stringify(document)) as JsonObject;
}

/** Each object of the complete document. */
export function objects(document: JsonObject): Walked[] {
  const found: Walked[] = [];
  walk({ pointer: '', value: document, expected: 'OpenAPI', documented: false }, (walked) =>
    found.push(walked),
  );
  return found;
}

/** The complete document after `edit` has changed the object at `pointer`. */
export function edited(pointer: string, edit: (value: Record<string, unknown>) => void): JsonObject {
  const document = completeDocument();
  const value = objects(document).find((walked) => walked.pointer === pointer)?.value;
  if (!value) throw new Error(`no object is at ${pointer}`);
  edit(value);
  return document;
}

/** The findings and remarks of a document, with their places. */
export function accountOf(document: JsonObject): { findings: string[]; remarks: string[] } {
  const lines = (all: readonly { readonly pointer: string; readonly message: string }[]) =>
    all.map(({ pointer, message }) => `${pointer}: ${message}`);
  try {
    return { findings: [], remarks: lines(compileContract(document, undefined).remarks) };
  } catch (error) {
    if (!(error instanceof InvalidContract)) throw error;
    return { findings: lines(error.findings), remarks: lines(new OpenApiDocument(document).remarks) };
  }
}
