import {
  expectSuccess,
  expectAnswer,
  type Case,
  type Expectation,
  expectRefusal,
} from '../../src/cases/case';
import { NumberLiteral } from '../../src/json/value';
import { createOracle } from '../../src/schema/oracle';
import { target as simple } from '../support/simple-server';
import type { ExpectedMembers, Refusal, Target } from '../../src/target';
import type { Outcome } from '../../src/wire/message';
import { createCheck } from '../../src/check/check';
import { inJson, read } from '../support/document';

const error = { type: 'object', required: ['error'], properties: { error: { type: 'integer' } } };
const thing = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'integer', format: 'int64' }, link: { type: 'string', format: 'uri' } },
};
const counted = { 'X-Count': { required: true, schema: { type: 'integer' } } };
const { document, operation } = read(
  {
    post: {
      responses: {
        200: { description: 'done', headers: counted, content: inJson(thing) },
        204: { description: 'nothing' },
        400: { description: 'invalid', content: inJson(error) },
        401: { description: 'nobody', content: inJson(error) },
      },
    },
    options: { responses: { 204: { description: 'nothing' } } },
  },
  {
    security: [{ token: [] }],
    components: { schemas: { Error: error }, securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  },
);
const rule = (status: number) => ({ status, body: { error: status } });
const target: Target = {
  ...simple(() => ({ status: 204 })),
  refusals: {
    'not found': rule(404),
    'method not allowed': rule(405),
    'missing credentials': rule(401),
    'invalid credentials': rule(401),
    'insufficient scope': rule(403),
    'unsupported media type': rule(415),
    'content too large': rule(413),
    malformed: rule(400),
    'invalid request': rule(400),
  },
  ownRefusals: { taken: { ...rule(400), operations: [] } },
  refusalSchema: '/components/schemas/Error',
};
const oracles = {
  strict: createOracle(document.responses),
  lenient: document.lenient.responses.map((schemas) => createOracle(schemas)),
};
const check = createCheck(document, oracles, target);

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  entered?: number;
}

function problems(
  expect: Expectation,
  { status = 200, headers = {}, body = '{"id":1}', entered = 1 }: Answer,
): string {
  const request = { method: 'POST', target: '/things', headers: [] };
  const sent: Case = { family: 'valid', title: '', operation, request, expect, proves: [] };
  const all = { 'Content-Type': 'application/json', 'X-Count': '7', ...headers };
  const outcome: Outcome = { status, headers: Object.entries(all), body: Buffer.from(body) };
  return check(sent, outcome, entered).problems.join('\n');
}

const expectProblem = (found: string, want: string): void => {
  if (want === '') expect(found).toBe('');
  else expect(found).toContain(want);
};

const refusal = (status: number, headers: Record<string, string> = {}): Answer => ({
  ...{ status, headers, body: `{"error":${status}}`, entered: 0 },
});

describe('an answer to a request that the service must accept', () => {
  test.each<[string, Answer, string]>([
    ['correct', {}, ''],
    ['with an undocumented status', { status: 201 }, 'expected a documented status'],
    ['a refusal', refusal(400), 'expected success'],
    ['with the wrong media type', { headers: { 'Content-Type': 'text/html' } }, 'expected the media type'],
    ['without a required property', { body: '{}' }, 'required property "id"'],
    ['with a value beyond int64', { body: '{"id":9223372036854775808}' }, 'expected a body that fits'],
    ['with the largest int64', { body: '{"id":9223372036854775807}' }, ''],
    ['not JSON', { body: '{"id":' }, 'expected JSON in UTF-8'],
    ['with an unlisted property', { body: '{"id":1,"secret":2}' }, 'got /secret'],
    [
      'with a header of the wrong type',
      { headers: { 'X-Count': 'many' } },
      'expected the header X-Count to fit',
    ],
    ['with an undocumented body', { status: 204 }, 'expected no body'],
    ['without an undocumented body', { status: 204, body: '' }, ''],
    ['sent without entering the service', { entered: 0 }, 'expected the service to be entered'],
  ])('is %s', (_, answer, want) => {
    expectProblem(problems(expectSuccess, answer), want);
  });
});

describe('a chosen media type', () => {
  const names = ['application/json', 'text/html', 'application/json; charset=utf-8'];
  const answers = [200, 201, 204, 400].flatMap((status) =>
    names.flatMap((chosen) => names.map((sent) => [status, chosen, sent] as const)),
  );
  test.each(answers)('in an answer %i: %s, with %s', (status, mediaType, sent) => {
    const found = problems(
      { kind: 'answered', outcomes: ['success'], mediaType },
      { status, headers: { 'Content-Type': sent } },
    );
    expect(found).not.toMatch(/expected the media type (.+), got \1/);
    if (mediaType.slice(0, 10) !== sent.slice(0, 10))
      expect(found).toContain(`expected the media type ${mediaType}, got ${sent}`);
  });
});

test.each<[string, ExpectedMembers, string]>([
  ['as expected', { id: 1 }, ''],
  ['as expected, by a pointer', { '/id': 1, '': new Map([['id', new NumberLiteral('1')]]) }, ''],
  ['different, by a pointer', { '/id': 2 }, 'expected a body with {"/id":2}, got 200'],
  ['missing, by a pointer', { '/id/0': 1 }, 'expected a body with {"/id/0":1}, got 200'],
  [
    'a value for which the predicate holds',
    { id: (id) => id instanceof NumberLiteral, '/x': (x) => x === undefined },
    '',
  ],
  ['a value for which the predicate does not hold', { id: (id) => id === '1' }, 'expected a body with'],
  ['a different number', { id: 2 }, 'expected a body with {"id":2}, got 200'],
  ['missing', { name: 'x' }, 'expected a body with {"name":"x"}, got 200'],
])('an expected member is %s', (_, members, want) => {
  const found = problems({ kind: 'answered', outcomes: ['success'], members }, {});
  expectProblem(found, want);
});

describe('an answer to a request that the server must refuse', () => {
  const body = (text: string): Answer => ({ ...refusal(400), body: text });
  const problem = { 'Content-Type': 'application/problem+json' };
  const bearer = (rest = '') => ({ 'WWW-Authenticate': `Bearer${rest}` });
  test.each<[string, Refusal, Answer, string]>([
    ['correct', 'invalid request', refusal(400), ''],
    ['a success', 'invalid request', {}, 'expected 400'],
    ['with another error number', 'invalid request', body('{"error":1}'), 'expected 400 {"error":400}'],
    ['from the service', 'invalid request', { ...refusal(400), entered: 1 }, 'the service not to be entered'],
    [
      'with a stack trace',
      'invalid request',
      body('{"error":400,"x":"a\\n    at f (/a/b.ts:1:2)"}'),
      'stack',
    ],
    ['undocumented', 'insufficient scope', refusal(403, bearer()), 'expected a documented status, got 403'],
    ['of no operation', 'not found', refusal(404), ''],
    ['undocumented and invalid', 'not found', { ...refusal(404), body: '{}' }, 'expected a body that fits'],
    [
      'undocumented, with another media type than the error schema',
      'not found',
      refusal(404, problem),
      'expected the media type application/json, got application/problem+json',
    ],
    ['405 with its methods', 'method not allowed', refusal(405, { Allow: 'POST, OPTIONS' }), ''],
    ['405 without Allow', 'method not allowed', refusal(405), 'expected Allow: POST, OPTIONS, got none'],
    ['405 without a method', 'method not allowed', refusal(405, { Allow: 'POST' }), 'expected Allow'],
    ['401 with a challenge', 'missing credentials', refusal(401, bearer()), ''],
    ['401 without one', 'missing credentials', refusal(401), 'expected a WWW-Authenticate'],
    [
      '401 with an error code for a request without credentials',
      'missing credentials',
      refusal(401, bearer(' error="invalid_token"')),
      'expected no error code',
    ],
    [
      '401 without the error code for an invalid token',
      'invalid credentials',
      refusal(401, bearer()),
      'expected error="invalid_token"',
    ],
  ])('is %s', (_, reason, answer, want) => {
    expectProblem(problems(expectRefusal(reason), answer), want);
  });

  const entered = { ...refusal(400), entered: 1 };
  test.each<[string, Expectation, Answer, string]>([
    ['by the service', expectAnswer('taken'), entered, ''],
    ['by the service in place of success', expectAnswer('success', 'taken'), entered, ''],
    ['by the contract instead', expectAnswer('taken'), refusal(400), 'the service to be entered'],
    ['a success instead', expectAnswer('taken'), {}, 'expected taken, got 200'],
  ])('is its own, %s', (_, expectation, answer, want) => {
    expectProblem(problems(expectation, answer), want);
  });
});

test.each([
  ['{"id":"many","link":"none"}', 'type "string" is invalid', 4],
  ['{"id":1,"link":"none"}', 'does not match format', 7],
])('of the body %s, what breaks a rule is named before what is an annotation', (body, error, section) => {
  const found = problems(expectSuccess, { body });
  expect(found.toLowerCase()).toContain(error);
  expect(found).toContain(`section ${section}.`);
});
