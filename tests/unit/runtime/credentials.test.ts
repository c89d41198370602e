import { InvalidContract, OpenApiDocument } from '../../../src/contract';
import {
  apiKeys,
  basicUsers,
  bearerTokens,
  openCredentials,
  readCredentials,
  type Verifier,
  type Verifiers,
  variablesOf,
} from '../../../src/runtime/credentials';
import { Variables } from '../../../src/runtime/config';
import { buildDocument } from '../../support/service';

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
    ...['API_TOKENS', 'API_TOKENS_FILE', 'AUTH_JWKS_URL', 'AUTH_ISSUER', 'AUTH_AUDIENCE'],
    ...['API_KEYS', 'API_KEYS_FILE', 'BASIC_USERS', 'BASIC_USERS_FILE'],
  ]);
});
