import path from 'node:path';
import { OpenApiDocument, openSecrets } from 'contract-first-server/tools';
import { createDevSecrets } from '../../src/dev/dev-secrets';
import { root, workOn } from '../../src/paths';
import { readCredentials, readSenders, readSignedTokens, Variables } from 'contract-first-server/runtime';
import { useFolder } from '../../../../scripts/testing/folder';
import { buildDocument } from '../../../../scripts/testing/service';

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
  operation: { security: [{ tokens: ['read'], keys: [] }, { users: [] }, { sameTokens: ['read'] }] },
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
    'src/config.ts': `import { readEnvironment, readSenders, readSignedTokens } from '${path.join(ROOT, 'packages/server/src/runtime')}';
      export const readConfig = (environment = process.env) => readEnvironment(environment, (variables) => ({
        port: 1, none: null, tokens: readSignedTokens(variables, 'LOGIN'), others: readSignedTokens(variables, 'OTHER'), sent: readSenders(variables, 'HOOK') }));`,
    'generated/openapi.json': JSON.stringify(document),
  });
  workOn(folder.path(''));
});
afterEach(() => {
  workOn(ROOT);
});

test('a development session has one secret for each variable, which every server of the session accepts with all scopes', () => {
  process.env['OTHER_SECRETS'] = 'configured';
  const { environment, signing, invite } = createDevSecrets();
  delete process.env['OTHER_SECRETS'];
  expect(Object.keys(environment)).toEqual(['TOKENS', 'USERS', 'KEYS', 'LOGIN_SECRETS', 'HOOK_SECRETS']);
  expect(signing).toEqual(['LOGIN_SECRETS', 'HOOK_SECRETS']);
  expect(invite('http://127.0.0.1:3000')).toMatch(
    /^TOKENS and USERS and KEYS are not set.* Try:\n\n {2}curl -i (.*\n)*.*X-Key: /m,
  );
  const variables = new Variables(environment);
  expect(
    openSecrets(readCredentials(verifiers, variables), new OpenApiDocument(document)).generated.size,
  ).toBe(0);
  expect(variables.wrong).toEqual([]);
  expect(environment['LOGIN_SECRETS']).toMatch(/^whsec_.{44}$/);
  readSignedTokens(variables, 'LOGIN');
  readSenders(variables, 'HOOK');
  expect(variables.wrong).toEqual([]);
  expect(environment['TOKENS']).toMatch(/^[\w-]+:read$/);
  expect(environment['USERS']).toMatch(/^user:[\w-]+$/);
});
