import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../../src/json/tree';
import { print } from '../../src/json/value';
import { describeFailure } from '../../src/report/terminal';
import { run } from '../../src/run';
import { type Reply, routed, serve, targetOf } from '../support/simple-server';
import type { Resolvable, Scenario, ScenarioOf, Step, ParameterValues } from '../../src/target';

/** `POST /tickets` creates an id that no double holds. `GET` and `PUT /tickets/{id}` take it. */
const id = { type: 'integer', format: 'int64' };
const content = { 'application/json': { schema: { type: 'object', required: ['id'], properties: { id } } } };
const parameters = [{ name: 'id', in: 'path', required: true, schema: id, example: 1 }];
const done = { 200: { description: 'the ticket', content }, 404: { description: 'no such ticket' } };
const PATHS: JsonObject = {
  '/tickets': {
    post: { operationId: 'createTicket', responses: { 201: { description: 'created', content } } },
  },
  '/tickets/{id}': {
    get: { operationId: 'getTicket', parameters, responses: done },
    put: { operationId: 'updateTicket', parameters, requestBody: { content }, responses: done },
  },
};

const FIRST = 9_007_199_254_740_993n;

async function runSteps(...steps: readonly Step[]) {
  let tickets = new Set(['1']);
  const reset = (): void => {
    tickets = new Set(['1']);
  };
  const headers = { 'Content-Type': 'application/json' };
  const item = ({ id: asked = '' }, body: string): Reply =>
    tickets.has(asked)
      ? { status: 200, body: body || `{"id":${asked}}`, headers, own: true }
      : { status: 404, own: true };
  const answer = routed({
    'POST /tickets': () => {
      const created = String(FIRST + BigInt(tickets.size));
      tickets.add(created);
      const location = { ...headers, Location: `/tickets/${created}` };
      return { status: 201, body: `{"id":${created}}`, headers: location, own: true };
    },
    'GET /tickets/{id}': item,
    'PUT /tickets/{id}': item,
  });
  const { failures, families } = await run(
    targetOf(PATHS, answer, {
      start: serve(answer, reset),
      scenarios: [{ title: 'a scenario', steps }],
      ownRefusals: { gone: { status: 404, operations: ['getTicket', 'updateTicket'] } },
    }),
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

test.each<[string, Partial<Step>, string]>([
  ['a step', { parameters: (answerTo) => ({ id: answerTo(2).at('/id') }) }, 'an earlier step, got 2'],
  [
    'a parameter of an answer',
    { parameters: (answerTo) => ({ it: answerTo(1).at('/id') }) },
    'expected one of id, got it',
  ],
  ['a parameter', { parameters: { it: 1 } }, 'expected one of id, got it'],
  ['an operation', { operation: 'getTickets' }, 'got getTickets'],
  ['a security alternative', { security: ['Token'] }, 'got Token'],
  ['a refusal', { expect: 'away' }, 'expected one of success, gone, got away'],
])(
  '%s that the document lacks is found before anything is sent, with its place',
  async (_, wrong, problem) => {
    const start = jest.fn();
    const one: Step = { operation: 'getTicket', expect: 'success', ...wrong };
    const target = targetOf(PATHS, () => ({ status: 500 }), {
      start,
      source: 'tests/contract/service.ts',
      scenarios: [{ title: 'a scenario', steps: [create, one] }],
      ownRefusals: { gone: { status: 404, operations: [] } },
    });
    const message = await run(target).then(String, (error: unknown) => String(error));
    expect(message).toContain('tests/contract/service.ts, scenario "a scenario, step 2": expected ');
    expect(message).toContain(problem);
    expect(start).not.toHaveBeenCalled();
  },
);

interface Operations {
  readonly createTicket: { readonly parameters: { readonly path?: never; readonly query?: never } };
  readonly getTicket: {
    readonly parameters: { readonly path: { readonly id: bigint }; readonly query?: never };
  };
}

test('with the types of the document, an operation and a parameter that it lacks do not compile', () => {
  const scenarios: readonly ScenarioOf<Operations>[] = [
    {
      title: 'a scenario',
      steps: [
        { operation: 'createTicket', expect: 'success' },
        { operation: 'getTicket', parameters: { id: 1n }, expect: 'success' },
        {
          operation: 'getTicket',
          parameters: (answerTo) => ({ id: answerTo(1).at('/id') }),
          expect: 'success',
        },
        // @ts-expect-error there is no such operation
        { operation: 'getTickets', expect: 'success' },
        // @ts-expect-error there is no such parameter
        { operation: 'getTicket', parameters: { it: 1n }, expect: 'success' },
        // @ts-expect-error there is no such parameter
        {
          operation: 'getTicket',
          parameters: (answerTo) => ({ it: answerTo(1).at('/id') }),
          expect: 'success',
        },
      ],
    },
  ];
  const any: readonly Scenario[] = scenarios;
  expect(any).toHaveLength(1);
});

test.each<[string, Partial<Step>]>([
  [
    'members',
    {
      answer: { id: (value) => value === JSON.parse('') },
    },
  ],
  ['bytes', { bytes: () => JSON.parse('') === 1 }],
])('a function for %s that throws fails its scenario, with what it threw', async (_, wrong) => {
  const { failures } = await runSteps({ ...create, ...wrong });
  expect(failures).toEqual([
    expect.stringContaining('the function of the scenario can read (it threw SyntaxError'),
  ]);
});

test('a step expects the items of a list, a text, and the bytes of a file', async () => {
  const schema = { type: 'object', properties: { books: { type: 'array', items: { type: 'string' } } } };
  const get = (operationId: string, content: JsonObject) => ({
    get: { operationId, responses: { 200: { description: 'done', content } } },
  });
  const paths = {
    '/list': get('getList', { 'application/json': { schema } }),
    '/text': get('getText', { 'text/plain': { schema: { type: 'string' } } }),
    '/file': get('getFile', { 'application/octet-stream': {} }),
  };
  const bodies = { '/list': '{"books":["a","b"]}', '/text': 'hello', '/file': '\u0000\u0001\u0002' };
  const answer = routed(
    Object.fromEntries(
      Object.entries(bodies).map(([path, body]) => {
        const [type = ''] = Object.keys(paths[path as keyof typeof paths].get.responses[200].content);
        return [
          `GET ${path}`,
          (_: object, __: string, { method }: IncomingMessage): Reply => ({
            status: 200,
            headers: { 'Content-Type': type },
            body: method === 'HEAD' ? '' : body,
            own: true,
          }),
        ];
      }),
    ),
  );
  const step = (operation: string, expected: Partial<Step>): Step => ({
    operation,
    expect: 'success',
    ...expected,
  });
  const isPair = (value: unknown): boolean => Array.isArray(value) && value.length === 2;
  const problemsOf = async (steps: readonly Step[]): Promise<string[]> => {
    const { failures } = await run(targetOf(paths, answer, { scenarios: [{ title: 'answers', steps }] }), {
      generated: 1,
    });
    return failures.filter(({ family }) => family === 'scenarios').flatMap(({ problems }) => problems);
  };
  expect(
    await problemsOf([
      step('getList', {
        answer: { '/books/1': 'b', '/books': isPair, '/books/2': (value) => value === undefined },
      }),
      step('getText', { answer: { '': 'hello' }, bytes: 'hello' }),
      step('getFile', { bytes: Buffer.from([0, 1, 2]) }),
      step('getFile', { bytes: (body) => body.length === 3 }),
    ]),
  ).toEqual([]);
  expect(await problemsOf([step('getList', { answer: { '/books/0': 'b' } })])).toEqual([
    expect.stringContaining('expected a body with {"/books/0":"b"}, got 200'),
  ]);
  expect(await problemsOf([step('getText', { answer: { '': 'other' } })])).toEqual([
    expect.stringContaining('expected a body with {"":"other"}, got 200 hello'),
  ]);
  expect(await problemsOf([step('getFile', { bytes: Buffer.from([0, 1]) })])).toEqual([
    expect.stringContaining('expected a body of 2 certain bytes, got 200'),
  ]);
});
