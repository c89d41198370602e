import fc from 'fast-check';
import { inspect } from 'node:util';
import { Strategy } from 'passport';
import type { Strategies } from '../../../src/contract/security/requirements';
import {
  ApiKeyStrategy,
  BasicStrategy,
  bearerStrategy,
  strategyRunner,
} from '../../../src/contract/security/strategies';
import { type Authentication, buildAuthentication, CREDENTIALS } from '../../support/authentication';

/** A call of one of the methods by which a strategy of passport ends. */
type Call = readonly ['success' | 'fail' | 'pass' | 'redirect' | 'error', ...given: unknown[]];

/** A strategy of another package, which ends by these calls. */
const ending = (...calls: readonly Call[]): Strategies[string] => {
  const authenticate = function (this: Record<Call[0], (...given: unknown[]) => void>) {
    for (const [method, ...given] of calls) this[method](...given);
  };
  return Object.assign(new Strategy(), { authenticate });
};

function* idle(): Generator {
  yield;
}
/** The linter forbids to throw or reject with other values than errors by a statement. A generator can. */
const throwing = (value: unknown) => (): never => idle().throw(value) as never;
const down = new Error('the directory is down');

type Kind = 'principal' | 'refused' | 'error';
const kindOf = (outcome: Authentication): Kind =>
  'principals' in outcome ? 'principal' : 'refused' in outcome ? 'refused' : 'error';

type Scheme = 'bearer' | 'key' | 'basic';
const STRATEGIES: Readonly<Record<string, (verify: () => never) => readonly [Scheme, Strategies[string]]>> = {
  'bearer token': (verify) => ['bearer', bearerStrategy(verify)],
  'API key': (verify) => ['key', new ApiKeyStrategy(verify)],
  'basic authentication': (verify) => ['basic', new BasicStrategy(verify)],
  'strategy of passport': (verify) => [
    'bearer',
    Object.assign(new Strategy(), {
      authenticate(this: { success: (given: unknown) => void }) {
        this.success(verify());
      },
    }),
  ],
};

/** Authenticates by one scheme whose verifier is `verify`, of any type. */
function outcomeOf(name: string, verify: () => unknown): Promise<Authentication> {
  const [scheme, strategy] = STRATEGIES[name]?.(verify as () => never) ?? [];
  if (!scheme || !strategy) throw new Error(`expected a strategy ${name}`);
  return buildAuthentication([{ [scheme]: [] }], { [scheme]: strategy })(CREDENTIALS[scheme]);
}

class User {
  readonly id = 1;
}
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

/** Makers of the classes of JavaScript values, each with what it must lead to. */
const VALUES: Readonly<Record<Kind, readonly (() => unknown)[]>> = {
  principal: [
    () => ({ id: 1 }),
    () => ({}),
    () => Object.create(null) as unknown,
    () => new User(),
    () => ({ then: 1 }),
  ],
  refused: [() => false],
  error: [
    ...[undefined, null, true, 0, -0, NaN, 1, 0n, 1n, '', 'alice', Symbol('alice'), User, [], [{ id: 1 }]],
    ...[new Error('no such user'), new TypeError('no such user')],
    ...[false, true, 0, '', 0n, Symbol('x')].map((value) => Object(value) as unknown),
    ...[new Map([['id', 1]]), new Set([1]), new WeakMap(), new Date(), /alice/, Buffer.from('alice')],
    ...[new ArrayBuffer(1), idle(), [1].values(), new URLSearchParams('id=alice'), new Blob(['alice'])],
    ...[new Response(null, { status: 401 }), new Headers({ id: 'alice' }), () => ({ id: 1 })],
  ]
    .map(
      (value): (() => unknown) =>
        () =>
          value,
    )
    .concat([
      revoked,
      () => Object.defineProperty({}, 'then', { get: throwing(down) }),
      () => ({ then: throwing(down) }),
      () => ({
        then: (_: unknown, reject: (reason?: unknown) => void) => {
          reject(down);
        },
      }),
      () => ({
        then: (_: unknown, reject: (reason?: unknown) => void) => {
          reject();
        },
      }),
      () => Promise.reject(down),
      () => Promise.resolve().then(throwing(undefined)),
    ]),
};
const EXPECTED = Object.entries(VALUES).flatMap(([kind, makers]) =>
  makers.map((make) => [make, kind] as const),
);

type Resolve = (value: unknown) => void;
const thenable = (then: (resolve: Resolve) => unknown) => ({ then });

/** Every way in which a verifier can return a value. */
const WAYS: readonly [name: string, hand: (make: () => unknown) => unknown][] = [
  ['at once', (make) => make()],
  ['by a promise', (make) => Promise.resolve(make())],
  ['by an async function', async (make) => Promise.resolve().then(make)],
  [
    'by a promise, later',
    (make) =>
      new Promise((resolve) =>
        setImmediate(() => {
          resolve(make());
        }),
      ),
  ],
  [
    'by a thenable',
    (make) =>
      thenable((resolve) => {
        resolve(make());
      }),
  ],
  [
    'by a thenable, later',
    (make) =>
      thenable((resolve) =>
        setImmediate(() => {
          resolve(make());
        }),
      ),
  ],
  [
    'by a function that is a thenable',
    (make) =>
      Object.assign(
        () => 1,
        thenable((resolve) => {
          resolve(make());
        }),
      ),
  ],
  [
    'by a thenable of a thenable',
    (make) =>
      thenable((outer) => {
        outer(
          thenable((inner) => {
            inner(make());
          }),
        );
      }),
  ],
];

describe.each(Object.keys(STRATEGIES))('%s: a principal, false, or an error', (name) => {
  test.each(WAYS)('%s', async (_, hand) => {
    const outcomes = await Promise.all(
      EXPECTED.map(async ([make]) => kindOf(await outcomeOf(name, () => hand(make)))),
    );
    const wrong = EXPECTED.filter(([, kind], i) => outcomes[i] !== kind);
    expect(wrong.map(([make]) => inspect(make()))).toEqual([]);
  });

  test('a principal is passed on unchanged', async () => {
    const principal = new User();
    const outcome = await outcomeOf(name, () => Promise.resolve(principal));
    expect('principals' in outcome && Object.values(outcome.principals)).toEqual([principal]);
  });

  test('only an object authenticates, and only false rejects', async () => {
    const values = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withObjectString: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
    });
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        const isObject = typeof value === 'object' && value !== null;
        const principal = isObject && Object.prototype.toString.call(value) === '[object Object]';
        const expected = principal ? 'principal' : value === false ? 'refused' : 'error';
        expect(kindOf(await outcomeOf(name, () => value))).toBe(expected);
      }),
      { numRuns: 200 },
    );
  });

  test.each([new Error('down'), undefined, null, false, '', 0])(
    '%p that is thrown is an error',
    async (thrown) => {
      expect(kindOf(await outcomeOf(name, throwing(thrown)))).toBe('error');
    },
  );
});

it.each([
  ['Zoë:a:b', { principals: { basic: { pair: ['Zoë', 'a:b'] } } }], // at the first colon, in UTF-8
  ['no colon', { refused: 'badCredentials' }],
])('basic authentication splits %j', async (sent, outcome) => {
  const basic = new BasicStrategy((...pair) => ({ pair }));
  const field = ['Authorization', `Basic ${Buffer.from(sent).toString('base64')}`] as const;
  expect(await buildAuthentication([{ basic: [] }], { basic })(field)).toMatchObject(outcome);
});

it('a verifier is asked about no credentials that the request lacks', async () => {
  const verify = jest.fn(() => ({ id: 1 }));
  const key = new ApiKeyStrategy(verify);
  expect(await buildAuthentication([{ key: [] }], { key })()).toMatchObject({ challenge: 'ApiKey' });
  expect(verify).not.toHaveBeenCalled();
});

describe('a strategy of passport', () => {
  const success: Call = ['success', { id: 1 }];
  const by = (strategy: Strategies[string], ...sent: (readonly [string, string])[]) =>
    buildAuthentication([{ bearer: [] }], { bearer: strategy })(...sent);

  it.each<[Kind, ...Call[]]>([
    ['error', ['success']],
    ['principal', success, ['success', { id: 2 }]], // the first call counts
    ['refused', ['fail', 'Bearer'], success],
    ['refused', ['fail'], success],
    ['error', ['error', down], success],
    ['error', ['error'], success],
    ['error', ['success', undefined], success],
    ['refused', ['success', Promise.resolve(false)], success],
    ['error', ['pass'], success],
    ['error', ['redirect', '/login'], success],
    ['error', ['pass']],
    ['error', ['redirect', '/login']],
    ['refused', ['fail', 400]],
    ['refused', ['fail', 'Bearer Ω\n']], // no header can hold it
    ['error', ['error', 'down']],
  ])('ends as %s by %j %j', async (kind, ...calls) => {
    expect(kindOf(await by(ending(...calls), CREDENTIALS.bearer))).toBe(kind);
  });

  it.each<[Kind, (this: { success: (given: unknown) => void }) => unknown]>([
    [
      'principal',
      async function () {
        await Promise.resolve();
        this.success({ id: 1 });
      },
    ],
    ['error', () => Promise.reject(down)],
    ['error', () => ({ then: throwing(down) })],
  ])('ends as %s if it is asynchronous: %p', async (kind, authenticate) => {
    expect(kindOf(await by(Object.assign(new Strategy(), { authenticate }), CREDENTIALS.bearer))).toBe(kind);
  });

  it.each<[boolean, ...Call[]]>([
    [false, success],
    [false, ['fail']],
    [true, ['success', Promise.resolve({ id: 1 })]],
    [true, ['error', down]],
    [true],
  ])('makes others wait: %p, by %j', (waits, ...calls) => {
    const outcome = strategyRunner('bearer', ending(...calls))({ headers: {} }, []);
    void Promise.resolve(outcome).catch(() => undefined);
    expect(outcome instanceof Promise).toBe(waits);
  });

  it.each<[Call]>([[['fail', 403]], [['fail', 'Bearer', 403]]])('forbids by %j', async (call) => {
    expect(await by(ending(call), CREDENTIALS.bearer)).toMatchObject({ refused: 'forbidden' });
  });

  it('may end again by a promise that rejects, which would end the process', async () => {
    const authenticate = function (this: Record<'fail' | 'success', (given?: unknown) => void>) {
      this.fail();
      this.success(Promise.reject(down));
    };
    const strategy = Object.assign(new Strategy(), { authenticate });
    expect(kindOf(await by(strategy, CREDENTIALS.bearer))).toBe('refused');
    await new Promise(setImmediate); // Node reports an unhandled rejection before
  });

  it('is named in the error, but its result is not', async () => {
    expect(await by(ending(['success', 'hunter2']), CREDENTIALS.bearer)).toEqual({
      error: new Error(
        'the strategy of the security scheme bearer expected a principal (an object) or false, got a string',
      ),
    });
  });

  it('that succeeds without credentials authenticates no request', async () => {
    expect(await by(ending(success))).toMatchObject({
      refused: 'noCredentials',
      challenge: 'Bearer realm="api"',
    });
  });
});
