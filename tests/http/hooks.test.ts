import { once } from 'node:events';
import { connect } from 'node:net';
import { type Answer, Problem } from '../../src/contract';
import type { OperationalKind } from '../../src/runtime';
import { toProblem } from '../support/plain-errors';
import { buildDocument, buildService, json, listening } from '../support/service';
import { exchange } from '../support/wire';

const POST = 'POST /things HTTP/1.1\r\nHost: x\r\n\r\n';
const documented = (responses: object) => buildDocument({ operation: { responses } });
const thing = { 200: { description: 'done', content: json({ type: 'object' }) } };
const handlers = { postThing: (): Promise<Answer> => Promise.resolve({ status: 200, body: {} }) };

type Options = Partial<Parameters<typeof buildService>[0]>;
async function ask(options: Options, bytes = POST) {
  const faults: unknown[] = [];
  const { app, outcomes } = buildService({
    document: documented(thing),
    handlers,
    reportFault: (error) => faults.push(error),
    ...options,
  });
  const [reply] = await listening(app, (port) => exchange(port, bytes));
  return { reply, outcomes, faults };
}

test('a hook refuses with a problem of the service and its headers', async () => {
  const { reply } = await ask({
    afterAuthentication: () => ({ RateLimit: '"a";r=0', 'X-Other': 'b' }),
    beforeHandler: () => {
      throw new Problem<OperationalKind>('rateLimited', 'not today', { ratelimit: '"a";r=1' });
    },
    toProblem,
  });
  expect(reply).toMatchObject({ status: 429, headers: { ratelimit: '"a";r=1', 'x-other': 'b' } });
});

test('the headers of a hook count as headers of the response and are validated if documented', async () => {
  const responses = {
    200: {
      ...thing[200],
      headers: { 'X-Left': { required: true, schema: { type: 'string', maxLength: 2 } } },
    },
  };
  const left = (value: string) =>
    ask({ document: documented(responses), afterAuthentication: () => ({ 'x-left': value }) });
  expect((await left('12')).reply).toMatchObject({ status: 200, headers: { 'x-left': '12' } });
  expect((await left('123')).reply).toMatchObject({ status: 500 });
});

test.each([
  ['null', null],
  ['an array', ['a']],
  ['a Map', new Map([['X-A', 'a']])],
  ['an invalid header value', { 'X-A': 'a\r\nb' }],
  ['a connection header', { Connection: 'close' }],
  ['true', true],
])('afterAuthentication must not return %s', async (_, given) => {
  const { reply, outcomes } = await ask({ afterAuthentication: () => given as never });
  expect(reply?.status).toBe(500);
  expect(outcomes[0]).toMatchObject({ stage: 'afterAuthentication', problem: { kind: 'unexpected' } });
});

test.each([[false], [null], [{ status: 429 }]])('beforeHandler must not return %p', async (given) => {
  const { reply, outcomes } = await ask({ beforeHandler: () => given as never });
  expect([reply?.status, outcomes[0]?.stage]).toEqual([500, 'beforeHandler']);
});

test.each(['afterAuthentication', 'beforeHandler'] as const)(
  'a request with a hanging %s is answered at its deadline, and its signal is aborted',
  async (hook) => {
    let signal: AbortSignal | undefined;
    const { reply, outcomes } = await ask({
      deadline: 50,
      [hook]: (context: { signal: AbortSignal }) => {
        signal = context.signal;
        return new Promise(() => undefined);
      },
    });
    expect([reply?.status, signal?.aborted, outcomes[0]?.stage]).toEqual([503, true, hook]);
  },
);

test.each(['afterAuthentication', 'beforeHandler'] as const)(
  'a %s that fails after the deadline is reported',
  async (hook) => {
    let fail: () => void = () => undefined;
    const { faults } = await ask({
      deadline: 50,
      [hook]: () =>
        new Promise((_, reject) => {
          fail = () => {
            reject(new Error('too late'));
          };
        }),
    });
    fail();
    await new Promise(setImmediate);
    expect(String(faults[0])).toMatch(
      new RegExp(`^Error: ${hook} of postThing ended after \\d+ ms, when its request had been given up$`),
    );
  },
);

test('an aborted body is not a fault of an earlier hook, and is reported', async () => {
  const faults: unknown[] = [];
  const operation = { requestBody: { content: json({}) }, responses: thing };
  const observed = new Promise<unknown[]>((resolve) => {
    const { app } = buildService({
      document: buildDocument({ operation }),
      handlers,
      afterAuthentication: () => ({ 'X-A': 'a' }),
      afterResponse: ({ stage, status }) => {
        setImmediate(resolve, [stage, status]);
      },
      reportFault: (error) => faults.push(error),
    });
    void listening(app, async (port) => {
      const socket = connect(port, '127.0.0.1');
      const head =
        'POST /things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n';
      socket.resume().end(`${head}1`);
      await once(socket, 'close');
    });
  });
  expect([await observed, faults]).toEqual([['receive', 400], []]);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('an observer');
    },
  ],
  ['rejects', () => Promise.reject(new Error('an observer'))],
])('an afterResponse that %s is a fault and does not change the response', async (_, afterResponse) => {
  const { reply, faults } = await ask({ afterResponse });
  await new Promise(setImmediate);
  expect([reply?.status, String(faults[0])]).toEqual([200, 'Error: an observer']);
});

test('the responses of own problems are compared with the document at startup', () => {
  const refused = { description: 'no', content: json({ type: 'object', required: ['reason'] }) };
  const build = (ownProblems: readonly Problem<OperationalKind>[]) =>
    buildService({ document: documented({ ...thing, 429: refused }), handlers, ownProblems });
  expect(() => build([])).not.toThrow();
  expect(() => build([new Problem<OperationalKind>('rateLimited', 'a sentence')])).toThrow(
    /the errors of this server \(src\/errors.ts\) are not as it documents them: the 429 response/,
  );
});
