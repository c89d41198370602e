import { type Answer, bearerStrategy, type Logger, Problem, STAGES, type Stage } from 'contract-first-server';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';
import { exchange } from '../../../../scripts/testing/wire';

/** A request and the behavior of the service. Each fault ends the request in one stage. */
interface Scenario {
  line: string;
  token: string;
  type: string;
  accept: string;
  length: number;
  body: string;
  policy: () => void;
  last: () => void;
  answer: () => Answer;
}

const PLAIN: Scenario = {
  line: 'POST /things/a HTTP/1.1',
  token: 'good',
  type: 'application/json',
  accept: '*/*',
  length: 0,
  body: '{"name":"a"}',
  policy: () => undefined,
  last: () => undefined,
  answer: () => ({ status: 200, body: { name: 'a' } }),
};

const refuse = (stage: Stage) => (): never => {
  throw new Problem('forbidden', stage);
};

/** In the order of refusal. */
const FAULTS: readonly (readonly [Stage, string, Partial<Scenario>])[] = [
  ['head', 'a version that is not there', { line: 'POST /things/a HTTP/2.0' }],
  ['route', 'a path that is not there', { line: 'POST /nowhere HTTP/1.1' }],
  ['route', 'a method that is not there', { line: 'PUT /things/a HTTP/1.1' }],
  ['authenticate', 'a bad token', { token: 'bad' }],
  ['afterAuthentication', 'a policy that refuses', { policy: refuse('afterAuthentication') }],
  ['negotiate', 'an Accept without a matching media type', { accept: 'image/png' }],
  ['negotiate', 'a media type that is not documented', { type: 'text/plain' }],
  ['receive', 'a body that is too large', { length: 2_000 }],
  ['validate', 'a body that is not well-formed', { body: '{"name":' }],
  ['validate', 'a body that does not match', { body: '{"name":1}' }],
  ['beforeHandler', 'a last policy that refuses', { last: refuse('beforeHandler') }],
  ['handle', 'a handler that throws', { answer: refuse('handle') }],
  ['respond', 'an answer that is not documented', { answer: () => ({ status: 201 }) }],
];

const json200 = { description: 'done', content: json({ type: 'object', required: ['name'] }) };
const DOCUMENT = {
  ...buildDocument({
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  }),
  paths: {
    '/things/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      post: {
        operationId: 'postThing',
        security: [{ bearer: [] }],
        requestBody: {
          required: true,
          content: json({ type: 'object', properties: { name: { type: 'string' } } }),
        },
        responses: { 200: json200 },
      },
    },
  },
};

/** The entered stages with calls to the service, and the outcome of the request. */
async function run(scenario: Scenario) {
  const called: string[] = [];
  const lines: unknown[] = [];
  const logger = (level: string) => (first: object | string, message?: string) => {
    lines.push([level, first, message]);
  };
  const log: Logger = {
    debug: logger('debug'),
    info: logger('info'),
    warn: logger('warn'),
    error: logger('error'),
  };
  const made: string[] = [];
  let context: object = {};
  const { app, outcomes } = buildService({
    document: DOCUMENT,
    strategies: { bearer: bearerStrategy((token) => token === 'good' && { id: 'a', scopes: ['read'] }) },
    bodyLimit: 1_000,
    loggerFor: (requestId, operationId) => {
      made.push(`${requestId} ${operationId}`);
      return log;
    },
    afterAuthentication: ({ principals, operation, request, requestId, log: hookLog }) => {
      called.push('afterAuthentication');
      hookLog.info({ principals }, `${operation.operationId} ${requestId} ${request.headers.accept ?? ''}`);
      scenario.policy();
      return { 'X-Policy': 'a' };
    },
    beforeHandler: ({ principals }, valid) => {
      called.push('beforeHandler');
      expect([principals, valid.body]).toEqual([{ bearer: { id: 'a', scopes: ['read'] } }, { name: 'a' }]);
      scenario.last();
    },
    handlers: {
      postThing: (given: { log: Logger; contentType: string; accepts: string; scopes: unknown }) => {
        called.push('handle');
        given.log.debug('a line');
        context = { contentType: given.contentType, accepts: given.accepts, scopes: given.scopes };
        return new Promise((resolve) => {
          resolve(scenario.answer());
        });
      },
    },
    afterResponse: ({ stage, route }, request) => {
      called.push(`afterResponse ${stage} ${String(route)} ${String(request.method)}`);
    },
  });
  const { line, token, type, accept, length, body } = scenario;
  const head = `${line}\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${type}\r\nAccept: ${accept}`;
  const bytes = `${head}\r\nContent-Length: ${Math.max(length, body.length)}\r\n\r\n${body}`;
  const [reply] = await listening(app, (port) => exchange(port, bytes));
  return { reply, called, outcome: outcomes[0], lines, made, context };
}

test('a request passes the stages, which call its hooks and its handler', async () => {
  const { reply, called, outcome, lines, made, context } = await run(PLAIN);
  expect(reply).toMatchObject({ status: 200, headers: { 'x-policy': 'a' } });
  expect(called).toEqual([
    'afterAuthentication',
    'beforeHandler',
    'handle',
    'afterResponse respond /things/{id} POST',
  ]);
  expect(outcome).toMatchObject({ stage: 'respond', route: '/things/{id}', operationId: 'postThing' });
  const principals = { bearer: { id: 'a', scopes: ['read'] } };
  expect(lines).toEqual([
    ['info', { principals }, 'postThing a-request */*'],
    ['debug', 'a line', undefined],
  ]);
  expect(made).toEqual(['a-request postThing']);
  expect(context).toEqual({
    contentType: 'application/json',
    accepts: 'application/json',
    scopes: { bearer: { demanded: [], held: ['read'] } },
  });
});

test('every stage that can refuse has a fault', () => {
  const stages = Object.keys(STAGES).filter((stage) => stage !== 'afterResponse');
  expect([...new Set(FAULTS.map(([stage]) => stage))]).toEqual(stages);
});

/** A request whose head is refused does not reach the service, so it has no outcome. */
const stageOf = (outcome: { readonly stage: Stage } | undefined) => outcome?.stage ?? 'head';

test.each(FAULTS)('%s: %s ends a request in this stage', async (stage, _, fault) => {
  const { reply, called, outcome } = await run({ ...PLAIN, ...fault });
  expect(stageOf(outcome)).toBe(stage);
  const order = Object.keys(STAGES);
  const before = (one: string) => order.indexOf(one) < order.indexOf(stage);
  expect(called.slice(0, -1).every((one) => before(one) || one === stage)).toBe(true);
  // Every later response has the headers of the policy.
  expect(reply?.headers['x-policy']).toBe(before('afterAuthentication') ? 'a' : undefined);
});

const PAIRS = FAULTS.flatMap((first, i) =>
  FAULTS.slice(i + 1).flatMap((second) => {
    const [stage, one, fault] = first;
    const [, other, another] = second;
    const both = Object.keys(fault).some((key) => key in another); // one field cannot have two faults
    return both ? [] : [[stage, one, other, { ...PLAIN, ...fault, ...another }] as const];
  }),
);

test.each(PAIRS)('%s: of two faults, %s comes before %s', async (stage, _one, _other, scenario) => {
  expect(stageOf((await run(scenario)).outcome)).toBe(stage);
});
