import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../json/json';
import { print } from '../json/value';
import { describeFailure } from '../report/text';
import { run } from '../run';
import { type Reply, serve, target } from '../simple-server';
import type { Resolvable, Step, ParameterValues } from '../target';

/** `POST /tickets` creates an id that no double holds. `GET` and `PUT /tickets/{id}` take it. */
const id = { type: 'integer', format: 'int64' };
const content = { 'application/json': { schema: { type: 'object', required: ['id'], properties: { id } } } };
const parameters = [{ name: 'id', in: 'path', required: true, schema: id, example: 1 }];
const done = { 200: { description: 'the ticket', content }, 404: { description: 'no such ticket' } };
const DOCUMENT: JsonObject = {
  openapi: '3.1.0',
  info: { title: 'Tickets', version: '1.0.0' },
  paths: {
    '/tickets': {
      post: { operationId: 'createTicket', responses: { 201: { description: 'created', content } } },
    },
    '/tickets/{id}': {
      get: { operationId: 'getTicket', parameters, responses: done },
      put: { operationId: 'updateTicket', parameters, requestBody: { content }, responses: done },
    },
  },
};

const FIRST = 9_007_199_254_740_993n;

async function runSteps(...steps: readonly Step[]) {
  let tickets = new Set(['1']);
  const reset = (): void => {
    tickets = new Set(['1']);
  };
  const answer = ({ url = '', method }: IncomingMessage, body: string): Reply => {
    const headers = { 'Content-Type': 'application/json' };
    const requested = /^\/tickets\/(.+)$/.exec(url)?.[1];
    if (method === 'POST') {
      const created = String(FIRST + BigInt(tickets.size));
      tickets.add(created);
      return {
        status: 201,
        body: `{"id":${created}}`,
        headers: { ...headers, Location: `/tickets/${created}` },
        own: true,
      };
    }
    if (requested === undefined || !tickets.has(requested)) return { status: 404, own: true };
    return { status: 200, body: body || `{"id":${requested}}`, headers, own: true };
  };
  const { failures, families } = await run(
    {
      ...target(answer),
      document: DOCUMENT,
      start: serve(answer, reset),
      scenarios: [{ title: 'a scenario', steps }],
      ownRefusals: { gone: { status: 404, operations: ['getTicket', 'updateTicket'] } },
    },
    { generated: 1 },
  );
  return {
    failures: failures.filter(({ family }) => family === 'scenarios').map(describeFailure),
    sent: families.get('scenarios'),
  };
}

const create: Step = { operation: 'createTicket', expect: 'success' };

test('a step sends and expects values of earlier answers with every digit: as a parameter, in a body, in the answer', async () => {
  const { failures, sent } = await runSteps(
    create,
    create,
    {
      operation: 'getTicket',
      parameters: (answerTo) => ({ id: answerTo(2).at('/id') }),
      expect: 'success',
      answer: (answerTo) => ({ id: answerTo(2).at('/id') }),
    },
    {
      operation: 'updateTicket',
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
  // Only the last step expects the wrong id.
  expect(failures).toEqual([
    expect.stringContaining(`expected a body with {"id":${FIRST + 1n}}, got 200 {"id":${FIRST + 2n}}`),
  ]);
  expect(sent).toBe(5);
});

test.each<[string, Resolvable<ParameterValues>, string]>([
  [
    'a member',
    (answerTo) => ({ id: answerTo(1).at('/number') }),
    'expected a value at /number of the answer to step 1',
  ],
  [
    'a header',
    (answerTo) => ({ id: answerTo(1).header('ETag') }),
    'expected the header ETag in the answer to step 1, got none',
  ],
  ['a step', (answerTo) => ({ id: answerTo(2).at('/id') }), 'expected the number of an earlier step, got 2'],
  ['a parameter', (answerTo) => ({ it: answerTo(1).at('/id') }), 'expected one of id, got it'],
])(
  '%s that does not exist fails the scenario, which stops and reports it',
  async (_, parameters, problem) => {
    const get: Step = { operation: 'getTicket', expect: 'success' };
    const { failures, sent } = await runSteps(create, { ...get, parameters }, get);
    expect(failures).toEqual([expect.stringContaining(problem)]);
    expect(failures[0]).toContain('a scenario, step 2');
    expect(sent).toBe(1);
  },
);
