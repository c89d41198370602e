import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import express from 'express';
import request from 'supertest';
import { createMock } from '../../src/mock/service';
import { readSource } from '../../src/document/source/source';
import type { Extensions, JsonObject, Outcome } from 'contract-first-server';
import { numberInError, type OperationalKind } from 'contract-first-server/runtime';
import { CONFIGURATION, jwt, startIssuer } from '../../../../scripts/testing/issuer';
import { buildDocument, json } from '../../../../scripts/testing/service';
import { csv } from '../../../server/tests/http/codecs';

const DOCUMENTS = join(__dirname, '../../../../scripts/testing/documents');

function mock(document: JsonObject, extensions: Extensions = {}, corsOrigins?: string[]) {
  const outcomes: Outcome<OperationalKind>[] = [];
  const { service, ...rest } = createMock(document, {
    tokens: ['token', 'another'],
    ...(corsOrigins && { corsOrigins }),
    bodyLimit: 1_000,
    maxRequests: 10,
    report: (outcome) => outcomes.push(outcome),
    extensions,
  });
  const server = request(express().use(service));
  return { ...rest, outcomes, server, post: () => server.post('/things') };
}

it.each(readdirSync(DOCUMENTS))('finds a response for every operation of %s', (name) => {
  const file = join(DOCUMENTS, name);
  const { document } = readSource(statSync(file).isDirectory() ? join(file, 'openapi.yaml') : file);
  const { operations, leftOut } = mock(document);
  expect(leftOut).toEqual([]);
  expect(operations.length).toBeGreaterThan(0);
  expect(operations.filter(({ status }) => status === undefined || status >= 300)).toEqual([]);
});

const asText: Parameters<request.Test['parse']>[0] = (response, done) => {
  let text = '';
  response.on('data', (piece: Buffer) => (text += piece.toString()));
  response.on('end', () => {
    done(null, text);
  });
};

const answers = (responses: object, more: object = {}) =>
  buildDocument({ operation: { responses, ...more } });
const ok = (content: object) => ({ 201: { description: '', content } });
const text = { type: 'string' };

describe('answers', () => {
  it.each<[string, object, unknown]>([
    ['with the example of the media type', { 'application/json': { schema: text, example: 'it' } }, 'it'],
    [
      'with the first named example',
      { 'application/json': { schema: text, examples: { a: { value: 'a' }, b: { value: 'b' } } } },
      'a',
    ],
    [
      'with the example in the schema',
      json({ properties: { a: { ...text, examples: ['it'] } } }),
      { a: 'it' },
    ],
    [
      'with a generated value, if the example does not conform',
      { 'application/json': { schema: text, example: 1 } },
      'text',
    ],
  ])('%s', async (_, content, body) => {
    const response = await mock(answers(ok(content)))
      .post()
      .expect(201);
    expect(response.body).toEqual(body);
  });

  it('with the headers that are documented', async () => {
    const headers = {
      Location: { required: true, schema: { ...text, format: 'uri' } },
      'X-Left': { schema: { type: 'integer' } },
    };
    const response = await mock(answers({ 204: { description: '', headers } }))
      .post()
      .expect(204);
    expect(response.headers).toMatchObject({ location: 'https://example.com/1', 'x-left': '1' });
  });

  it.each<[string, string, object, string]>([
    [
      'the items of the example',
      'application/jsonl',
      { 'x-item-schema': text, example: ['a', 'b'] },
      '"a"\n"b"\n',
    ],
    ['the one item of the example', 'application/jsonl', { 'x-item-schema': text, example: 'a' }, '"a"\n'],
    [
      'items that differ',
      'application/json-seq',
      { 'x-item-schema': { oneOf: [{ const: 1 }, { const: 2 }] } },
      '\x1e1\n\x1e2\n',
    ],
    [
      'items, if those of the example do not conform',
      'application/x-ndjson',
      { 'x-item-schema': { type: 'object', properties: { a: { const: 1 } } }, example: [{ a: 2 }] },
      '{"a":1}\n{}\n',
    ],
    ['an event of any kind', 'text/event-stream', { 'x-item-schema': true }, 'data: text\n\n'],
    [
      'events whose data is JSON',
      'text/event-stream',
      {
        'x-item-schema': {
          required: ['data'],
          properties: {
            event: { const: 'row' },
            data: { contentMediaType: 'application/json', contentSchema: { const: { a: 1 } } },
          },
        },
      },
      'event: row\ndata: {"a":1}\n\ndata: {"a":1}\n\n',
    ],
    [
      'the lines of the example',
      'application/jsonl',
      { 'x-item-schema': text, example: '"a"\n\n"b"' },
      '"a"\n"b"\n',
    ],
    [
      'the events of the example',
      'text/event-stream',
      {
        'x-item-schema': {
          oneOf: [
            {
              required: ['event'],
              properties: {
                event: text,
                data: { contentMediaType: 'application/json', contentSchema: { type: 'object' } },
              },
            },
            { properties: { data: { const: 'a\nb' }, id: text, retry: { type: 'integer' } } },
          ],
        },
        examples: {
          a: {
            value:
              ': a comment\n\nevent:x\ndata: {"a":\ndata: 1}\n\nretry:5\r\nid: 1\r\ndata: a\r\ndata: b\r\n\r\nid: 2\n\n',
          },
        },
      },
      'event: x\ndata: {"a":1}\n\nid: 1\nretry: 5\ndata: a\ndata: b\n\n',
    ],
    ['the text of the example', 'application/jsonl', { schema: text, example: '1\n' }, '1\n'],
    ['a text of events', 'text/event-stream', { schema: { type: 'string' } }, 'data: text\n\n'],
    ['an unended event', 'text/event-stream', { schema: text, example: 'id: 1\n' }, 'id: 1\n\n'],
  ])('with %s, each time', async (_, key, media, expected) => {
    const { post } = mock(answers(ok({ [key]: media })));
    for (let time = 0; time < 2; time++) {
      const response = await post().buffer(true).parse(asText).expect(201);
      expect(response.body).toBe(expected);
    }
  });

  it('501 if no response conforms, and reports it at startup', async () => {
    const { operations, outcomes, post } = mock(answers(ok(json({ ...text, not: text }))));
    expect(operations).toEqual([{ title: 'POST /things', status: undefined }]);
    await post().expect(501);
    expect(outcomes[0]?.problem?.message).toBe('the operation postThing is not implemented yet');
  });

  it('an error in the documented shape, with the reason', async () => {
    const error = json({
      properties: { code: { enum: ['E1'] }, status: { type: 'integer', minimum: 300 }, detail: text },
      required: ['code', 'status', 'detail'],
    });
    const responses = { ...ok(json(text)), '4XX': { description: '', content: error } };
    const requestBody = { required: true, content: json(text) };
    const response = await mock(answers(responses, { requestBody })).post().expect(400);
    expect(response.body).toEqual({ code: 'E1', status: 400, detail: 'body is required' });
  });

  it('an undocumented error in the shape of the server', async () => {
    const response = await mock(
      answers(ok(json(text)), { requestBody: { required: true, content: json(text) } }),
    )
      .post()
      .expect(400);
    expect(numberInError(response.body)).toBe(40001);
    expect(response.text).toContain('"body is required"');
  });
});

const authorization = (scheme: string) => (secret: string) => ({ Authorization: `${scheme} ${secret}` });
const basic = (secret: string) => authorization('Basic')(Buffer.from(secret).toString('base64'));

/** Every scheme that can be served, and the headers or the query of credentials. */
const SCHEMES: Record<
  string,
  [scheme: object, present: (secret: string) => Record<string, string>, query?: true]
> = {
  bearer: [{ type: 'http', scheme: 'bearer' }, authorization('Bearer')],
  'bearer in upper case': [{ type: 'http', scheme: 'BEARER' }, authorization('bearer')],
  oauth2: [
    {
      type: 'oauth2',
      flows: { implicit: { authorizationUrl: 'https://x.example', scopes: { read: '' } } },
    },
    authorization('Bearer'),
  ],
  openIdConnect: [
    { type: 'openIdConnect', openIdConnectUrl: 'https://example.com/id' },
    authorization('Bearer'),
  ],
  'key in a header': [{ type: 'apiKey', in: 'header', name: 'X-Key' }, (key) => ({ 'X-Key': key })],
  'key in Authorization': [
    { type: 'apiKey', in: 'header', name: 'Authorization' },
    (key) => ({ Authorization: key }),
  ],
  'key in Authorization after a word': [
    { type: 'apiKey', in: 'header', name: 'authorization' },
    authorization('Token'),
  ],
  'key in a query': [{ type: 'apiKey', in: 'query', name: 'key' }, (key) => ({ key }), true],
  'key in a cookie': [{ type: 'apiKey', in: 'cookie', name: 'key' }, (key) => ({ Cookie: `key=${key}` })],
  basic: [{ type: 'http', scheme: 'basic' }, basic],
};
const secured = (scheme: object, security: object[] = [{ login: ['read'] }]) =>
  buildDocument({
    operation: { security, responses: { 204: { description: '' } } },
    components: { securitySchemes: { login: scheme } },
  });

it('asks no issuer', async () => {
  const issuer = await startIssuer();
  try {
    const openIdConnectUrl = `${issuer.url}${CONFIGURATION}`;
    const { server, post } = mock(secured({ type: 'openIdConnect', openIdConnectUrl }));
    await post().set('Authorization', 'Bearer token').expect(204);
    await post().set('Authorization', `Bearer ${jwt()}`).expect(401);
    await server.get('/-/docs').expect(200);
    expect([issuer.discovered, issuer.asked]).toEqual([0, 0]);
  } finally {
    issuer.close();
  }
});

describe.each(Object.entries(SCHEMES))('%s', (name, [scheme, present, query]) => {
  const security = [{ login: name === 'oauth2' || name === 'openIdConnect' ? ['read'] : [] }];
  const ask = async (secret: string) => {
    const sent = mock(secured(scheme, security)).post();
    return (await (query ? sent.query(present(secret)) : sent.set(present(secret)))).status;
  };
  const user = name === 'basic' ? 'user:' : '';

  it('takes each token and nothing else', async () => {
    expect(await ask(`${user}token`)).toBe(204);
    expect(await ask(`${user}another`)).toBe(204);
    const wrong = [
      'toke',
      'tokenx',
      'TOKEN',
      'token,another',
      'any',
      'token-invalid',
      ...(user ? [] : ['user:token']),
    ];
    const wrongUsers = user
      ? ['token', 'admin:token', ':token', 'user:', 'user:user:token', 'USER:token']
      : [];
    for (const secret of [...wrong.map((text) => user + text), ...wrongUsers])
      expect([secret, await ask(secret)]).toEqual([secret, 401]);
    expect((await mock(secured(scheme, security)).post()).status).toBe(401);
  });
});

it.each([
  ['digest', { type: 'http', scheme: 'digest' }],
  ['a custom HTTP scheme', { type: 'http', scheme: 'hoba' }],
  ['mutualTLS', { type: 'mutualTLS' }],
])('leaves out %s with its operations', (_, scheme) => {
  const { operations, leftOut, credentials } = mock(secured(scheme, [{ login: [] }]));
  expect([operations, credentials]).toEqual([[], '{}']);
  expect(leftOut).toEqual([
    expect.stringMatching(/^POST \/things is not served: .*this kind of security scheme cannot be served/),
  ]);
});

it('leaves out the operations of methods that the HTTP parser does not know', () => {
  const one = (operationId: string) => ({ operationId, responses: { 204: {} } });
  const additionalOperations = { COPY: one('copy'), FROBNICATE: one('frobnicate') };
  const paths = { '/things': { query: one('find'), additionalOperations } };
  const { operations, leftOut } = mock(buildDocument({ openapi: '3.2.0', paths }));
  expect(operations.map(({ title }) => title)).toEqual(['QUERY /things', 'COPY /things']);
  expect(leftOut).toEqual([
    expect.stringMatching(/^FROBNICATE \/things is not served: .*the HTTP parser of Node does not know/),
  ]);
});

it('leaves out a component that is one of several media types, and what has no other', () => {
  const one = (operationId: string, content: object) => ({ operationId, responses: { 200: { content } } });
  const bad = { $ref: '#/components/mediaTypes/Bad' };
  const paths = {
    '/both': { get: one('both', { 'text/plain': { schema: text }, 'application/json': bad }) },
    '/bad': { get: one('bad', { 'application/json': bad }) },
  };
  const components = { mediaTypes: { Bad: { schema: { $dynamicRef: '#a' } } } };
  const { operations, leftOut } = mock(buildDocument({ openapi: '3.2.0', paths, components }));
  expect(operations.map(({ title }) => title)).toEqual(['GET /both']);
  expect(leftOut).toEqual([
    expect.stringMatching(/^GET \/both, GET \/bad are served without Bad: .*dynamic references/),
    expect.stringMatching(/^GET \/both is served without application\/json: .*dynamic references/),
    expect.stringMatching(/^GET \/bad is not served: .*dynamic references/),
  ]);
});

describe('a left-out part', () => {
  const id = { name: 'id', in: 'path', required: true, schema: text };
  const get = { responses: { 204: { description: '' } }, parameters: [id] };
  const secret = { security: [{ digest: [] }], responses: { 204: { description: '' } } };
  const served = (paths: object) => {
    const securitySchemes = { digest: { type: 'http', scheme: 'digest' } };
    return mock(buildDocument({ paths, components: { securitySchemes } })).server;
  };

  it('is never answered by a neighbor: its operations are 501, other methods of its path 404 or 405', async () => {
    const other = { ...get, parameters: [] };
    const server = served({
      '/puzzle/{id}': { get, put: { ...secret, parameters: [id] } },
      '/puzzle/activity': { get: secret },
      '/puzzle/both': { get: secret, post: other },
      '/puzzle/{id}/parts/{part}': { get: { ...get, parameters: [id, { ...id, name: 'part' }] } },
      '/puzzle/{id}/parts/first': { parameters: [id], get: secret },
    });
    await server.get('/puzzle/1').expect(204);
    await server.get('/puzzle/activity').expect(501);
    await server.put('/puzzle/activity').expect(404);
    await server.put('/puzzle/1').expect(501);
    await server.delete('/puzzle/1').expect(405).expect('Allow', 'GET, HEAD');
    await server.get('/puzzle/both').expect(501);
    await server.put('/puzzle/both').expect(405).expect('Allow', 'POST');
    await server.get('/puzzle/1/parts/2').expect(204);
    await server.get('/puzzle/1/parts/first').expect(501);
  });

  it('is 501 below each base path', async () => {
    const server = served({
      '/a/{id}': { servers: [{ url: '/v1' }, { url: '/v2' }], get },
      '/a/b': { servers: [{ url: '/v1' }, { url: '/v2' }], get: secret },
    });
    await server.get('/v2/a/1').expect(204);
    for (const base of ['/v1', '/v2']) await server.get(`${base}/a/b`).expect(501);
  });
});

describe('cross-origin requests', () => {
  const from = (corsOrigins?: string[]) => {
    const document = buildDocument({
      operation: {
        responses: { 204: { description: '', headers: { 'X-Left': { schema: { type: 'integer' } } } } },
        security: [{ login: [] }],
      },
      components: { securitySchemes: { login: { type: 'http', scheme: 'bearer' } } },
    });
    return mock(document, {}, corsOrigins).server;
  };
  const Origin = 'https://page.example';

  it.each(['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE'])(
    'are allowed for any origin and for %s, with credentials in headers',
    async (method) => {
      const { status, headers } = await from().options('/things').set({
        Origin,
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': 'authorization,x-key',
      });
      expect([status, headers['access-control-allow-origin']]).toEqual([204, '*']);
      expect(headers['access-control-allow-methods']?.split(',')).toContain(method);
      expect(headers['access-control-allow-headers']).toBe('authorization,x-key');
    },
  );

  it('expose the documented headers of answers and refusals', async () => {
    const answer = await from().post('/things').set({ Origin, Authorization: 'Bearer token' }).expect(204);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers['access-control-expose-headers']).toContain('X-Left');
    const refusal = await from().post('/things').set({ Origin }).expect(401);
    expect(refusal.headers['access-control-allow-origin']).toBe('*');
    expect(refusal.headers['access-control-expose-headers']).toContain('WWW-Authenticate');
  });

  it('are narrowed to some origins', async () => {
    const ask = (origin: string) => from([Origin]).post('/things').set({ Origin: origin });
    expect((await ask(Origin)).headers['access-control-allow-origin']).toBe(Origin);
    expect((await ask('https://other.example')).headers['access-control-allow-origin']).toBeUndefined();
  });
});

it.each([
  ['image/*', 'image/png'],
  ['audio/*', 'audio/mpeg'],
  ['video/*', 'video/mp4'],
  ['font/*', 'font/woff2'],
  ['model/*', 'model/x.any'],
  ['text/*', 'text/plain; charset=utf-8'],
  ['application/*', 'application/octet-stream'],
  ['*/*', 'application/octet-stream'],
  ['application/*+json', 'application/x.any+json'],
  ['application/vnd.api+json', 'application/vnd.api+json'],
  ['application/json; version=2', 'application/json; version=2'],
  ['image/svg+xml; charset=utf-8', 'image/svg+xml; charset=utf-8'],
])('sends %s as %s', async (documented, sent) => {
  const { headers } = await mock(answers(ok({ [documented]: {} })))
    .post()
    .expect(201);
  expect(headers['content-type']).toBe(sent);
});

it('answers an operation without a documented success', async () => {
  await mock(answers({ 400: { description: 'wrong' } }))
    .post()
    .expect(204);
});

it('serves operations without an operationId or a response', async () => {
  const { operations, post } = mock(answers({}, { operationId: undefined }));
  expect(operations).toEqual([{ title: 'POST /things', status: 204 }]);
  await post().expect(204);
});

it('removes and reports unsupported parts, and serves the others', async () => {
  const upload = { post: { requestBody: { content: { 'multipart/mixed': {} } }, responses: ok({}) } };
  const document = answers(ok({ 'application/xml': { schema: { type: 'object' } }, ...json(text) }));
  const { operations, leftOut, post } = mock({
    ...document,
    paths: { ...(document['paths'] as object), '/up': upload },
  });
  expect(operations.map(({ title }) => title)).toEqual(['POST /things']);
  expect(leftOut).toEqual([
    expect.stringMatching(
      /^POST \/things is served without application\/xml: #.*a body of application\/xml cannot be validated by a schema/,
    ),
    expect.stringMatching(/^POST \/up is not served: #.*multipart\/mixed cannot be served/),
  ]);
  expect((await post().expect(201)).body).toBe('text');
});

it('serves media types and formats of the service', async () => {
  const rows = {
    type: 'array',
    items: { type: 'object', properties: { a: { type: 'string', maxLength: 3 } } },
  };
  const csvRows = { schema: rows, example: [{ a: 'x' }, { a: 'y' }] };
  const document = answers(ok({ 'text/csv': csvRows }), {
    requestBody: { content: { 'text/csv': csvRows } },
  });
  expect(mock(document).leftOut).toEqual([expect.stringContaining('a body of text/csv is text')]);
  const { leftOut, operations, post } = mock(document, { codecs: [csv] });
  expect([leftOut, operations]).toEqual([[], [{ title: 'POST /things', status: 201 }]]);
  const send = (body: string) => post().set('Content-Type', 'text/csv').send(body);
  expect(await send('a\nabc')).toMatchObject({ status: 201, text: 'a\nx\ny' });
  expect(await send('a\nabcd')).toMatchObject({ status: 400, body: { error: 40001 } });

  const color = answers(ok(json({ type: 'string', format: 'color', example: 'red' })));
  expect(mock(color).remarks).toHaveLength(1);
  expect(mock(color, { formats: { color: (text) => text === 'red' } }).remarks).toEqual([]);
});

it('refuses an invalid document, with the place', () => {
  expect(() => mock({ ...answers(ok({})), servers: {} })).toThrow('#/servers: must be array');
});

describe('an unsupported operation', () => {
  const operation = (more: object = {}) => ({ responses: { 204: { description: '' } }, ...more });
  const body = (schema: object) => ({ requestBody: { content: json(schema) } });
  const parameters = [{ $ref: '#/components/parameters/p' }];

  it.each<[string, object, object, string]>([
    [
      'an inline schema',
      body({ type: 'strng' }),
      {},
      '#/paths/~1bad/post/requestBody/content/application~1json/schema/type: must be',
    ],
    ['a broken reference', body({ $ref: '#/none' }), {}, '"#/none" leads nowhere'],
    [
      'a component that it refers to',
      { parameters },
      { parameters: { p: { name: 'q', in: 'query', schema: { $id: 'https://a.example' } } } },
      '#/components/parameters/p/schema/$id: a schema with its own base URI',
    ],
    [
      'a required security scheme',
      { security: [{ tls: [] }] },
      { securitySchemes: { tls: { type: 'mutualTLS' } } },
      '#/components/securitySchemes/tls: this kind of security scheme cannot be served',
    ],
    [
      'a path parameter',
      { parameters: [{ name: 'id', in: 'path', required: true, schema: {} }] },
      {},
      'which is not in /bad',
    ],
  ])('because of %s, is reported, and the others are served', async (_, fields, components, message) => {
    const document = buildDocument({
      paths: { '/bad': { post: operation(fields) }, '/things': { post: operation() } },
      components,
    });
    const { operations, leftOut, total, post } = mock(document);
    expect(operations.map(({ title }) => title)).toEqual(['POST /things']);
    expect(total).toBe(2);
    expect(leftOut).toEqual([expect.stringMatching(/^POST \/bad is not served: #/)]);
    expect(leftOut[0]).toContain(message);
    await post().expect(204);
  });

  it('reports removed callbacks, webhooks and unused components', () => {
    const broken = { post: { requestBody: { $ref: '#/none' }, responses: { 204: { description: '' } } } };
    const { operations, leftOut } = mock(
      buildDocument({
        operation: { callbacks: { done: { '{$url}': broken } } },
        webhooks: { happened: broken },
        components: { schemas: { Bad: { $dynamicRef: '#a' } } },
      }),
    );
    expect(operations).toHaveLength(1);
    expect(leftOut).toEqual([
      expect.stringMatching(/^#\/components\/schemas\/Bad is left out: /),
      '#/paths/~1things/post/callbacks/done is left out: ' +
        '#/paths/~1things/post/callbacks/done/{$url}/post/requestBody/$ref: "#/none" leads nowhere in this document',
      expect.stringMatching(/^#\/webhooks\/happened is left out: /),
    ]);
  });

  it('serves two operations with one operationId, and removes an unknown field', () => {
    const same = operation({ operationId: 'same', unknwon: 1 });
    const { operations, leftOut, remarks } = mock(
      buildDocument({ paths: { '/a': { get: same, put: same } } }),
    );
    expect(operations).toHaveLength(2);
    expect(leftOut).toEqual([]);
    expect(remarks.map(({ pointer }) => pointer)).toEqual([
      '/paths/~1a/get/unknwon',
      '/paths/~1a/put/unknwon',
    ]);
  });

  const xml = { 'application/xml': { schema: { type: 'object' } }, ...json(text) };

  it.each<[string, object, object, string]>([
    [
      'a media type of a shared response',
      { responses: { default: { $ref: '#/components/responses/r' } } },
      { components: { responses: { r: { description: '', content: xml } } } },
      'served without application/xml: #/components/responses/r',
    ],
    [
      'a media type of a shared body',
      { requestBody: { $ref: '#/components/requestBodies/r' } },
      { components: { requestBodies: { r: { content: xml } } } },
      'served without application/xml: #/components/requestBodies/r',
    ],
    [
      'a default that does not match',
      body({ $ref: '#/components/schemas/s' }),
      { components: { schemas: { s: { properties: { a: { type: 'integer', default: 'a' } } } } } },
      'served without default: #/components/schemas/s/properties/a/default: ',
    ],
    [
      'a response header that no handler may send',
      { responses: { 204: { description: '', headers: { 'Content-Length': { schema: text } } } } },
      {},
      'served without Content-Length: #/paths/~1a/get/responses/204/headers/Content-Length: ',
    ],
    [
      'an annotation with an invalid value',
      { externalDocs: { url: 1 } },
      {},
      '/get/externalDocs/url is left out: ',
    ],
    ['a contact', {}, { info: { title: 'a', version: '1', contact: { email: 1 } } }, '/contact/email is'],
    ['a requirement that no operation has', { security: [] }, { security: [{ none: [] }] }, '#/security is'],
  ])('removes %s, and reports it', (_, fields, document, line) => {
    const paths = { '/a': { get: operation(fields), put: operation(fields) } };
    const { operations, leftOut, total } = mock(buildDocument({ paths, ...document }));
    expect([operations.length, total]).toEqual([2, 2]);
    expect(leftOut[0]).toContain(line);
  });

  it('may be the only one', () => {
    const { operations, total } = mock(buildDocument({ operation: body({ type: 'strng' }) }));
    expect([operations, total]).toEqual([[], 1]);
    expect(mock(buildDocument({ security: [{ none: [] }] }))).toMatchObject({ operations: [], total: 1 });
  });
});
