import { compileContract } from '../../../src/contract/compile';
import { InvalidContract, OpenApiDocument } from '../../../src/contract/document/document';
import { scopesOf } from '../../../src/contract/security/requirements';
import { strategiesFor } from '../../../src/contract/security/strategies';
import { buildAuthentication, CREDENTIALS, SCHEMES } from '../../support/authentication';
import { buildDocument } from '../../../../../scripts/testing/service';

type Name = keyof typeof SCHEMES;
const NAMES = Object.keys(SCHEMES) as Name[];

const document = new OpenApiDocument(buildDocument({ components: { securitySchemes: SCHEMES } }));

/** Strategies with this verdict: a principal, or false. */
const strategiesOf = (principal: object | false) => strategiesFor(document, () => principal);

const CHALLENGES: Readonly<Record<Name, string>> = {
  bearer: 'Bearer realm="api", ',
  oauth: 'Bearer realm="api", ',
  openId: 'Bearer realm="api", ',
  key: 'ApiKey ',
  basic: 'Basic realm="api", charset="UTF-8", ',
};

describe.each(NAMES)('a scope that an operation demands of the scheme %s', (name) => {
  const authenticate = (scopes: readonly string[], principal: object) =>
    buildAuthentication([{ [name]: scopes }], strategiesOf(principal))(CREDENTIALS[name]);
  const forbidden = (scopes: string) => ({
    refused: 'forbidden',
    challenge: `${CHALLENGES[name]}error="insufficient_scope", scope="${scopes}"`,
  });

  it.each<[string, string[], object]>([
    ['nothing', [], {}],
    ['nothing of a principal with scopes', [], { scopes: ['read'] }],
    ['what it holds', ['read'], { scopes: ['read'] }],
    ['some of what it holds', ['read'], { scopes: ['admin', 'read'] }],
    ['all that it holds', ['read', 'write'], { scopes: ['write', 'read'] }],
  ])('is held: %s', async (_, scopes, principal) => {
    expect(await authenticate(scopes, principal)).toEqual({ principals: { [name]: principal } });
  });

  it.each<[string, string[], object]>([
    ['the principal has no scopes', ['read'], {}],
    ['its scopes are undefined', ['read'], { scopes: undefined }],
    ['it holds none', ['read'], { scopes: [] }],
    ['it holds others', ['read'], { scopes: ['write'] }],
    ['it holds one of two', ['read', 'write'], { scopes: ['read'] }],
    ['it holds a longer one', ['read'], { scopes: ['reader', 'READ', ' read'] }],
    ['it holds the text of all in one', ['read', 'write'], { scopes: ['read write'] }],
    ['it holds something that only prints so', ['read'], { scopes: [{ toString: () => 'read' }] }],
  ])('is not held: %s', async (_, scopes, principal) => {
    expect(await authenticate(scopes, principal)).toMatchObject(forbidden(scopes.join(' ')));
  });

  it.each<[string, unknown]>([
    ['a string', 'read write'],
    ['null', null],
    ['a set', new Set(['read'])],
    ['an object', { read: true, includes: () => true }],
    ['true', true],
  ])('is an error if the scopes of the principal are %s', async (_, scopes) => {
    expect(await authenticate(['read'], { scopes })).toEqual({ error: expect.any(TypeError) as unknown });
  });

  it('is an error if they cannot be read', async () => {
    const principal = Object.defineProperty({}, 'scopes', {
      get() {
        throw new Error('the directory is down');
      },
    });
    expect(await authenticate(['read'], principal)).toEqual({ error: new Error('the directory is down') });
  });
});

describe('alternatives', () => {
  const principal = { scopes: ['read'] };
  const authenticate = (security: object[], strategies = strategiesOf(principal)) =>
    buildAuthentication(security, strategies)(CREDENTIALS.oauth, CREDENTIALS.key);

  it('one that demands less may succeed after one that demands more, but not as nobody', async () => {
    expect(await authenticate([{ oauth: ['admin'] }, { oauth: ['read'] }])).toEqual({
      principals: { oauth: principal },
    });
    expect(await authenticate([{ oauth: ['admin'] }, { key: [] }])).toEqual({
      principals: { key: principal },
    });
    expect(await authenticate([{ oauth: ['admin'] }, {}])).toMatchObject({ refused: 'forbidden' });
  });

  it.each([
    ['before', [{ basic: [] }, { oauth: ['admin'] }]],
    ['after', [{ oauth: ['admin'] }, { basic: [] }]],
  ])('forbidden takes precedence over missing credentials, %s', async (_, security) => {
    expect(await authenticate(security)).toMatchObject({
      refused: 'forbidden',
      challenge: 'Bearer realm="api", error="insufficient_scope", scope="admin"',
      message: 'the credentials do not allow this operation, which requires admin',
    });
  });

  it('a challenge names the scopes of each alternative', async () => {
    expect(await authenticate([{ oauth: ['admin'] }, { oauth: ['write'] }])).toMatchObject({
      challenge:
        'Bearer realm="api", error="insufficient_scope", scope="admin", Bearer realm="api", error="insufficient_scope", scope="write"',
    });
  });

  it('the principals of all schemes of an alternative must hold their scopes', async () => {
    expect(await authenticate([{ oauth: ['read'], key: ['admin'] }])).toMatchObject({
      refused: 'forbidden',
      challenge: 'ApiKey error="insufficient_scope", scope="admin"',
    });
  });

  it('bad credentials stay bad if scopes are demanded', async () => {
    expect(await authenticate([{ oauth: ['read'] }], strategiesOf(false))).toMatchObject({
      refused: 'badCredentials',
    });
  });
});

it('a challenge leaves out roles that a header cannot carry', async () => {
  const authenticate = buildAuthentication([{ key: ['Owner of "Ω"'] }], strategiesOf({ scopes: [] }));
  expect(await authenticate(CREDENTIALS.key)).toMatchObject({
    challenge: 'ApiKey error="insufficient_scope"',
  });
});

describe('at start', () => {
  function findingsOf(security: object[]) {
    const document = buildDocument({ operation: { security }, components: { securitySchemes: SCHEMES } });
    try {
      compileContract(document, strategiesOf({}));
      return [];
    } catch (error) {
      if (error instanceof InvalidContract) return error.findings;
      throw error;
    }
  }

  it.each([
    ['of any flow', [{ oauth: ['read', 'admin'] }]],
    ['of openIdConnect, which declares none', [{ openId: ['profile'] }]],
    ['roles of other schemes', [{ bearer: ['the boss'], key: ['owner'] }, { basic: ['owner'] }]],
  ])('accepts scopes: %s', (_, security) => {
    expect(findingsOf(security)).toEqual([]);
  });

  it.each([
    ['reed', 'no flow of oauth declares the scope reed; declared are: read, write, admin'],
    ['constructor', 'no flow of oauth declares the scope constructor; declared are: read, write, admin'],
    ['', '"" is not a scope (RFC 6749 section 3.3)'],
    ['read write', '"read write" is not a scope (RFC 6749 section 3.3)'],
  ])('a scope %j that no flow declares is a finding', (scope, message) => {
    expect(findingsOf([{ oauth: ['read', scope] }])).toMatchObject([
      { pointer: '/paths/~1things/post/security/0/oauth', message },
    ]);
  });
});

test.each<[title: string, security: [string, string[]][][], principals: object, scopes: object]>([
  ['of an anonymous request', [[]], {}, {}],
  [
    'of one scheme',
    [[['a', ['read']]]],
    { a: { scopes: ['read', 'write'] } },
    { a: [['read'], ['read', 'write']] },
  ],
  ['that are neither demanded nor held', [[['a', []]]], { a: {} }, { a: [[], []] }],
  [
    'of each of several schemes',
    [
      [
        ['a', ['read']],
        ['b', []],
      ],
    ],
    { a: { scopes: ['read'] }, b: {} },
    { a: [['read'], ['read']], b: [[], []] },
  ],
  [
    'of the alternative that the principals satisfy',
    [
      [['a', ['admin']]],
      [
        ['a', ['read']],
        ['b', []],
      ],
      [['a', ['read']]],
    ],
    { a: { scopes: ['read'] } },
    { a: [['read'], ['read']] },
  ],
])('the scopes %s are the demanded and the held ones', (_, security, principals, want) => {
  const alternatives = security.map((schemes) => schemes.map(([scheme, scopes]) => ({ scheme, scopes })));
  const found = Object.entries(scopesOf(alternatives, { ...principals }));
  expect(Object.fromEntries(found.map(([name, { demanded, held }]) => [name, [demanded, held]]))).toEqual(
    want,
  );
});
