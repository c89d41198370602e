import { expectSuccess } from '../cases/case';
import type { JsonObject } from '../json/json';
import { parse, type Value } from '../json/value';
import { createJudge } from '../judge/judge';
import { run } from '../run';
import { constraints } from '../schema/constraints';
import { createOracle } from '../schema/oracle';
import { valuesOneWayOnly } from '../schema/probes';
import { samples } from '../schema/samples';
import { serve, sound, target } from '../simple-server';
import { readDocument } from './read';

const marked = { type: 'integer', readOnly: true };
const secret = { type: 'integer', writeOnly: true };
const listing = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});
const schemasOf = (schema: JsonObject, direction: 'request' | 'response' = 'request') => ({
  json: { schema, Id: marked, Stored: listing({ id: marked }), Plain: { type: 'integer' } },
  direction,
});

/** Each makes `id` a required part of responses alone, beside a `name` that goes both ways. */
const WAYS: [way: string, schema: JsonObject, pointer: string][] = [
  ['as it stands', listing({ id: marked, name: {} }), '/schema/properties/id'],
  ['by what it refers to', listing({ id: { $ref: '#/Id' }, name: {} }), '/schema/properties/id'],
  [
    'beside a reference',
    listing({ id: { $ref: '#/Plain', readOnly: true }, name: {} }),
    '/schema/properties/id',
  ],
  ['in a part', { allOf: [{ $ref: '#/Stored' }, listing({ name: {} })] }, '/Stored/properties/id'],
  [
    'in a part, required by another',
    { allOf: [{ $ref: '#/Stored' }, { required: ['id', 'name'] }] },
    '/Stored/properties/id',
  ],
  [
    'in a part, required by the whole',
    { allOf: [{ $ref: '#/Stored' }], required: ['id', 'name'] },
    '/Stored/properties/id',
  ],
  [
    'in a part, listed by the whole',
    { allOf: [{ $ref: '#/Stored' }], ...listing({ id: { minimum: 0 }, name: {} }) },
    '/Stored/properties/id',
  ],
];

describe.each(WAYS)('a property that is readOnly, %s,', (_, schema, pointer) => {
  const requests = schemasOf(schema);
  const oracle = createOracle(requests);
  const responses = createOracle(schemasOf(schema, 'response'));

  test.each([
    ['{"name":1}', true, false],
    ['{"name":1,"id":2}', false, true],
    ['{}', false, false],
  ])('makes of %s a request: %s, a response: %s', (text, request, response) => {
    expect(oracle.valid('/schema', parse(text))).toBe(request);
    expect(responses.valid('/schema', parse(text))).toBe(response);
  });

  test('is in no value that is made for a request', () => {
    for (const mode of ['required', 'all', 'any'] as const) {
      const names = samples(requests, oracle, '/schema', mode, 20).map((value) => [
        ...(value as Map<string, Value>).keys(),
      ]);
      expect(names).toEqual(Array(20).fill(['name']));
    }
  });

  test('is owed to be refused, and put to the test with a value that is right but for that', () => {
    const owed = constraints(requests, '/schema').filter((found) => found.pointer.endsWith('/id'));
    expect(owed).toEqual([{ pointer, keyword: 'readOnly', unconditional: true }]);
    const [made] = valuesOneWayOnly(requests, oracle, '/schema', pointer);
    expect(made instanceof Map && [...made.keys()].sort()).toEqual(['id', 'name']);
  });
});

describe.each([
  ['items', { items: marked }, '[]', '[1]'],
  ['prefixItems', { prefixItems: [{}, marked] }, '["a"]', '["a",1]'],
  ['anyOf', { anyOf: [marked, { type: 'null' }] }, 'null', '1'],
  ['oneOf', { oneOf: [{ type: 'string' }, marked] }, '"a"', '1'],
  ['then', { if: { type: 'integer' }, then: marked }, '"a"', '1'],
  ['patternProperties', { patternProperties: { '^i': marked } }, '{}', '{"id":1}'],
  ['additionalProperties', { additionalProperties: marked }, '{}', '{"id":1}'],
  ['a reference', { items: { $ref: '#/Id' } }, '[]', '[1]'],
])('a mark below %s', (_, schema, without, having) => {
  const requests = schemasOf(schema);
  const oracle = createOracle(requests);

  test('is owed to be refused', () => {
    expect(oracle.valid('/schema', parse(without))).toBe(true);
    expect(oracle.valid('/schema', parse(having))).toBe(false);
    expect(constraints(requests, '/schema').map(({ keyword }) => keyword)).toContain('readOnly');
  });
});

test('a mark on the whole body says nothing', () => {
  const requests = schemasOf({ type: 'integer', readOnly: true });
  expect(createOracle(requests).valid('/schema', parse('1'))).toBe(true);
  expect(constraints(requests, '/schema').map(({ keyword }) => keyword)).toEqual(['type']);
});

describe('a response with what is writeOnly', () => {
  const schema = listing({ name: {}, password: secret });
  const content = { 'application/json': { schema } };
  const responses = { 200: { description: 'kept', content } };
  const json = { openapi: '3.1.0', paths: { '/': { get: { operationId: 'get', responses } } } };
  const document = readDocument(json);
  const judge = createJudge(document, createOracle(document.responses), target(sound));

  test.each([
    ['{"name":1}', []],
    ['{"name":1,"password":2}', [expect.stringContaining('expected a body that fits')]],
  ])('is %s judged', (text, want) => {
    const [operation] = document.operations;
    if (!operation) throw new Error('expected an operation');
    const request = { method: 'GET', target: '/', headers: [] };
    const made = {
      family: 'valid',
      title: '',
      operation,
      request,
      expect: expectSuccess,
      proves: [],
    } as const;
    const headers = [['Content-Type', 'application/json']] as const;
    expect(judge(made, { status: 200, headers, body: Buffer.from(text) }, 1).problems).toEqual(want);
  });
});

test.each([
  ['takes', 204, 'UNPROVEN'],
  ['refuses', 400, 'PROVEN'],
])('a server that %s what is readOnly is seen to do so', async (_, status, state) => {
  const schema = listing({ id: marked, name: {} });
  const content = { 'application/json': { schema } };
  const put = {
    operationId: 'put',
    requestBody: { required: true, content },
    responses: { 204: { description: 'kept' } },
  };
  const answer: Parameters<typeof serve>[0] = (request, body) => {
    const like = body.includes('"name"') ? '7' : body;
    return body.includes('"id"') ? { status } : sound(request, like);
  };
  const document = { openapi: '3.1.0', paths: { '/number': { put } } };
  const { obligations } = await run({ ...target(answer), document }, { generated: 0 });
  expect(obligations.find(({ key }) => key.endsWith('/id readOnly | violates'))?.state).toBe(state);
});
