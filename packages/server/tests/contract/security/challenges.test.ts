import { Strategy } from 'passport';
import { ApiKeyStrategy, BasicStrategy, bearerStrategy } from '../../../src/contract/security/strategies';
import { buildAuthentication, CREDENTIALS } from '../../support/authentication';

const reject = () => false as const;
const later = () => Promise.resolve(reject());
const bearer = bearerStrategy(reject);
const STRATEGIES = {
  bearer,
  oauth: bearer,
  openId: bearerStrategy(later),
  key: new ApiKeyStrategy(reject),
  basic: new BasicStrategy(later),
};

const BEARER = 'Bearer realm="api"';
const INVALID = `${BEARER}, error="invalid_token"`;
const BASIC = 'Basic realm="api", charset="UTF-8"';
type Header = readonly [string, string];
const MALFORMED: Header = ['Authorization', 'Bearer'];

/** The challenges of a 401 for the credentials in a request. */
const CASES: readonly [
  name: string,
  security: object[],
  sent: Header[],
  challenges: string[],
  kind?: string,
][] = [
  ['each alternative', [{ bearer: [] }, { key: [] }, { basic: [] }], [], [BEARER, 'ApiKey', BASIC]],
  ['each scheme of one alternative', [{ basic: [], key: [] }], [], [BASIC, 'ApiKey']],
  ['each scheme of each', [{ basic: [], key: [] }, { bearer: [] }], [], [BASIC, 'ApiKey', BEARER]],
  [
    'each scheme once',
    [
      { bearer: [], key: [] },
      { basic: [], key: [] },
    ],
    [],
    [BEARER, 'ApiKey', BASIC],
  ],
  ['each challenge once', [{ bearer: [] }, { oauth: [] }, { openId: [] }], [], [BEARER]],
  ['bad credentials', [{ bearer: [] }], [CREDENTIALS.bearer], [INVALID]],
  ['bad credentials, rejected asynchronously', [{ openId: [] }], [CREDENTIALS.openId], [INVALID]],
  ['bad basic credentials', [{ basic: [] }], [CREDENTIALS.basic], [BASIC]],
  [
    'bad credentials of one of two ways',
    [{ key: [] }, { bearer: [] }],
    [CREDENTIALS.bearer],
    ['ApiKey', INVALID],
  ],
  ['bad credentials of the other way', [{ key: [] }, { bearer: [] }], [CREDENTIALS.key], ['ApiKey', BEARER]],
  [
    'bad credentials of two schemes of the same kind',
    [{ bearer: [], oauth: [] }],
    [CREDENTIALS.bearer],
    [INVALID],
  ],
  ['malformed credentials', [{ bearer: [] }, { key: [] }], [MALFORMED], [INVALID, 'ApiKey']],
  ['credentials of another kind', [{ bearer: [] }], [CREDENTIALS.basic], [BEARER], 'noCredentials'],
];

it.each(
  CASES.map(([name, security, sent, challenges, kind]) => {
    const usual = sent.length === 0 ? 'noCredentials' : 'badCredentials';
    return [name, security, sent, { refused: kind ?? usual, challenge: challenges.join(', ') }] as const;
  }),
)('a 401 has a challenge for %s', async (_, security, sent, refusal) => {
  expect(await buildAuthentication(security, STRATEGIES)(...sent)).toMatchObject(refusal);
});

describe('the challenge of a strategy of another package', () => {
  const failing = (...ends: unknown[]) => {
    const authenticate = function (this: { fail: (...args: unknown[]) => void }) {
      this.fail(...ends);
    };
    return { ...STRATEGIES, bearer: Object.assign(new Strategy(), { authenticate }) };
  };
  it.each([
    [
      'is sent unchanged',
      'Bearer realm="museum", error="invalid_token"',
      'Bearer realm="museum", error="invalid_token"',
    ],
    ['gets the error (RFC 6750 section 3.1)', 'Bearer realm="x"', 'Bearer realm="x", error="invalid_token"'],
    ['of another kind is sent unchanged', 'Token realm="x"', 'Token realm="x"'],
    ['is created if it has none', undefined, 'Bearer realm="api", error="invalid_token"'],
    [
      'is created if a header cannot carry it',
      'Bearer realm="\n"',
      'Bearer realm="api", error="invalid_token"',
    ],
  ])('%s', async (_, given, challenge) => {
    const authenticate = buildAuthentication([{ bearer: [] }], failing(given));
    expect(await authenticate(CREDENTIALS.bearer)).toMatchObject({ challenge });
  });

  it('has its realm even if the strategy was not tried', async () => {
    const authenticate = buildAuthentication([{ key: [] }, { bearer: [] }], failing('Bearer realm="museum"'));
    expect(await authenticate(CREDENTIALS.key)).toMatchObject({ challenge: 'ApiKey, Bearer realm="museum"' });
  });

  it('is created if the strategy fails', async () => {
    const authenticate = () => {
      throw new Error('down');
    };
    const broken = { ...STRATEGIES, bearer: Object.assign(new Strategy(), { authenticate }) };
    expect(await buildAuthentication([{ bearer: [] }], broken)()).toMatchObject({
      refused: 'noCredentials',
      challenge: 'Bearer realm="api"',
    });
  });
});

it('a scheme without a strategy is a finding that names it, its operation and the option', () => {
  expect(() => buildAuthentication([{ oauth: [] }], { key: STRATEGIES.key })).toThrow(
    '#/components/securitySchemes/oauth: postThing requires the security scheme oauth: expected a strategy for it (the option strategies of createService), got key',
  );
});
