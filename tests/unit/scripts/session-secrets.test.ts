import { OpenApiDocument } from '../../../src/contract';
import { sessionSecrets } from '../../../scripts/dev/secrets';
import { root, workOn } from '../../../scripts/paths';
import { openSecrets, readCredentials, Variables } from '../../../src/runtime';
import { useFolder } from '../../support/folder';
import { buildDocument } from '../../support/service';

const ROOT = root;
const folder = useFolder();
const verifiers = {
  tokens: { kind: 'bearer', secrets: 'TOKENS' },
  sameTokens: { kind: 'bearer', secrets: 'TOKENS' },
  users: { kind: 'basic', secrets: 'USERS' },
  keys: { kind: 'apiKey', secrets: 'KEYS' },
} as const;
const bearer = { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/', scopes: { read: '' } } } };
const document = buildDocument({
  operation: { security: [{ tokens: ['read'], users: [], keys: [] }, { sameTokens: ['read'] }] },
  components: {
    securitySchemes: {
      tokens: bearer,
      sameTokens: bearer,
      users: { type: 'http', scheme: 'basic' },
      keys: { type: 'apiKey', in: 'header', name: 'X-Key' },
    },
  },
});

beforeEach(() => {
  folder.write({
    'src/auth.ts': `export const verifiers = ${JSON.stringify(verifiers)};`,
    'generated/openapi.json': JSON.stringify(document),
  });
  workOn(folder.path(''));
});
afterEach(() => {
  workOn(ROOT);
});

test('a development session has one secret for each variable, which every server of the session accepts with all scopes', () => {
  const secrets = sessionSecrets();
  expect(secrets.map(({ variable }) => variable)).toEqual(['TOKENS', 'USERS', 'KEYS']);
  const environment = Object.fromEntries(secrets.map(({ variable, value }) => [variable, value]));
  const variables = new Variables(environment);
  expect(
    openSecrets(readCredentials(verifiers, variables), new OpenApiDocument(document)).generated.size,
  ).toBe(0);
  expect(variables.wrong).toEqual([]);
  expect(environment['TOKENS']).toMatch(/^[\w-]+:read$/);
  expect(environment['USERS']).toMatch(/^user:[\w-]+$/);
});
