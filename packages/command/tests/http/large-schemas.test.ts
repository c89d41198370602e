import express from 'express';
import request from 'supertest';
import { createMock } from '../../src/mock/service';
import { compileContract } from 'contract-first-server/tools';
import { InvalidContract, type JsonObject } from 'contract-first-server';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';

// The engine compiles a function at its first call, and has no stack for one that is nested too deep. A service calls each
// validator before it listens; a mock, which compiles late, answers 501.

const SIZE = 2_000;
const each = (size: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: size }, (_, i) => [`p${i}`, value]));
/** Keywords for which ajv writes code that is nested as deep as they have members, each of which Node cannot compile. */
const NESTED: readonly [string, (size: number) => JsonObject][] = [
  ['properties', (size) => ({ type: 'object', properties: each(size, { type: 'string' }) })],
  ['dependentRequired', (size) => ({ type: 'object', dependentRequired: each(size, ['q']) })],
  ['dependentSchemas', (size) => ({ type: 'object', dependentSchemas: each(size, { required: ['q'] }) })],
  ['prefixItems', (size) => ({ type: 'array', prefixItems: Object.values(each(size, { type: 'string' })) })],
];
const inRequest = (schema: JsonObject, schemas: JsonObject = {}) =>
  buildDocument({
    operation: { requestBody: { required: true, content: json(schema) } },
    components: { schemas },
  });
const inResponse = (schema: JsonObject) =>
  buildDocument({ operation: { responses: { 200: { description: '', content: json(schema) } } } });
const referring = { type: 'object', properties: { a: { $ref: '#/components/schemas/Large' } } };

const [, dependentRequired] = NESTED[1] ?? ['', () => ({})];
const LARGE = dependentRequired(SIZE);

test.each<[string, JsonObject]>([
  ...NESTED.map(([name, schemaOf]): [string, JsonObject] => [
    `${name} of a request`,
    inRequest(schemaOf(SIZE)),
  ]),
  ['those of a response', inResponse(LARGE)],
  ['those of a component', inRequest(referring, { Large: LARGE })],
])('2,000 %s stop the start, with the place', (_, document) => {
  let failure: unknown;
  try {
    compileContract(document);
  } catch (error) {
    failure = error;
  }
  expect(failure).toBeInstanceOf(InvalidContract);
  expect((failure as Error).message).toMatch(
    /^#\/.*: the schema has too many properties, items or branches/m,
  );
});

const options = {
  tokens: ['a'],
  bodyLimit: 100_000,
  maxRequests: 10,
  report: () => undefined,
  extensions: {},
};

test.each([
  ['a request', inRequest(LARGE), { p0: 1 }, 204],
  ['a component', inRequest(referring, { Large: LARGE }), { a: { p0: 1 } }, 204],
  ['a response', inResponse(LARGE), undefined, undefined],
])('2,000 in %s are 501 by the mock', async (_, document, body, found) => {
  const { service, operations } = createMock(document, options);
  const response = await request(express().use(service)).post('/things').send(body);
  expect([response.status, operations.map(({ status }) => status)]).toEqual([501, [found]]);
});

test.each(NESTED)('%s of 1,000 members are served, and a violation is named', async (keyword, schemaOf) => {
  const { app } = buildService({
    document: inRequest(schemaOf(1_000)),
    bodyLimit: 100_000,
    handlers: { postThing: () => Promise.resolve({ status: 204 }) },
  });
  const response = await request(app)
    .post('/things')
    .send(keyword === 'prefixItems' ? [1] : { p999: 1 });
  expect([response.status, response.text]).toEqual([
    400,
    expect.stringMatching(/body.*(p999|q|0)/) as string,
  ]);
});

test('a value that is nested too deep for a large schema is 400, not 500', async () => {
  const next = { $ref: '#/components/schemas/Large' };
  const large = { type: 'object', properties: { ...each(900, { type: 'string' }), next } };
  const { app } = buildService({
    document: inRequest(next, { Large: large }),
    bodyLimit: 100_000,
    handlers: { postThing: () => Promise.resolve({ status: 204 }) },
  });
  const nested = (depth: number) =>
    Array.from({ length: depth }).reduce<JsonObject>((value) => ({ next: value }), { p1: 'a' });
  const send = async (depth: number) => {
    const { status, text } = await request(app).post('/things').send(nested(depth));
    return [status, text];
  };
  expect(await send(5)).toEqual([204, expect.anything()]);
  expect(await send(60)).toEqual([400, expect.stringContaining('the request is nested too deep')]);
});

test('a document that is nested too deep stops the start, with the place', () => {
  const schema = Array.from({ length: 600 }).reduce<JsonObject>((items) => ({ items }), {});
  expect(() => compileContract(inRequest(schema))).toThrow(
    /^#\/paths\/~1things\/post\/requestBody\/content\/application~1json\/schema\/items\/.*is nested so deep/m,
  );
});
