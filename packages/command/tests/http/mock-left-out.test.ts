import express from 'express';
import request from 'supertest';
import { createMock } from '../../src/mock/service';
import type { JsonObject } from 'contract-first-server';
import { buildDocument, json } from '../../../../scripts/testing/service';
import { proveMock } from '../support/prove-mock';

// What a mock leaves out it answers 501, and the contract tests report that as out of reach: no server is at fault.

const NO_CONTENT = { 204: { description: '' } };
const ok = (schema: object) => ({ responses: { 200: { description: '', content: json(schema) } } });
const taking = (content: object) => ({ requestBody: { required: true, content }, responses: NO_CONTENT });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const large = (value: unknown) =>
  Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`p${i}`, value]));

/** Operations, by the reason why a mock cannot serve them. */
const LEFT_OUT: Readonly<Record<string, JsonObject>> = {
  'a reference to nothing': ok(ref('None')),
  'a reference to another host': ok({ $ref: 'https://example.com/pet.json' }),
  'a parameter that is elsewhere': {
    parameters: [{ $ref: 'https://example.com/parameter.json' }],
    responses: NO_CONTENT,
  },
  'a keyword with a wrong value': ok({ type: 'strin' }),
  'an invalid pattern': ok({ type: 'string', pattern: '(' }),
  'a pattern that takes exponential time': ok({ type: 'string', pattern: '(a)\\1' }),
  'no value of a response': ok({ type: 'integer', minimum: 2, maximum: 1 }),
  'a contradictory discriminator': ok({
    oneOf: [ref('Cat'), ref('Dog')],
    discriminator: { propertyName: 'kind', mapping: { cat: ref('Dog').$ref, dog: ref('Cat').$ref } },
  }),
  'a schema that refers to itself': ok(ref('Loop')),
  'a response too large for a validator': ok({
    type: 'object',
    dependentRequired: large(['q']),
    minProperties: 1,
  }),
  'a response without a sample': ok({ type: 'string', pattern: '^(?=a)b|(?!a)a$' }),
  'a scheme that no server can check': { security: [{ mutual: [] }], responses: NO_CONTENT },
  'a scheme of an unknown kind': { security: [{ digest: [] }], responses: NO_CONTENT },
  'a required parameter without a value': {
    parameters: [
      { name: 'a', in: 'query', required: true, schema: { type: 'integer', minimum: 2, maximum: 1 } },
    ],
    responses: NO_CONTENT,
  },
  'a body too large for a validator': taking(json({ type: 'object', dependentRequired: large(['q']) })),
};
const text = (kind: string) => ({
  type: 'object',
  required: ['kind'],
  properties: { kind: { const: kind } },
});

async function statesIn(document: JsonObject) {
  const { failures, obligations } = await proveMock(document, 1);
  const statesOf = (operation: string) => [
    ...new Set(obligations.filter((one) => one.operation === operation).map(({ state }) => state)),
  ];
  return { failures: failures.map(({ title }) => title), statesOf };
}

const cases = Object.entries(LEFT_OUT);
const documentOf = (server = '') =>
  buildDocument({
    ...(server !== '' && { servers: [{ url: server }] }),
    paths: {
      ...Object.fromEntries(
        cases.map(([, operation], i) => [
          `/left/out${i}`,
          { ['requestBody' in operation ? 'post' : 'get']: { operationId: `left${i}`, ...operation } },
        ]),
      ),
      '/left/{id}': {
        get: {
          operationId: 'served',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', enum: ['a'] } }],
          responses: NO_CONTENT,
        },
      },
    },
    components: {
      schemas: { Cat: text('cat'), Dog: text('dog'), Loop: { allOf: [ref('Loop')] } },
      securitySchemes: { mutual: { type: 'mutualTLS' }, digest: { type: 'http', scheme: 'digest' } },
    },
  });

test.each(['', '/v1'])(
  'each operation that a mock leaves out is out of reach, below %p',
  async (server) => {
    const { failures, statesOf } = await statesIn(documentOf(server));
    expect(failures).toEqual([]);
    expect(cases.map(([reason], i) => [reason, statesOf(`left${i}`)])).toEqual(
      cases.map(([reason]) => [reason, ['OUT OF REACH']]),
    );
    expect(statesOf('served')).toContain('PROVEN');
  },
  120_000,
);

test('a mock says which operation it leaves out, and why; more concrete paths come first', async () => {
  const { service } = createMock(documentOf('/v1'), {
    tokens: ['secret'],
    bodyLimit: 1e6,
    maxRequests: 100,
    report: () => undefined,
    extensions: {},
  });
  const send = async (method: 'get' | 'head' | 'post', path: string) => {
    const { status, headers, text: body } = await request(express().use(service))[method](path);
    return [status, headers['x-stub'], body];
  };
  expect(await send('get', '/v1/left/out0?a=b')).toEqual([
    501,
    'GET%20/left/out0',
    expect.stringMatching(
      /^\{"error":50100,"message":"the mock leaves out GET \/left\/out0: .*leads nowhere/,
    ),
  ]);
  expect((await send('head', '/v1/left/out0'))[0]).toBe(501);
  expect((await send('post', '/v1/left/out0'))[0]).not.toBe(501);
  expect((await send('get', '/v1/left/a'))[0]).toBe(204);
  expect((await send('get', '/v1/left/out99'))[0]).toBe(400);
});
