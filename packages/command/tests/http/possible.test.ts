import supertest from 'supertest';
import express from 'express';
import { createMock } from '../../src/mock/service';
import { compileContract } from 'contract-first-server/tools';
import { InvalidContract, type JsonObject } from 'contract-first-server';
import { buildDocument, json } from '../../../../scripts/testing/service';

const NOTHING = { type: 'integer', minimum: 10, maximum: 1 };
const ok = (content: object) => ({ 200: { description: '', content } });
const inQuery = (required: boolean) => ({
  parameters: [{ name: 'q', in: 'query', required, schema: NOTHING }],
});
const body = (content: object, required = true) => ({ requestBody: { required, content } });

const POST = '/paths/~1things/post';
const operation = (fields: object): JsonObject => buildDocument({ operation: fields });

function outcome(document: JsonObject) {
  try {
    const { remarks } = compileContract(document);
    return { findings: [], remarks: remarks.map(({ message }) => message) };
  } catch (error) {
    if (!(error instanceof InvalidContract)) throw error;
    return { findings: error.findings.map(({ pointer, message }) => `${pointer}: ${message}`), remarks: [] };
  }
}

it.each<[string, object, string]>([
  ['a required parameter', inQuery(true), 'no request with the parameter q can conform'],
  ['a required body', body(json(NOTHING)), 'no request body can conform'],
  [
    'all media types of a required body',
    body({ ...json(NOTHING), 'text/plain': { schema: false } }),
    'no request body can conform',
  ],
  ['the only success', { responses: ok(json(NOTHING)) }, 'no success can conform'],
  [
    'a required header of the only success',
    { responses: { 204: { description: '', headers: { A: { required: true, schema: NOTHING } } } } },
    'no success can conform',
  ],
])('an operation is rejected by proof: %s', (_, fields, message) => {
  expect(outcome(operation(fields)).findings).toEqual([
    expect.stringMatching(new RegExp(`^${POST}: is rejected by proof: ${message}, because the schema at #/`)),
  ]);
});

it.each<[string, object, string]>([
  ['an optional parameter', inQuery(false), 'requests with the parameter q are rejected'],
  ['an optional body', body(json(NOTHING), false), 'requests with a body are rejected'],
  [
    'one of two media types',
    body({ ...json(NOTHING), 'text/plain': { schema: { type: 'string' } } }),
    'no request body has the type application/json',
  ],
  [
    'one of two successes',
    { responses: { ...ok(json(NOTHING)), 204: { description: '' } } },
    'no response with this status can be sent',
  ],
])('what an operation can do without is a remark: %s', (_, fields, message) => {
  const { findings, remarks } = outcome(operation(fields));
  expect(findings).toEqual([]);
  expect(remarks).toEqual([`has minimum 10 and maximum 1: ${message}`]);
});

it('an error that nothing can conform to takes no operation with it', () => {
  const responses = { 204: { description: '' }, 400: { description: '', content: json(NOTHING) } };
  expect(outcome(operation({ responses }))).toEqual({ findings: [], remarks: [] });
});

it('a service routes what has no sample, and the mock answers it 501', async () => {
  // Some value conforms, and no sample is found: the pattern cannot be sampled together with its negation.
  const schema = {
    type: 'string',
    minLength: 3,
    not: { pattern: '^[a-z]' },
    pattern: '^(?=.*7)(?=.*Q)[^x]{3}$',
  };
  const rejected = { post: { operationId: 'no', responses: ok(json(NOTHING)) } };
  const mock = createMock(
    buildDocument({
      operation: { responses: ok(json(schema)) },
      paths: { '/none': rejected, '/some': { get: { operationId: 'some', responses: ok(json(schema)) } } },
    }),
    { tokens: ['t'], bodyLimit: 1000, maxRequests: 10, report: () => undefined, extensions: {} },
  );
  expect([mock.total, mock.rejected]).toEqual([2, 1]);
  expect(mock.operations).toHaveLength(1);
  const app = express().use(mock.service);
  if (mock.operations[0]?.status === undefined) await supertest(app).get('/some').expect(501);
  else throw new Error('expected a schema without a sample');
});
