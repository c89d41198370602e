import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../json/json';
import { print } from '../json/value';
import { describeFailure } from '../report/text';
import { run } from '../run';
import { type Reply, serve, target } from '../simple-server';
import type { Resolvable, Step, ParameterValues } from '../target';

/** `POST /tickets` makes an id, beyond the doubles; `GET /tickets/{id}` and `PUT /tickets/{id}` want to see it again. */
const id = { type: 'integer', format: 'int64' };
const content = { 'application/json': { schema: { type: 'object', required: ['id'], properties: { id } } } };
const parameters = [{ name: 'id', in: 'path', required: true, schema: id, example: 1 }];
const done = { 200: { description: 'here it is', content }, 404: { description: 'no such ticket' } };
const DOCUMENT: JsonObject = {
  openapi: '3.1.0',
  info: { title: 'Tickets', version: '1.0.0' },
  paths: {
    '/tickets': {
      post: { operationId: 'makeTicket', responses: { 201: { description: 'made', content } } },
    },
    '/tickets/{id}': {
      get: { operationId: 'getTicket', parameters, responses: done },
      put: { operationId: 'keepTicket', parameters, requestBody: { content }, responses: done },
    },
  },
};

const FIRST = 9_007_199_254_740_993n;

async function told(...steps: readonly Step[]) {
  let made = new Set(['1']);
  const reset = (): void => {
    made = new Set(['1']);
  };
  const answer = ({ url = '', method }: IncomingMessage, body: string): Reply => {
    const headers = { 'Content-Type': 'application/json' };
    const named = /^\/tickets\/(.+)$/.exec(url)?.[1];
    if (method === 'POST') {
      const fresh = String(FIRST + BigInt(made.size));
      made.add(fresh);
      return {
        status: 201,
        body: `{"id":${fresh}}`,
        headers: { ...headers, Location: `/tickets/${fresh}` },
        own: true,
      };
    }
    if (named === undefined || !made.has(named)) return { status: 404, own: true };
    return { status: 200, body: body || `{"id":${named}}`, headers, own: true };
  };
  const { failures, families } = await run(
    {
      ...target(answer),
      document: DOCUMENT,
      start: serve(answer, reset),
      scenarios: [{ title: 'a story', steps }],
      ownRefusals: { gone: { status: 404, operations: ['getTicket', 'keepTicket'] } },
    },
    { generated: 1 },
  );
  return {
    failures: failures.filter(({ family }) => family === 'scenarios').map(describeFailure),
    sent: families.get('scenarios'),
  };
}

const make: Step = { operation: 'makeTicket', expect: 'success' };

test('a step says again what the service made, to the digit: as a parameter, in a body, and as what must come back', async () => {
  const { failures, sent } = await told(
    make,
    make,
    {
      operation: 'getTicket',
      parameters: (answerTo) => ({ id: answerTo(2).at('/id') }),
      expect: 'success',
      answer: (answerTo) => ({ id: answerTo(2).at('/id') }),
    },
    {
      operation: 'keepTicket',
      parameters: (answerTo) => ({ id: answerTo(1).header('Location').slice('/tickets/'.length) }),
      body: (answerTo) => `{"id":${print(answerTo(1).at('/id'))}}`,
      expect: 'success',
      answer: (answerTo) => ({ id: answerTo(1).at('/id') }),
    },
    {
      operation: 'getTicket',
      parameters: (answerTo) => ({ id: answerTo(2).at('/id') }),
      expect: 'success',
      answer: (answerTo) => ({ id: answerTo(1).at('/id') }),
    },
  );
  // Only the last is meant to be wrong.
  expect(failures).toEqual([
    expect.stringContaining(`expected a body with {"id":${FIRST + 1n}}, got 200 {"id":${FIRST + 2n}}`),
  ]);
  expect(sent).toBe(5);
});

test.each<[string, Resolvable<ParameterValues>, string]>([
  [
    'a member',
    (answerTo) => ({ id: answerTo(1).at('/number') }),
    'expected something at /number of the answer to step 1',
  ],
  [
    'a header',
    (answerTo) => ({ id: answerTo(1).header('ETag') }),
    'expected the header ETag in the answer to step 1, got none',
  ],
  ['a step', (answerTo) => ({ id: answerTo(2).at('/id') }), 'expected the number of an earlier step, got 2'],
  ['a parameter', (answerTo) => ({ it: answerTo(1).at('/id') }), 'expected one of id, got it'],
])(
  '%s that is not there fails the scenario, which says so and goes no further',
  async (_, asked, problem) => {
    const get: Step = { operation: 'getTicket', expect: 'success' };
    const { failures, sent } = await told(make, { ...get, parameters: asked }, get);
    expect(failures).toEqual([expect.stringContaining(problem)]);
    expect(failures[0]).toContain('a story, step 2');
    expect(sent).toBe(1);
  },
);
