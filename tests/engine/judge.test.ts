import { accepted, answered, refused, type Case, type Expectation } from './cases/case';
import { readDocument } from './document';
import { createJudge } from './judge';
import { createOracle } from './oracle';
import { Literal } from './json';
import type { Members, Target } from './target';
import type { Outcome } from './wire';

const error = { type: 'object', required: ['error'], properties: { error: { type: 'integer' } } };
const json = {
  openapi: '3.1.0',
  security: [{ token: [] }],
  paths: {
    '/things': {
      post: {
        responses: {
          200: {
            description: 'done',
            headers: { 'X-Count': { required: true, schema: { type: 'integer' } } },
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['id'],
                  properties: { id: { type: 'integer', format: 'int64' } },
                },
              },
            },
          },
          204: { description: 'nothing' },
          400: { description: 'wrong', content: { 'application/json': { schema: error } } },
        },
      },
      get: { responses: { 204: { description: 'nothing' } } },
    },
  },
  components: { schemas: { Error: error }, securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
};
const document = readDocument(json);
const rule = (status: number) => ({ status, body: { error: status } });
const target: Target = {
  document: json,
  start: () => Promise.reject(new Error('not started here')),
  credentials: {},
  bodyLimit: 1,
  refusals: {
    'unknown path': rule(404),
    'unknown method': rule(405),
    'no credentials': rule(401),
    'bad credentials': rule(401),
    'insufficient scope': rule(403),
    'unsupported media type': rule(415),
    'too large': rule(413),
    malformed: rule(400),
    'invalid request': rule(400),
  },
  ownRefusals: { taken: { ...rule(400), operations: [] } },
  refusalSchema: '/components/schemas/Error',
  situations: {},
  waivers: [],
};
const judge = createJudge(document, createOracle(document.responses), target);

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
  const [, operation] = document.operations;
  if (!operation) throw new Error('expected two operations');
  const request = { method: 'POST', target: '/things', headers: [] };
  const made: Case = { family: 'valid', title: '', operation, request, expect, proves: [] };
  const all = { 'Content-Type': 'application/json', 'X-Count': '7', ...headers };
  const outcome: Outcome = { status, headers: Object.entries(all), body: Buffer.from(body) };
  return judge(made, outcome, entered).problems.join('\n');
}

const refusal = (status: number, headers: Record<string, string> = {}): Answer => ({
  ...{ status, headers, body: `{"error":${status}}`, entered: 0 },
});

describe('an answer to a request that must be accepted', () => {
  test.each<[string, Answer, string]>([
    ['right', {}, ''],
    ['of an undocumented status', { status: 201 }, 'expected a documented status'],
    ['a refusal', refusal(400), 'expected success'],
    ['of the wrong media type', { headers: { 'Content-Type': 'text/html' } }, 'expected the media type'],
    ['without a required property', { body: '{}' }, 'required property "id"'],
    ['one beyond int64', { body: '{"id":9223372036854775808}' }, 'expected a body that fits'],
    ['at the end of int64', { body: '{"id":9223372036854775807}' }, ''],
    ['not JSON', { body: '{"id":' }, 'expected JSON in UTF-8'],
    ['with a property that nobody listed', { body: '{"id":1,"secret":2}' }, 'got /secret'],
    [
      'with a header of the wrong type',
      { headers: { 'X-Count': 'many' } },
      'expected the header X-Count to fit',
    ],
    ['with a body where there is none', { status: 204 }, 'expected no body'],
    ['without a body where there is none', { status: 204, body: '' }, ''],
    ['given without asking the service', { entered: 0 }, 'expected the service to be entered'],
  ])('is %s', (_, answer, want) => {
    if (want === '') expect(problems(accepted, answer)).toBe('');
    else expect(problems(accepted, answer)).toContain(want);
  });
});

test.each<[string, Members, string]>([
  ['as it should be', { id: 1 }, ''],
  ['as it should be, by a pointer', { '/id': 1, '': new Map([['id', new Literal('1')]]) }, ''],
  ['another one, by a pointer', { '/id': 2 }, 'expected a body with {"/id":2}, got 200'],
  ['missing, by a pointer', { '/id/0': 1 }, 'expected a body with {"/id/0":1}, got 200'],
  ['of which something is true', { id: (id) => id instanceof Literal, '/x': (x) => x === undefined }, ''],
  ['of which something is not true', { id: (id) => id === '1' }, 'expected a body with'],
  ['another number', { id: 2 }, 'expected a body with {"id":2}, got 200'],
  ['missing', { name: 'x' }, 'expected a body with {"name":"x"}, got 200'],
])('a member that the answer must have is %s', (_, members, want) => {
  const found = problems({ kind: 'answered', as: ['success'], members }, {});
  if (want === '') expect(found).toBe('');
  else expect(found).toContain(want);
});

describe('an answer to a request that must be refused', () => {
  const bearer = (rest = '') => ({ 'WWW-Authenticate': `Bearer${rest}` });
  test.each<[string, Expectation, Answer, string]>([
    ['right', refused('invalid request'), refusal(400), ''],
    ['a success', refused('invalid request'), {}, 'expected 400'],
    [
      'of another number',
      refused('invalid request'),
      { ...refusal(400), body: '{"error":1}' },
      'expected 400 {"error":400}',
    ],
    [
      'right, but the service was asked',
      refused('invalid request'),
      { ...refusal(400), entered: 1 },
      'nothing behind the contract',
    ],
    ['by the service, for what it holds', answered('taken'), { ...refusal(400), entered: 1 }, ''],
    ['by the service in place of success', answered('success', 'taken'), { ...refusal(400), entered: 1 }, ''],
    ['by the contract in place of the service', answered('taken'), refusal(400), 'the service to be entered'],
    ['a success in place of it', answered('taken'), {}, 'expected taken, got 200'],
    [
      'with a stack trace',
      refused('invalid request'),
      { ...refusal(400), body: '{"error":400,"x":"a\\n    at f (/a/b.ts:1:2)"}' },
      'stack trace',
    ],
    [
      'undocumented and not in the error schema',
      refused('unknown path'),
      { ...refusal(404), body: '{}' },
      'expected a body that fits',
    ],
    [
      'undocumented and of another media type than the error schema has',
      refused('unknown path'),
      { ...refusal(404), headers: { 'Content-Type': 'application/problem+json' } },
      'expected the media type application/json, got application/problem+json',
    ],
    ['405 with its methods', refused('unknown method'), refusal(405, { Allow: 'GET, POST' }), ''],
    ['405 without Allow', refused('unknown method'), refusal(405), 'expected Allow: GET, POST, got none'],
    [
      '405 with a method too few',
      refused('unknown method'),
      refusal(405, { Allow: 'POST' }),
      'expected Allow',
    ],
    ['401 with a challenge', refused('no credentials'), refusal(401, bearer()), ''],
    ['401 without one', refused('no credentials'), refusal(401), 'expected a WWW-Authenticate'],
    [
      '401 with a foreign one',
      refused('no credentials'),
      refusal(401, { 'WWW-Authenticate': 'Basic' }),
      'expected a challenge for bearer',
    ],
    [
      '401 with an error for who sent nothing',
      refused('no credentials'),
      refusal(401, bearer(' error="invalid_token"')),
      'expected no error code',
    ],
    [
      '401 without the error for a bad token',
      refused('bad credentials'),
      refusal(401, bearer()),
      'expected error="invalid_token"',
    ],
  ])('is %s', (_, expectation, answer, want) => {
    if (want === '') expect(problems(expectation, answer)).toBe('');
    else expect(problems(expectation, answer)).toContain(want);
  });
});

describe('the challenges of a 401', () => {
  const BEARER = 'Bearer realm="a, b"';
  const cases: readonly [schemes: string[], header: string, right: boolean][] = [
    [['token'], BEARER, true],
    [['token'], 'bearer', true],
    [['token'], `${BEARER}, error="x, Basic y"`, true],
    [['token'], 'Basic realm="a"', false],
    [['token'], `${BEARER}, Basic realm="a"`, false],
    [['token'], `${BEARER}, ApiKey`, false],
    [['token'], `${BEARER}, ${BEARER}`, false],
    [['token'], `${BEARER}, Bearer realm="c"`, true],
    [['key'], 'ApiKey', true],
    [['key'], BEARER, true],
    [['login', 'key'], 'Basic realm="a", ApiKey', true],
    [['login', 'key'], 'ApiKey in="header", name="X-Key", Basic realm="a", charset="UTF-8"', true],
    [['login', 'key'], 'Basic realm="a"', false],
    [['login', 'key'], 'ApiKey', false],
    [['login', 'key'], `Basic realm="a", ${BEARER}`, false],
    [['login', 'key'], `Basic realm="a", ApiKey, ${BEARER}`, false],
    [['login', 'token', 'key'], `${BEARER}, Basic realm="a", ApiKey`, true],
    [['login', 'token', 'key'], `${BEARER}, ApiKey`, false],
  ];
  test.each(cases)('of %j may be %s: %s', (names, header, right) => {
    for (const security of [
      [Object.fromEntries(names.map((name) => [name, []]))],
      names.map((name) => ({ [name]: [] })),
    ]) {
      const securitySchemes = {
        token: { type: 'http', scheme: 'bearer' },
        login: { type: 'http', scheme: 'basic' },
        key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      };
      const other = readDocument({ ...json, security, components: { ...json.components, securitySchemes } });
      const [, operation] = other.operations;
      if (!operation) throw new Error('expected two operations');
      const made: Case = {
        family: 'security',
        title: '',
        operation,
        request: { method: 'POST', target: '/things', headers: [] },
        expect: refused('no credentials', 'bad credentials'),
        proves: [],
      };
      const outcome: Outcome = {
        status: 401,
        headers: [
          ['Content-Type', 'application/json'],
          ['WWW-Authenticate', header],
        ],
        body: Buffer.from('{"error":401}'),
      };
      const { problems: found } = createJudge(other, createOracle(other.responses), target)(made, outcome, 0);
      expect(found).toEqual(right ? [] : [expect.stringContaining('expected a challenge for') as string]);
    }
  });
});
