import fc from 'fast-check';
import { Strategy } from 'passport';
import type { Strategies } from '../../../../src/contract/security/requirements';
import { ApiKeyStrategy, BasicStrategy, bearerStrategy } from '../../../../src/contract/security/strategies';
import { type Authentication, buildAuthentication, CREDENTIALS } from '../../../support/authentication';

/** The methods by which a strategy of passport ends. */
interface Verdicts {
  success(principal?: unknown): void;
  fail(challenge?: unknown, status?: number): void;
  pass(): void;
  redirect(url: string): void;
  error(error?: unknown): void;
}

const raw = (authenticate: (this: Verdicts) => unknown): Strategies[string] =>
  Object.assign(new Strategy(), { authenticate });

function* idle(): Generator {
  yield;
}

type Kind = 'principal' | 'refused' | 'error';
const kindOf = (outcome: Authentication): Kind =>
  'principals' in outcome ? 'principal' : 'refused' in outcome ? 'refused' : 'error';

/** Authenticates by one scheme whose verifier is `verify`, of any type. */
function outcomeOf(scheme: keyof typeof STRATEGIES, verify: () => never): Promise<Authentication> {
  const [name, strategy] = STRATEGIES[scheme](verify);
  return buildAuthentication([{ [name]: [] }], { [name]: strategy })(CREDENTIALS[name]);
}

type Served = readonly ['bearer' | 'key' | 'basic', Strategies[string]];
const STRATEGIES = {
  'bearer token': (verify: () => never): Served => ['bearer', bearerStrategy(verify)],
  'API key': (verify: () => never): Served => ['key', new ApiKeyStrategy(verify)],
  'basic authentication': (verify: () => never): Served => ['basic', new BasicStrategy(verify)],
  'strategy of passport': (verify: () => never): Served => [
    'bearer',
    raw(function () {
      this.success(verify());
    }),
  ],
} as const;
const NAMES = Object.keys(STRATEGIES) as (keyof typeof STRATEGIES)[];

class User {
  readonly id = 1;
}
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const throwing = (): never => {
  throw new Error('the directory is down');
};

/** Every class of JavaScript values, with the expected outcome. */
const VALUES: readonly [name: string, make: () => unknown, kind: Kind][] = [
  ['an object', () => ({ id: 1 }), 'principal'],
  ['an empty object', () => ({}), 'principal'],
  ['an object without a prototype', () => Object.create(null) as unknown, 'principal'],
  ['an instance', () => new User(), 'principal'],
  ['an object whose property then is no function', () => ({ then: 1 }), 'principal'],
  ['false', () => false, 'refused'],
  ['undefined', () => undefined, 'error'],
  ['null', () => null, 'error'],
  ['true', () => true, 'error'],
  ['0', () => 0, 'error'],
  ['-0', () => -0, 'error'],
  ['NaN', () => NaN, 'error'],
  ['1', () => 1, 'error'],
  ['0n', () => 0n, 'error'],
  ['1n', () => 1n, 'error'],
  ['an empty string', () => '', 'error'],
  ['a string', () => 'alice', 'error'],
  ['a symbol', () => Symbol('alice'), 'error'],
  ['a function', () => () => ({ id: 1 }), 'error'],
  ['a class', () => User, 'error'],
  ['no rows', () => [], 'error'],
  ['a row', () => [{ id: 1 }], 'error'],
  ['an Error', () => new Error('no such user'), 'error'],
  ['a TypeError', () => new TypeError('no such user'), 'error'],
  ...[false, true, 0, '', 0n, Symbol('x')].map((value): [string, () => unknown, Kind] => [
    `boxed ${String(value)}`,
    () => Object(value) as unknown,
    'error',
  ]),
  ...[
    new Map([['id', 1]]),
    new Set([1]),
    new WeakMap(),
    new Date(),
    /alice/,
    Buffer.from('alice'),
    new ArrayBuffer(1),
    idle(),
    [1].values(),
    new Response(null, { status: 401 }),
    new Headers({ id: 'alice' }),
    new URLSearchParams('id=alice'),
    new Blob(['alice']),
  ].map((value): [string, () => unknown, Kind] => [
    `what is built in: ${Object.prototype.toString.call(value)}`,
    () => value,
    'error',
  ]),
  ['a revoked proxy', revoked, 'error'],
  [
    'an object whose getter of then throws',
    () => Object.defineProperty({}, 'then', { get: throwing }),
    'error',
  ],
  ['a thenable that throws', () => ({ then: throwing }), 'error'],
  [
    'a thenable that rejects',
    () => ({
      then: (_: unknown, no: (e: Error) => void) => {
        no(new Error('down'));
      },
    }),
    'error',
  ],
  [
    'a thenable that rejects without a reason',
    () => ({
      then: (_: unknown, no: () => void) => {
        no();
      },
    }),
    'error',
  ],
  ['a rejected promise', () => Promise.reject(new Error('down')), 'error'],
  [
    'a promise rejected without a reason',
    () => Promise.resolve().then(() => idle().throw(undefined) as unknown),
    'error',
  ],
];

type Resolve = (value: unknown) => void;
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
    (make) => ({
      then: (resolve: Resolve) => {
        resolve(make());
      },
    }),
  ],
  [
    'by a thenable, later',
    (make) => ({
      then: (resolve: Resolve) => {
        setImmediate(() => {
          resolve(make());
        });
      },
    }),
  ],
  [
    'by a function that is a thenable',
    (make) =>
      Object.assign(() => 1, {
        then: (resolve: Resolve) => {
          resolve(make());
        },
      }),
  ],
  [
    'by a thenable of a thenable',
    (make) => ({
      then: (outer: Resolve) => {
        outer({
          then: (inner: Resolve) => {
            inner(make());
          },
        });
      },
    }),
  ],
];

describe.each(NAMES)('%s: a principal, false, or an error', (name) => {
  test.each(WAYS)('%s', async (_, hand) => {
    const outcomes = await Promise.all(
      VALUES.map(async ([value, make]) => [value, kindOf(await outcomeOf(name, () => hand(make) as never))]),
    );
    expect(outcomes).toEqual(VALUES.map(([value, , kind]) => [value, kind]));
  });
});

test.each(NAMES)('%s: a principal is passed on unchanged', async (name) => {
  const principal = new User();
  const outcome = await outcomeOf(name, () => Promise.resolve(principal) as never);
  expect('principals' in outcome && Object.values(outcome.principals)).toEqual([principal]);
});

test.each(NAMES)('%s: only an object authenticates, and only false rejects', async (name) => {
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
      expect(kindOf(await outcomeOf(name, () => value as never))).toBe(expected);
    }),
    { numRuns: 200 },
  );
});

test.each(NAMES)('%s: any value that a verifier throws is an error', async (name) => {
  for (const thrown of [new Error('down'), undefined, null, false, '', 0]) {
    // The linter forbids to throw these values by a statement. A generator can throw them.
    const outcome = await outcomeOf(name, () => idle().throw(thrown) as never);
    expect([thrown, kindOf(outcome)]).toEqual([thrown, 'error']);
  }
});

describe('a strategy of passport', () => {
  const ENDS: readonly [string, (this: Verdicts) => unknown, Kind][] = [
    [
      'success without a principal',
      function () {
        this.success();
      },
      'error',
    ],
    [
      'success twice: the first counts',
      function () {
        this.success({ id: 1 });
        this.success({ id: 2 });
      },
      'principal',
    ],
    [
      'success after fail',
      function () {
        this.fail('Bearer');
        this.success({ id: 1 });
      },
      'refused',
    ],
    [
      'success after fail without a challenge',
      function () {
        this.fail();
        this.success({ id: 1 });
      },
      'refused',
    ],
    [
      'success after an error',
      function () {
        this.error(new Error('down'));
        this.success({ id: 1 });
      },
      'error',
    ],
    [
      'success after an error without a reason',
      function () {
        this.error();
        this.success({ id: 1 });
      },
      'error',
    ],
    [
      'success after success with nothing',
      function () {
        this.success(undefined);
        this.success({ id: 1 });
      },
      'error',
    ],
    [
      'success while a refusal is pending',
      function () {
        this.success(Promise.resolve(false));
        this.success({ id: 1 });
      },
      'refused',
    ],
    [
      'success after pass',
      function () {
        this.pass();
        this.success({ id: 1 });
      },
      'error',
    ],
    [
      'success after redirect',
      function () {
        this.redirect('/login');
        this.success({ id: 1 });
      },
      'error',
    ],
    [
      'pass',
      function () {
        this.pass();
      },
      'error',
    ],
    [
      'redirect',
      function () {
        this.redirect('/login');
      },
      'error',
    ],
    [
      'fail with a status',
      function () {
        this.fail(400);
      },
      'refused',
    ],
    [
      'fail with 403',
      function () {
        this.fail(403);
      },
      'refused',
    ],
    [
      'fail with a challenge that no header can hold',
      function () {
        this.fail('Bearer Ω\n');
      },
      'refused',
    ],
    [
      'an error that is no Error',
      function () {
        this.error('down');
      },
      'error',
    ],
    [
      'an asynchronous one that succeeds',
      async function () {
        await Promise.resolve();
        this.success({ id: 1 });
      },
      'principal',
    ],
    ['an asynchronous one that rejects', () => Promise.reject(new Error('down')), 'error'],
    ['a thenable that throws', () => ({ then: throwing }), 'error'],
  ];
  it.each(ENDS)('%s', async (_, authenticate, kind) => {
    const authenticateBy = buildAuthentication([{ bearer: [] }], { bearer: raw(authenticate) });
    expect(kindOf(await authenticateBy(CREDENTIALS.bearer))).toBe(kind);
  });

  it('is named in the error, but its result is not', async () => {
    const bearer = raw(function () {
      this.success('hunter2');
    });
    const outcome = await buildAuthentication([{ bearer: [] }], { bearer })(CREDENTIALS.bearer);
    expect(outcome).toEqual({
      error: new Error(
        'the strategy of the security scheme bearer expected a principal (an object) or false, got a string',
      ),
    });
  });

  it('that succeeds without credentials authenticates no request', async () => {
    const bearer = raw(function () {
      this.success({ id: 1 });
    });
    expect(await buildAuthentication([{ bearer: [] }], { bearer })()).toMatchObject({
      refused: 'noCredentials',
      challenge: 'Bearer',
    });
  });
});
