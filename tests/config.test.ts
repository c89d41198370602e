import { constants } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifiers } from '../src/auth';
import { readConfig } from '../src/config';
import { InvalidConfig } from 'contract-first-server/runtime';
import { variablesOf } from 'contract-first-server/tools';

const EXAMPLE = readFileSync(join(__dirname, '../.env.example'), 'utf8');
const SOURCE = ['src/config.ts', 'packages/server/src/runtime/config.ts']
  .map((file) => readFileSync(join(__dirname, '..', file), 'utf8'))
  .join('');
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

test('.env.example lists every variable with its default', () => {
  const read = [...SOURCE.matchAll(/'([A-Z]+(?:_[A-Z]+)*)'/g)].flatMap(([, name = '']) =>
    name in documented || name.includes('_') || /^(HOST|PORT)$/.test(name) ? name : [],
  );
  expect(new Set([...read, ...variablesOf(verifiers)])).toEqual(new Set(Object.keys(documented)));
  expect(readConfig(documented)).toEqual(readConfig({}));
});

test.each(['.env.example', 'packages/command/layout/.env.example'])(
  '%s has the bounds of each number',
  (file) => {
    const example = readFileSync(join(__dirname, '..', file), 'utf8');
    const blocks = example.split(/\n\n/).map((block) => block.replaceAll('\n# ', ' '));
    const missing = Object.keys(documented).filter((name) => {
      const [, bounds] = /an integer (from \d+ to \d+)/.exec(wrongIn({ [name]: '-1' }).join()) ?? [];
      const block = blocks.find((text) => text.includes(`\n${name}=`)) ?? '';
      return bounds !== undefined && !block.toLowerCase().includes(bounds);
    });
    expect(missing).toEqual([]);
  },
);

test('an empty or blank variable counts as unset', () => {
  expect(readConfig({ PORT: '', HOST: ' ', API_TOKENS: '', CORS_ORIGINS: ' ' })).toEqual(readConfig({}));
});

test('values are converted to their types', () => {
  const config = readConfig({
    CORS_ORIGINS: 'https://a.example.com, http://localhost:5173',
    MAX_REQUESTS: '7',
    HOST: '0.0.0.0',
    OPS_PORT: '3001',
    REQUEST_DEADLINE: '500',
    UPLOAD_TIMEOUT: '600',
    RATE_LIMIT: '100/60s',
    RATE_LIMIT_STORE: 'rediss://user:secret@[::1]:7000/15',
  });
  expect(config).toMatchObject({
    corsOrigins: ['https://a.example.com', 'http://localhost:5173'],
    maxRequests: 7,
    ops: { host: '0.0.0.0', port: 3001 },
    deadline: 500,
    uploadTimeout: 600,
    rateLimit: { requests: 100, seconds: 60 },
    rateLimitStore: { url: 'rediss://user:secret@[::1]:7000/15', whenAway: 'refuse' },
  });
  expect(readConfig({}).rateLimit).toBeUndefined();
  expect(readConfig({}).ops).toBeUndefined();
  expect(readConfig({ OPS_PORT: '0', OPS_HOST: '::1' }).ops).toEqual({ host: '::1', port: 0 });
});

const JWT = {
  AUTH_JWKS_URL: 'https://issuer.example.com/keys',
  AUTH_ISSUER: 'https://issuer.example.com',
  AUTH_AUDIENCE: 'this-service',
};
const DISCOVERY = {
  AUTH_DISCOVERY_URL: 'https://issuer.example.com/.well-known/openid-configuration',
  AUTH_AUDIENCE: 'this-service',
};

test.each<[NodeJS.ProcessEnv, string[]]>([
  [{ MAX_REQUESTS: '0' }, ['MAX_REQUESTS: expected an integer from 1 to 1000000, got "0"']],
  [{ PORT: '1e3' }, ['PORT: expected an integer from 0 to 65535, got "1e3"']],
  ...['0/60s', '100/0s', '100/86401s', '100', '100/60', '-1/60s', '1e3/60s', '100/60s/1'].map(
    (text): [NodeJS.ProcessEnv, string[]] => [
      { RATE_LIMIT: text },
      [`RATE_LIMIT: expected requests and seconds like 100/60s, at most 86400 seconds, got "${text}"`],
    ],
  ),
  ...[
    'redis://',
    'redis:127.0.0.1',
    'redis://host/one',
    'redis://host?db=1',
    'redis://:%zz@host',
    'valkey://host',
    'sqlite:data/counts.db',
    'memory:',
    'host:6379',
    'postgres://',
  ].map((url): [NodeJS.ProcessEnv, string[]] => [
    { RATE_LIMIT: '1/1s', RATE_LIMIT_STORE: url },
    [
      `RATE_LIMIT_STORE: expected redis://HOST:PORT, rediss://HOST:PORT (each with /NUMBER of its database, if any) or postgres://HOST/DATABASE, got ${url.split(':')[0] ?? ''}:...`,
    ],
  ]),
  [
    { RATE_LIMIT: '1/1s', RATE_LIMIT_STORE: 'postgres://host/counts?target_session_attrs=write' },
    [
      'RATE_LIMIT_STORE: the parameter target_session_attrs of the URL: expected read-write, primary, any: the server writes',
    ],
  ],
  [{ RATE_LIMIT_STORE: 'redis://host' }, ['RATE_LIMIT_STORE needs RATE_LIMIT, such as 100/60s']],
  [{ RATE_LIMIT_WHEN_AWAY: 'pass' }, ['RATE_LIMIT_WHEN_AWAY: expected refuse or allow, got "pass"']],
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
    ['AUTH_AUDIENCE is missing: AUTH_JWKS_URL, AUTH_ISSUER, AUTH_AUDIENCE belong together'],
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
      ['AUTH_JWKS_URL: expected a URL without credentials, got one with credentials'],
    ],
  ),
  [{ ...JWT, AUTH_JWKS_URL: 'http://127.0.0.1:8080/keys' }, []],
  [DISCOVERY, []],
  [{ ...DISCOVERY, AUTH_AUDIENCE: '' }, ['AUTH_AUDIENCE is missing: AUTH_DISCOVERY_URL needs it']],
  [
    { ...DISCOVERY, ...JWT },
    ['AUTH_DISCOVERY_URL cannot be combined with AUTH_JWKS_URL and AUTH_ISSUER: unset it, or the other two'],
  ],
  [
    { ...DISCOVERY, AUTH_DISCOVERY_URL: 'https://issuer.example.com' },
    [
      'AUTH_DISCOVERY_URL: expected a URL that ends in /.well-known/openid-configuration, got "https://issuer.example.com"',
    ],
  ],
])('%j: %j', (environment, sentences) => {
  expect(wrongIn(environment)).toEqual(sentences);
});

test('BODY_LIMIT is at most the maximum length of a string, because a body is read into one', () => {
  const most = constants.MAX_STRING_LENGTH;
  expect(wrongIn({ BODY_LIMIT: String(most) })).toEqual([]);
  expect(wrongIn({ BODY_LIMIT: String(most + 1) })).toEqual([
    `BODY_LIMIT: expected an integer from 1 to ${most}, got "${most + 1}"`,
  ]);
});

test.each([
  ['mysql://root:hunter2@db', 'redis:hunter2@db'],
  ['hunter2@db:1', 'hunter2@db/0'],
])('messages contain neither tokens nor passwords: %s', (database, store) => {
  const messages = wrongIn({
    API_TOKENS: 'hunter2, hunter 2',
    DATABASE_URL: database,
    RATE_LIMIT_STORE: store,
  });
  expect(messages).toHaveLength(4);
  expect(messages.join()).not.toContain('hunter');
});

const POSTGRES = 'postgres://shop@a,b/shop';
test.each([
  ['a file', POSTGRES, []],
  ['a file beside parameters', `${POSTGRES}?sslmode=require`, []],
  [
    'a password beside the file',
    'postgres://shop:hunter2@a/shop',
    ['DATABASE_URL: expected no password beside'],
  ],
  [
    'a database without passwords',
    'sqlite:data/plants.db',
    ['DATABASE_PASSWORD_FILE is set, but DATABASE_URL takes no password'],
  ],
  ['an unknown parameter', `${POSTGRES}?sslmod=require`, ['DATABASE_URL: the parameter sslmod of the URL']],
])('DATABASE_PASSWORD_FILE: %s', (_, url, wrong) => {
  const environment = { DATABASE_URL: url, DATABASE_PASSWORD_FILE: '/run/secrets/pass word&' };
  const messages = wrongIn(environment);
  expect(messages).toEqual(wrong.map((text) => expect.stringContaining(text) as string));
  expect(messages.join()).not.toContain('hunter');
  if (wrong.length === 0)
    expect(new URL(readConfig(environment).databaseUrl).searchParams.get('password_file')).toBe(
      '/run/secrets/pass word&',
    );
});
