import { once } from 'node:events';
import { connect } from 'node:net';
import { Strategy } from 'passport';
import { type Answer, bearerStrategy, Problem, TokenStrategy } from 'contract-first-server';
import type { OperationalKind } from 'contract-first-server/runtime';
import { toProblem } from '../../../../scripts/testing/plain-errors';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';
import { exchange } from '../../../../scripts/testing/wire';

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

describe('a list of hooks', () => {
  const calls: string[] = [];
  const hook = (name: string, result?: unknown) =>
    ({
      [name]: async () => {
        calls.push(name);
        await Promise.resolve();
        calls.push(`${name} ended`);
        if (result instanceof Error) throw result;
        return result;
      },
    })[name] as never;
  beforeEach(() => {
    calls.length = 0;
  });
  const refused = new Problem('forbidden', 'not for you');

  it('is called in order, each hook after the one before it has ended', async () => {
    const { reply, outcomes } = await ask({
      afterAuthentication: [hook('a', { 'X-A': '1', 'X-B': '1' }), hook('b', { 'x-a': '2' }), hook('c')],
      beforeHandler: [hook('d'), hook('e')],
      afterResponse: [hook('f'), hook('g')],
    });
    await new Promise(setImmediate);
    expect(calls).toEqual([
      ...['a', 'b', 'c', 'd', 'e'].flatMap((name) => [name, `${name} ended`]),
      ...['f', 'g', 'f ended', 'g ended'], // observers of a response that was sent
    ]);
    expect(reply).toMatchObject({ status: 200, headers: { 'x-a': '2', 'x-b': '1' } });
    expect(outcomes[0]?.hook).toBeUndefined();
  });

  it.each([
    ['afterAuthentication', ['a', 'a ended', 'b', 'b ended', 'f', 'f ended']],
    ['beforeHandler', ['h', 'h ended', 'a', 'a ended', 'b', 'b ended', 'f', 'f ended']],
  ] as const)('ends with the hook of %s that refuses, and keeps earlier headers', async (stage, expected) => {
    const { reply, outcomes } = await ask({
      ...(stage === 'beforeHandler' && { afterAuthentication: hook('h', { 'X-H': '1' }) }),
      [stage]: [
        hook('a', stage === 'beforeHandler' ? undefined : { 'X-H': '1' }),
        hook('b', refused),
        hook('c'),
      ],
      afterResponse: [hook('f')],
    });
    await new Promise(setImmediate);
    expect(calls).toEqual(expected);
    expect(reply).toMatchObject({ status: 403, headers: { 'x-h': '1' } });
    expect(outcomes).toMatchObject([{ stage, hook: `${stage} b`, problem: refused }]);
  });

  it('of observers is called to its end, and each failure has the name of its hook', async () => {
    const named: unknown[] = [];
    await ask({
      afterResponse: [hook('f', new Error('one')), hook('g'), hook('h', new Error('two'))],
      reportFault: (error, requestId, name) => named.push([String(error), requestId, name]),
    });
    await new Promise(setImmediate);
    expect(named).toEqual([
      ['Error: one', 'a-request', 'afterResponse f'],
      ['Error: two', 'a-request', 'afterResponse h'],
    ]);
  });

  it('has typed functions, as one that stands alone has', async () => {
    const seen: unknown[] = [];
    const { reply } = await ask({
      afterAuthentication: ({ requestId, operation }) => ({ 'X-Seen': `${requestId} ${operation.method}` }),
      beforeHandler: [
        ({ principals }, { body }) => void seen.push(principals, body),
        async ({ signal }) => {
          seen.push(await Promise.resolve(signal.aborted));
        },
      ],
      afterResponse: [({ status, hook: name }, { url }) => void seen.push(status, name, url)],
    });
    expect(reply?.headers['x-seen']).toBe('a-request POST');
    expect(seen).toEqual([{}, undefined, false, 200, undefined, '/things']);
  });

  const twice = { a: hook('a', refused), same: hook('a') };
  const [anonymous] = [() => Promise.reject(refused)];
  it.each<[string, unknown, string]>([
    ['a function of its own name', hook('checkTenant', refused), 'beforeHandler checkTenant'],
    [
      'the function of the property',
      { beforeHandler: () => Promise.reject(refused) }.beforeHandler,
      'beforeHandler',
    ],
    ['a function without a name', anonymous, 'beforeHandler'],
    ['one without a name in a list', [hook('a'), anonymous], 'beforeHandler #2'],
    ['one whose name another has', [twice.same, twice.a], 'beforeHandler a #2'],
    ['one that stands twice', [twice.a, twice.a], 'beforeHandler a #1'],
  ])('names %s', async (_, beforeHandler, name) => {
    const { outcomes } = await ask({ beforeHandler: beforeHandler as never });
    expect(outcomes[0]?.hook).toBe(name);
  });

  it.each(['afterAuthentication', 'beforeHandler', 'afterResponse'] as const)(
    'of %s has functions only, which is seen at the start',
    async (stage) => {
      const untyped = { [stage]: [() => undefined, { call: () => undefined }] } as object;
      await expect(ask(untyped)).rejects.toThrow(`${stage} #2: expected a function, got object`);
    },
  );
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

describe('afterRejection', () => {
  const document = buildDocument({
    operation: { security: [{ one: [] }, { two: [] }], responses: thing },
    components: {
      securitySchemes: {
        one: { type: 'http', scheme: 'bearer' },
        two: { type: 'apiKey', in: 'header', name: 'X-Key' },
      },
    },
  });
  const strategies = {
    one: bearerStrategy((token) => token === 'good' && { id: 'a' }),
    two: new TokenStrategy((key) => key === 'good' && { id: 'b' }),
  };
  const askWith = async (fields: string, afterRejection: Options['afterRejection']) =>
    ask(
      { document, strategies, afterRejection, toProblem },
      `POST /things HTTP/1.1\r\nHost: x\r\n${fields}\r\n`,
    );

  it.each([
    ['no credentials', '', 401, 0],
    ['invalid ones', 'Authorization: Bearer bad\r\n', 401, 1],
    ['malformed ones', 'Authorization: Bearer\r\n', 401, 1],
    ['invalid ones of both schemes', 'Authorization: Bearer bad\r\nX-Key: bad\r\n', 401, 1],
    ['valid ones', 'Authorization: Bearer good\r\n', 200, 0],
    ['valid ones of the second scheme', 'Authorization: Bearer bad\r\nX-Key: good\r\n', 200, 0],
  ])('sees requests with invalid credentials alone: %s', async (_, fields, status, times) => {
    const seen: unknown[] = [];
    const { reply, outcomes } = await askWith(fields, ({ principals, request }) => {
      seen.push([principals, request.method]);
    });
    expect([reply?.status, outcomes[0]?.hook]).toEqual([status, undefined]);
    expect(seen).toEqual(Array(times).fill([{}, 'POST']));
  });

  it.each(['throws', 'reports'])('sees the rejection that a strategy %s at once', async (how) => {
    const rejection = new Problem('badCredentials', 'revoked', { 'WWW-Authenticate': 'Bearer' });
    class Rejecting extends Strategy {
      override authenticate(): void {
        if (how === 'throws') throw rejection;
        this.error(rejection);
      }
    }
    const seen = jest.fn(() => undefined);
    const options = { document, strategies: { ...strategies, one: new Rejecting() }, toProblem };
    const { reply } = await ask(
      { ...options, afterRejection: seen },
      'POST /things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\n\r\n',
    );
    expect([reply?.status, seen.mock.calls.length]).toEqual([401, 1]);
  });

  it('replaces the rejection by another, which has its name', async () => {
    const countRejections = () => {
      throw new Problem<OperationalKind>('rateLimited', 'too many', { 'Retry-After': '7' });
    };
    const { reply, outcomes } = await askWith('X-Key: bad\r\n', [() => undefined, countRejections]);
    expect(reply).toMatchObject({ status: 429, headers: { 'retry-after': '7' } });
    expect(outcomes[0]).toMatchObject({ stage: 'authenticate', hook: 'authenticate countRejections' });
  });

  it.each([[false], [{ 'X-A': 'a' }]])('must not return %p', async (given) => {
    const { reply } = await askWith('X-Key: bad\r\n', () => given as never);
    expect(reply?.status).toBe(500);
  });

  it('is no verification of credentials: many that hang end no other', async () => {
    const held = Promise.withResolvers<undefined>();
    const options = { document, strategies, afterRejection: () => held.promise, maxRequests: 2 };
    const { app } = buildService({ handlers, ...options });
    await listening(app, async (port) => {
      const send = (key: string) =>
        fetch(`http://127.0.0.1:${port}/things`, { method: 'POST', headers: { 'X-Key': key } });
      const rejected = Array.from({ length: 6 }, () => send('bad'));
      expect((await send('good')).status).toBe(200);
      held.resolve(undefined);
      const statuses = (await Promise.all(rejected)).map(({ status }) => status);
      expect(statuses).toEqual(Array(6).fill(401));
    });
  });
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
      new RegExp(`^Error: ${hook} of postThing ended after \\d+ ms, when its request had been abandoned$`),
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
    /the errors of this server do not conform to the document: the 429 response/,
  );
});
