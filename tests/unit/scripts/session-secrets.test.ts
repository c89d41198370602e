import { OpenApiDocument } from '../../../src/contract';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sessionSecrets } from '../../../scripts/dev/secrets';
import { root, workOn } from '../../../scripts/paths';
import { openCredentials, readCredentials, Variables } from '../../../src/runtime';
import { buildDocument } from '../../support/service';

const ROOT = root;
const folder = mkdtempSync(join(tmpdir(), 'contract-first-'));
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

beforeAll(() => {
  for (const name of ['src', 'generated']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'src/auth.ts'), `export const verifiers = ${JSON.stringify(verifiers)};`);
  writeFileSync(join(folder, 'generated/openapi.json'), JSON.stringify(document));
  workOn(folder);
});
afterAll(() => {
  workOn(ROOT);
  rmSync(folder, { recursive: true });
});

test('a development session has one secret for each variable, which every server of the session accepts with all scopes', () => {
  const secrets = sessionSecrets();
  expect(secrets.map(({ variable }) => variable)).toEqual(['TOKENS', 'USERS', 'KEYS']);
  const environment = Object.fromEntries(secrets.map(({ variable, value }) => [variable, value]));
  const variables = new Variables(environment);
  expect(
    openCredentials(readCredentials(verifiers, variables), new OpenApiDocument(document)).generated.size,
  ).toBe(0);
  expect(variables.wrong).toEqual([]);
  expect(environment['TOKENS']).toMatch(/^[\w-]+:read$/);
  expect(environment['USERS']).toMatch(/^user:[\w-]+$/);
});
