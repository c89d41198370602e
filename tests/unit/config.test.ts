import { constants } from 'node:buffer';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidConfig, readConfig, watchTokensFile } from '../../src/config';

const EXAMPLE = readFileSync(join(__dirname, '../../.env.example'), 'utf8');
const SOURCE = readFileSync(join(__dirname, '../../src/config.ts'), 'utf8');
const documented = Object.fromEntries(
  [...EXAMPLE.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
);

function wrongIn(environment: NodeJS.ProcessEnv): string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof InvalidConfig) return error.message.split('\n');
    throw error;
  }
}

test('.env.example has every variable that is read, and with its default', () => {
  const read = [...SOURCE.matchAll(/'([A-Z]+(?:_[A-Z]+)*)'/g)].flatMap(([, name = '']) =>
    name in documented || name.includes('_') || /^(HOST|PORT)$/.test(name) ? name : [],
  );
  expect(new Set(read)).toEqual(new Set(Object.keys(documented)));
  expect(readConfig(documented)).toEqual(readConfig({}));
});

test('a variable that is empty or blank is as one that is not there', () => {
  expect(readConfig({ PORT: '', HOST: ' ', API_TOKENS: '', CORS_ORIGINS: ' ' })).toEqual(readConfig({}));
});

test('values are taken as they are meant', () => {
  const config = readConfig({
    API_TOKENS: ' one , two,',
    CORS_ORIGINS: 'https://a.example.com, http://localhost:5173',
    AUTH_JWKS_URL: 'https://issuer.example.com/keys',
    AUTH_ISSUER: 'https://issuer.example.com',
    AUTH_AUDIENCE: 'this-service',
    MAX_REQUESTS: '7',
    HOST: '0.0.0.0',
    OPS_PORT: '3001',
    REQUEST_DEADLINE: '500',
  });
  expect(config).toMatchObject({
    tokens: ['one', 'two'],
    corsOrigins: ['https://a.example.com', 'http://localhost:5173'],
    jwt: { issuer: 'https://issuer.example.com', audience: 'this-service' },
    maxRequests: 7,
    ops: { host: '0.0.0.0', port: 3001 },
    deadline: 500,
  });
  expect(readConfig({}).ops).toBeUndefined();
  expect(readConfig({ OPS_PORT: '0', OPS_HOST: '::1' }).ops).toEqual({ host: '::1', port: 0 });
});

const JWT = {
  AUTH_JWKS_URL: 'https://issuer.example.com/keys',
  AUTH_ISSUER: 'https://issuer.example.com',
  AUTH_AUDIENCE: 'this-service',
};

test.each<[NodeJS.ProcessEnv, string[]]>([
  [{ MAX_REQUESTS: '0' }, ['MAX_REQUESTS: expected an integer from 1 to 1000000, got "0"']],
  [{ KEEP_ALIVE_TIMEOUT: '5s' }, ['KEEP_ALIVE_TIMEOUT: expected an integer from 1 to 3600000, got "5s"']],
  [
    { HEADERS_TIMEOUT: '20000', REQUEST_TIMEOUT: '10000' },
    ['HEADERS_TIMEOUT: expected no more than REQUEST_TIMEOUT, got 20000'],
  ],
  [
    { CORS_ORIGINS: 'https://a.example.com/' },
    ['CORS_ORIGINS: expected origins like https://app.example.com, got "https://a.example.com/"'],
  ],
  [{ CORS_ORIGINS: '*' }, ['CORS_ORIGINS: expected origins like https://app.example.com, got "*"']],
  [
    { ...JWT, AUTH_AUDIENCE: '' },
    [
      'AUTH_AUDIENCE: expected a value, since AUTH_JWKS_URL, AUTH_ISSUER, AUTH_AUDIENCE belong together, got none',
    ],
  ],
  [
    { ...JWT, AUTH_JWKS_URL: 'http://issuer.example.com/keys' },
    [
      'AUTH_JWKS_URL: expected an https:// URL (http:// on this machine only), got "http://issuer.example.com/keys"',
    ],
  ],
  [
    { ...JWT, AUTH_JWKS_URL: 'issuer' },
    ['AUTH_JWKS_URL: expected an https:// URL (http:// on this machine only), got "issuer"'],
  ],
  ...['http://localhost:x@issuer.example.com/keys', 'https://user:hunter2@issuer.example.com/keys'].map(
    (url): [NodeJS.ProcessEnv, string[]] => [
      { ...JWT, AUTH_JWKS_URL: url },
      ['AUTH_JWKS_URL: expected a URL without user and password, got one with them'],
    ],
  ),
  [
    { NODE_ENV: 'production ' },
    ['API_TOKENS or API_TOKENS_FILE: expected tokens, since NODE_ENV is production, got none'],
  ],
  [{ ...JWT, NODE_ENV: 'production' }, []],
  [{ ...JWT, AUTH_JWKS_URL: 'http://127.0.0.1:8080/keys' }, []],
])('%j: %j', (environment, sentences) => {
  expect(wrongIn(environment)).toEqual(sentences);
});

test('BODY_LIMIT is no more than what one string can hold, as every text of a body must be one', () => {
  const most = constants.MAX_STRING_LENGTH;
  expect(wrongIn({ BODY_LIMIT: String(most) })).toEqual([]);
  expect(wrongIn({ BODY_LIMIT: String(most + 1) })).toEqual([
    `BODY_LIMIT: expected an integer from 1 to ${most}, got "${most + 1}"`,
  ]);
});

test('neither tokens nor passwords are shown', () => {
  const said = wrongIn({ API_TOKENS: 'hunter2, hunter 2', DATABASE_URL: 'mysql://root:hunter2@db' });
  expect(said).toHaveLength(2);
  expect(said.join()).not.toContain('hunter');
});

test('a file of tokens that has changed between its reading and its watching is read again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'contract-first-'));
  const file = join(folder, 'tokens');
  writeFileSync(file, 'new\n');
  const change = await new Promise((resolve) => {
    watchTokensFile(file, ['old'], resolve);
  });
  expect(change).toEqual(['new']);
  rmSync(folder, { recursive: true });
});
