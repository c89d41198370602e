import { InvalidContract } from 'contract-first-server';
import { OpenApiDocument } from 'contract-first-server/tools';
import {
  apiKeys,
  basicUsers,
  bearerTokens,
  openCredentials,
  readCredentials,
  type Verifier,
  type Verifiers,
  variablesOf,
} from '../../src/runtime/credentials/credentials';
import { InvalidConfig, Variables } from '../../src/runtime/config';
import { buildDocument } from '../../../../scripts/testing/service';

const VERIFIERS = {
  bearerTokens: bearerTokens({ secrets: 'API_TOKENS', issuer: 'AUTH' }),
  apiKeys: apiKeys({ secrets: 'API_KEYS' }),
  basicUsers: basicUsers({ secrets: 'BASIC_USERS' }),
};
const SCHEMES: Readonly<Record<keyof typeof VERIFIERS, readonly object[]>> = {
  bearerTokens: [
    { type: 'http', scheme: 'BEARER' },
    { type: 'oauth2', flows: {} },
    { type: 'openIdConnect', openIdConnectUrl: 'https://x.example' },
  ],
  apiKeys: ['header', 'query', 'cookie'].map((place) => ({ type: 'apiKey', in: place, name: 'k' })),
  basicUsers: [{ type: 'http', scheme: 'basic' }],
};

function open(verifiers: Verifiers, scheme: object) {
  const operation = { security: [{ it: [] }] };
  const document = buildDocument({ operation, components: { securitySchemes: { it: scheme } } });
  const config = readCredentials(verifiers, new Variables({}));
  return openCredentials(config, new OpenApiDocument(document), { realm: 'a shed' } as never);
}

const PAIRS = Object.entries(SCHEMES).flatMap(([expected, schemes]) =>
  schemes.flatMap((scheme) =>
    Object.entries(VERIFIERS).map(([given, verifier]): [string, string, object, Verifier] => [
      given,
      expected,
      scheme,
      verifier,
    ]),
  ),
);

test.each(PAIRS)('%s for a scheme that needs %s', (given, expected, scheme, verifier) => {
  if (given === expected) {
    expect(Object.keys(open({ it: verifier }, scheme).strategies)).toEqual(['it']);
    return;
  }
  const message = `src/auth.ts verifies this security scheme with ${given}: expected ${expected}`;
  expect(() => open({ it: verifier }, scheme)).toThrow(
    new InvalidContract([{ pointer: '/components/securitySchemes/it', message }]),
  );
});

test('a strategy of the service is used as it is', () => {
  const own = { authenticate: () => undefined };
  expect(open({ it: own }, { type: 'http', scheme: 'digest' }).strategies['it']).toBe(own);
});

test('a function makes its strategy of the dependencies of the service', () => {
  const over = ({ realm }: { readonly realm: string }) => ({ authenticate: () => undefined, realm });
  expect(open({ it: over }, { type: 'http', scheme: 'digest' }).strategies['it']).toMatchObject({
    realm: 'a shed',
  });
});

test('schemes may share a variable, and then share its secrets', () => {
  const { generated } = open({ it: VERIFIERS.apiKeys, other: VERIFIERS.apiKeys }, SCHEMES.apiKeys[0] ?? {});
  expect(generated.get('it')).toEqual(generated.get('other'));
});

test('the variables of verifiers', () => {
  expect(variablesOf({ ...VERIFIERS, other: VERIFIERS.apiKeys })).toEqual([
    ...['API_TOKENS', 'API_TOKENS_FILE'],
    ...['AUTH_DISCOVERY_URL', 'AUTH_JWKS_URL', 'AUTH_ISSUER', 'AUTH_AUDIENCE'],
    ...['API_KEYS', 'API_KEYS_FILE', 'BASIC_USERS', 'BASIC_USERS_FILE'],
  ]);
});

describe('in production each operation needs an alternative whose schemes are all configured', () => {
  const NAMES = ['bearer', 'basic', 'key'] as const;
  const OWN = {
    bearer: bearerTokens({ secrets: 'API_TOKENS', issuer: 'AUTH' }),
    basic: basicUsers({ secrets: 'API_USERS' }),
    key: apiKeys({ secrets: 'API_KEYS' }),
  };
  const SECRETS = { API_TOKENS: 'a', API_USERS: 'a:b', API_KEYS: 'a' };
  const securitySchemes = {
    bearer: { type: 'http', scheme: 'bearer' },
    basic: { type: 'http', scheme: 'basic' },
    key: { type: 'apiKey', in: 'header', name: 'k' },
  };
  type Alternative = readonly (typeof NAMES)[number][];
  const SUBSETS: readonly Alternative[] = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) =>
    NAMES.filter((_, i) => (bits & (1 << i)) > 0),
  );
  const NONE: readonly Alternative[] = [];
  // No request satisfies both: it has one Authorization field.
  const POSSIBLE = SUBSETS.filter((names) => !(names.includes('bearer') && names.includes('basic')));
  const LISTS = [NONE, ...POSSIBLE.flatMap((a) => [[a], ...POSSIBLE.map((b) => [a, b])])];

  /** What stops the start: undefined if nothing does. */
  function start(
    operations: readonly (readonly Alternative[])[],
    environment: NodeJS.ProcessEnv,
    of: Verifiers = OWN,
  ) {
    const paths = Object.fromEntries(
      operations.map((alternatives, i) => {
        const security = alternatives.map((names) => Object.fromEntries(names.map((name) => [name, []])));
        return [`/${i}`, { get: { operationId: `get${i}`, security, responses: {} } }];
      }),
    );
    const document = new OpenApiDocument(buildDocument({ paths, components: { securitySchemes } }));
    const config = readCredentials(of, new Variables({ NODE_ENV: 'production', ...environment }));
    const warnings: string[] = [];
    try {
      const { generated } = openCredentials(config, document, {} as never, (warning) =>
        warnings.push(warning),
      );
      expect(generated.size).toBe(0);
    } catch (error) {
      if (!(error instanceof InvalidConfig)) throw error;
      return { wrong: error.message.split('\n'), warnings };
    }
    return { wrong: [], warnings };
  }
  const secretsOf = (names: Alternative) =>
    Object.fromEntries(
      names.map((name) => [OWN[name].secrets, SECRETS[OWN[name].secrets as keyof typeof SECRETS]]),
    );

  it.each(SUBSETS.map((configured) => ({ configured })))('with secrets for $configured', ({ configured }) => {
    const isMet = (list: readonly Alternative[]) =>
      list.length === 0 || list.some((names) => names.every((name) => configured.includes(name)));
    for (const list of LISTS) {
      const { wrong, warnings } = start([list, [[]]], secretsOf(configured));
      expect({ list, isMet: wrong.length === 0 }).toEqual({ list, isMet: isMet(list) });
      // Nobody is accepted by a scheme without secrets, and the log says so.
      if (isMet(list)) expect(warnings).toHaveLength(NAMES.length - configured.length);
    }
  });

  it('names what is missing', () => {
    const expected = (names: string, what: string) =>
      `${names} is missing: expected ${what}, because NODE_ENV is production`;
    const [tokens, users, keys] = ['API_TOKENS', 'API_USERS', 'API_KEYS'].map(
      (name) => `${name} or ${name}_FILE`,
    );
    expect(start([[['bearer', 'key']], [['bearer']]], {}).wrong).toEqual([
      expected(`${tokens}`, 'tokens'),
      expected(`${keys}`, 'API keys'),
    ]);
    const either = expected(`${tokens}; or ${users} and ${keys}`, 'tokens; or users and API keys, for get0');
    expect(start([[['bearer'], ['basic', 'key']]], {}).wrong).toEqual([either]);
    // What another operation needs meets this one.
    expect(start([[['bearer'], ['basic', 'key']], [['bearer']]], {}).wrong).toEqual([
      expected(`${tokens}`, 'tokens'),
    ]);
    const { wrong, warnings } = start([[['bearer'], ['basic']]], secretsOf(['basic']));
    expect([wrong, warnings]).toEqual([
      [],
      [
        `${tokens}: no tokens are configured, so the security scheme bearer accepts nobody`,
        `${keys}: no API keys are configured, so the security scheme key accepts nobody`,
      ],
    ]);
  });

  it('an issuer configures a scheme, and a strategy of the service is configured', () => {
    const issuer = { AUTH_JWKS_URL: 'https://a.example/k', AUTH_ISSUER: 'a', AUTH_AUDIENCE: 'b' };
    expect(start([[['bearer']]], issuer).wrong).toEqual([]);
    expect(start([[['bearer']]], {}, { ...OWN, bearer: { authenticate: () => undefined } }).wrong).toEqual(
      [],
    );
  });
});

describe('the issuer of a scheme of the type openIdConnect', () => {
  const url = (host: string) => `https://${host}.example/.well-known/openid-configuration`;
  const bearer = bearerTokens({ secrets: 'API_TOKENS', issuer: 'AUTH' });

  /** The logins of a document with these URLs, or what stops the start. Nothing listens at these hosts. */
  function logins(
    urls: Readonly<Record<string, string>>,
    environment: NodeJS.ProcessEnv,
    of: Verifiers = {},
  ) {
    const names = Object.keys(urls);
    const security = names.map((name) => ({ [name]: [] }));
    const schemes = Object.entries(urls).map(([name, openIdConnectUrl]) => [
      name,
      { type: 'openIdConnect', openIdConnectUrl },
    ]);
    const components = { securitySchemes: Object.fromEntries(schemes) as object };
    const document = new OpenApiDocument(buildDocument({ operation: { security }, components }));
    const verifiers = { ...Object.fromEntries(names.map((name) => [name, bearer])), ...of };
    const config = readCredentials(verifiers, new Variables(environment));
    try {
      const opened = openCredentials(config, document, {} as never);
      return [...opened.logins].map(([name, { discoveryUrl, audience }]) => [name, discoveryUrl, audience]);
    } catch (error) {
      if (error instanceof InvalidConfig) return error.message;
      throw error;
    }
  }

  it('is that of the document, or of the environment', () => {
    const environment = { AUTH_AUDIENCE: 'me' };
    expect(logins({ one: url('a') }, {})).toEqual([]);
    expect(logins({ one: url('a') }, environment)).toEqual([['one', url('a'), 'me']]);
    expect(logins({ one: url('a') }, { ...environment, AUTH_DISCOVERY_URL: url('b') })).toEqual([
      ['one', url('b'), 'me'],
    ]);
    const fixed = { AUTH_JWKS_URL: 'https://c.example', AUTH_ISSUER: 'c' };
    expect(logins({ one: url('a') }, { ...environment, ...fixed })).toEqual([]);
  });

  it('can be another one for each scheme', () => {
    const of = { two: bearerTokens({ secrets: 'TWO_TOKENS', issuer: 'TWO' }) };
    const urls = { one: url('a'), two: url('b') };
    expect(logins(urls, { AUTH_AUDIENCE: 'me', TWO_AUDIENCE: 'us' }, of)).toEqual([
      ['one', url('a'), 'me'],
      ['two', url('b'), 'us'],
    ]);
    expect(logins(urls, { AUTH_AUDIENCE: 'me' })).toBe(
      'AUTH_AUDIENCE is set, but the document names several issuers by openIdConnectUrl: set AUTH_DISCOVERY_URL, or AUTH_JWKS_URL and AUTH_ISSUER',
    );
  });

  it('must have a URL from which it can be discovered', () => {
    expect(logins({ one: 'https://a.example/login' }, { AUTH_AUDIENCE: 'me' })).toBe(
      '/components/securitySchemes/one/openIdConnectUrl: expected a URL that ends in /.well-known/openid-configuration, got "https://a.example/login"; AUTH_DISCOVERY_URL overrides it',
    );
    expect(logins({ one: 'http://a.example' }, {})).toEqual([]);
  });

  it('is named where secrets are missing in production', () => {
    expect(logins({ one: url('a') }, { NODE_ENV: 'production' })).toBe(
      'API_TOKENS or API_TOKENS_FILE is missing: expected tokens, or AUTH_AUDIENCE for those of the issuer, because NODE_ENV is production',
    );
    expect(logins({ one: url('a') }, { NODE_ENV: 'production', AUTH_AUDIENCE: 'me' })).toHaveLength(1);
  });
});

describe('an empty password', () => {
  const read = (users: string, ...verifiers: readonly Verifier[]) => {
    const variables = new Variables({ API_USERS: users });
    const { sources } = readCredentials(Object.fromEntries(verifiers.map((one, i) => [i, one])), variables);
    return {
      wrong: variables.wrong,
      users: sources.get('API_USERS')?.secrets?.map(({ client }) => client.id),
    };
  };
  const strict = basicUsers({ secrets: 'API_USERS' });
  const empty = basicUsers({ secrets: 'API_USERS', emptyPasswords: true });
  const refused = (form: string) => ({
    wrong: [`API_USERS: expected ${form} at position 1`],
    users: undefined,
  });

  it('is refused, unless each verifier of its variable says otherwise', () => {
    const form = 'users like name:password (without a password only if src/auth.ts has emptyPasswords: true)';
    expect(read('sk_x:', strict)).toEqual(refused(form));
    expect(read('sk_x:', empty, strict)).toEqual(refused(form));
    expect(read('sk_x:, ann:b', empty)).toEqual({ wrong: [], users: ['sk_x', 'ann'] });
    for (const wrong of [':', ':a', 'sk_x', 'sk_x:\u0007'])
      expect(read(wrong, empty)).toEqual(refused('users like name:password or name:'));
  });
});
