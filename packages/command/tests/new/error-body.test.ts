import { codeOf } from '../../src/new/code';
import { type Facts, numberPlace, says, valueOf } from '../../src/new/errors/error-body';
import { bodyOf, errorResponses, ownKinds, usualErrorBody } from '../../src/new/errors/errors';
import { compileContract, OpenApiDocument } from 'contract-first-server/tools';
import { type JsonObject } from 'contract-first-server';
import { buildDocument } from '../../../../scripts/testing/service';

const FACTS: Facts = { kind: 'notFound', message: 'a sentence', status: 404, number: 40400 };
const text = { type: 'string' };
const integer = { type: 'integer' };
const list = (items: JsonObject, more: JsonObject = {}) => ({ type: 'array', items, ...more });
const object = (properties: JsonObject, ...required: string[]) => ({ type: 'object', properties, required });

/** The shape of the error body of an operation that documents it for 404. */
function shapeOf(schema: JsonObject, type = 'application/json'): unknown {
  const responses = { 204: { description: '' }, 404: { description: '', content: { [type]: { schema } } } };
  const root = buildDocument({ paths: { '/a': { get: { operationId: 'getA', responses } } } });
  const document = new OpenApiDocument(root);
  const [response] = errorResponses(document, compileContract(root, undefined).served.values());
  return response && bodyOf(document, response)?.shape;
}
const bodyFor = (schema: JsonObject, type?: string) => valueOf(shapeOf(schema, type), FACTS);

it.each<[string, JsonObject, unknown]>([
  [
    'a number and a message',
    object({ error: integer, message: text }),
    { error: 40400, message: 'a sentence' },
  ],
  [
    'RFC 9457',
    object({ type: { ...text, format: 'uri' }, title: text, status: integer, detail: text, instance: text }),
    { type: 'about:blank', title: 'A title', status: 404, detail: 'a sentence' },
  ],
  [
    'a small code',
    object({ code: { ...integer, maximum: 599 }, message: text }),
    { code: 404, message: 'a sentence' },
  ],
  [
    'a required property that nothing is known of',
    object({ message: text, trace: text }, 'trace'),
    { message: 'a sentence', trace: 'text' },
  ],
  [
    'required properties that may be null',
    object(
      {
        message: text,
        param: { type: ['string', 'null'] },
        decline_code: { enum: ['card_declined', 'expired_card', null] },
        source: { anyOf: [object({ pointer: text }, 'pointer'), { type: 'null' }] },
        origin: { enum: ['server', 'client'], default: 'client' },
      },
      'param',
      'decline_code',
      'source',
      'origin',
    ),
    { message: 'a sentence', param: null, decline_code: null, source: null, origin: 'client' },
  ],
  [
    'integers of 64 bits',
    object({ status: { ...integer, format: 'int64' }, detail: text }),
    { status: 404n, detail: 'a sentence' },
  ],
  ['a text', text, 'a sentence'],
  // RealWorld's Conduit.
  [
    'a list of sentences below a name of any kind',
    object({ errors: object({ body: list(text) }, 'body') }, 'errors'),
    { errors: { body: ['a sentence'] } },
  ],
  [
    'sentences by the name of a field',
    object(
      { errors: { type: 'object', additionalProperties: list(text, { minItems: 1 }), minProperties: 1 } },
      'errors',
    ),
    { errors: { property1: ['a sentence'] } },
  ],
  ['a list of texts', list(text, { minItems: 1 }), ['a sentence']],
  [
    'a text of an error below any name',
    object({ id: text, failure: object({ oops: text }) }, 'id'),
    { id: 'text', failure: { oops: 'a sentence' } },
  ],
  [
    'an error two levels down',
    object(
      { response: object({ error: object({ code: integer, description: text }, 'code') }, 'error') },
      'response',
    ),
    { response: { error: { code: 40400, description: 'a sentence' } } },
  ],
  [
    'JSON:API',
    object({ errors: list(object({ status: text, code: text, title: text, detail: text })) }, 'errors'),
    { errors: [{ status: '404', code: 'notFound', title: 'A title', detail: 'a sentence' }] },
  ],
  [
    'a code that must be one of a list',
    object({ code: { enum: ['E1', 'E2'] }, message: text }, 'code', 'message'),
    { code: 'E1', message: 'a sentence' },
  ],
  [
    'a kind that says whose fault it is',
    object(
      {
        type: { enum: ['api_connection_error', 'api_error', 'card_error', 'invalid_request_error'] },
        message: text,
      },
      'type',
      'message',
    ),
    { type: 'invalid_request_error', message: 'a sentence' },
  ],
  [
    'a kind that the document names',
    object(
      { type: { enum: ['server', 'bad_request'], default: 'server' }, message: text },
      'type',
      'message',
    ),
    { type: 'server', message: 'a sentence' },
  ],
  [
    'a branch that can say what is wrong, after one that cannot',
    { oneOf: [object({ id: integer }, 'id'), object({ message: text }, 'message')] },
    { message: 'a sentence' },
  ],
  [
    'a closed object with a constant',
    { ...object({ success: { const: false }, msg: text }, 'success', 'msg'), additionalProperties: false },
    { success: false, msg: 'a sentence' },
  ],
])('fills %s', (_, schema, body) => {
  expect(bodyFor(schema)).toEqual(body);
});

it.each([
  [['not_found', 'conflict', 'internal_error'], 'not_found'],
  [['missing_field', 'unknown_field', 'duplicate'], 'missing_field'],
  [['too_many_requests', 'server_error'], 'too_many_requests'],
  [['not_found', 'request_timeout', 'internal'], 'not_found'],
  [['invalid_server_response', 'timeout'], 'invalid_server_response'],
  [['rate_limited', 'unknown_parameter', 'invalid_request'], 'invalid_request'],
])('takes of %j the one that is the fault of clients, or else the first: %s', (values, expected) => {
  expect(bodyFor(object({ code: { enum: values }, message: text }, 'code', 'message'))).toEqual({
    code: expected,
    message: 'a sentence',
  });
});

it('says by the status whose fault it is', () => {
  const kinds = { enum: ['CONFLICT', 'INTERNAL_SERVER_ERROR', 'BAD_REQUEST'] };
  const shape = shapeOf(
    object({ error: object({ kind: kinds, message: text }, 'kind', 'message') }, 'error'),
  );
  expect(codeOf(shape)).toContain("kind: status < 500 ? 'BAD_REQUEST' : 'INTERNAL_SERVER_ERROR'");
  expect(valueOf(shape, { ...FACTS, status: 503 })).toMatchObject({
    error: { kind: 'INTERNAL_SERVER_ERROR' },
  });
});

it('finds no body that can say what is wrong, where there is none', () => {
  for (const schema of [
    object({ id: integer }),
    { type: 'boolean' },
    object({ requestId: text, url: text }),
    object({ email: text }),
  ])
    expect(says(shapeOf(schema))).toBe(false);
});

it('fills a text that is no JSON', () => {
  expect(bodyFor(text, 'text/plain')).toBe('a sentence');
});

it('takes the body that most error responses have, and a kind for each status that the server does not answer', () => {
  const errors = Object.entries({
    402: 'detail',
    404: 'message',
    409: 'message',
    410: 'detail',
    422: 'message',
  });
  const responses = Object.fromEntries(
    errors.map(([status, name]) => [
      status,
      {
        description: '',
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
      },
    ]),
  );
  const root = buildDocument({
    paths: { '/a': { get: { operationId: 'getA', responses: { 204: { description: '' }, ...responses } } } },
    components: { schemas: { detail: object({ detail: text }), message: object({ message: text }) } },
  });
  const all = errorResponses(new OpenApiDocument(root), compileContract(root, undefined).served.values());
  expect(valueOf(usualErrorBody(new OpenApiDocument(root), all)?.shape, FACTS)).toEqual({
    message: 'a sentence',
  });
  expect(ownKinds(all)).toEqual([
    { kind: 'paymentRequired', status: 402, number: 40201 },
    { kind: 'noSuchResource', status: 404, number: 40401 },
    { kind: 'conflict', status: 409, number: 40901 },
    { kind: 'gone', status: 410, number: 41001 },
    { kind: 'unprocessableEntity', status: 422, number: 42201 },
  ]);
});

it('finds the number of an error', () => {
  expect(numberPlace(shapeOf(object({ error: object({ code: integer, message: text }) })))).toEqual([
    'error',
    'code',
  ]);
  expect(numberPlace(shapeOf(object({ message: text })))).toBeUndefined();
});

it('writes the body as code', () => {
  expect(codeOf(shapeOf(object({ code: text, 'the-id': text, message: text }, 'the-id')))).toBe(
    "{ code: kind, 'the-id': 'text', message }",
  );
  const odd = { ['__proto__']: 1, true: true, 5: 5, "it's": null };
  expect(codeOf(odd)).toBe("{ '5': 5, ['__proto__']: 1, true: true, 'it\\'s': null }");
  expect(codeOf(Uint8Array.of(0, 60, 255))).toBe("Buffer.from('ADz/', 'base64')");
});

it.each(['*/*', 'application/*'])('an error in the range %s is sent as JSON', (range) => {
  const content = { [range]: { schema: object({ message: text }) } };
  const responses = { 204: { description: '' }, 404: { description: '', content } };
  const root = buildDocument({ paths: { '/a': { get: { operationId: 'getA', responses } } } });
  const all = errorResponses(new OpenApiDocument(root), compileContract(root, undefined).served.values());
  const usual = usualErrorBody(new OpenApiDocument(root), all);
  expect(usual?.mediaType).toBe('application/json');
  expect(valueOf(usual?.shape, FACTS)).toEqual({ message: 'a sentence' });
});
