import { execFile } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { exampleRequest, type JsonObject, messageOf } from 'contract-first-server';
import { OpenApiDocument } from 'contract-first-server/tools';
import { apiKeys, basicUsers, bearerTokens, type Verifier } from 'contract-first-server/runtime';
import { keepFolder } from '../../scripts/testing/folder';
import { startIssuer, jwt, CLAIMS } from '../../scripts/testing/issuer';
import { startProcess } from '../../scripts/testing/process';
import { withRefusals } from '../../scripts/testing/service';

// Every kind of security scheme in every place that it can have, in a real process.

const folder = keepFolder();

const scopes = { read: 'to read', write: 'to write' };
const flow = { tokenUrl: 'https://example.org/token', authorizationUrl: 'https://example.org/', scopes };
const tokens = bearerTokens({ secrets: 'API_TOKENS', issuer: 'AUTH' });
const keys = apiKeys({ secrets: 'API_KEYS' });

/** A Security Scheme Object, its verifier, the scopes that the operation demands, and a secret with them. */
type Scheme = readonly [object, Verifier, scopes: readonly string[], configured: string, secret: string];

const bearing = (scheme: object, demanded: readonly string[] = []): Scheme => {
  const held = demanded.length > 0 ? `:${demanded.join(' ')}` : '';
  return [scheme, tokens, demanded, `a-token~+/==${held}`, 'a-token~+/=='];
};
const keyed = (place: string, name: string, verifier = keys, prefix = ''): Scheme => [
  { type: 'apiKey', in: place, name },
  verifier,
  [],
  'a.key~+/==',
  `${prefix}a.key~+/==`,
];

/** By name. Each is the only scheme of an operation; the last ones have variables of their own. */
const SCHEMES: Readonly<Record<string, Scheme>> = {
  bearer: bearing({ type: 'http', scheme: 'bearer' }),
  upperCase: bearing({ type: 'http', scheme: 'Bearer', bearerFormat: 'JWT' }, ['a-role']),
  ...Object.fromEntries(
    ['clientCredentials', 'authorizationCode', 'password', 'implicit'].map((name): [string, Scheme] => [
      name,
      bearing({ type: 'oauth2', flows: { [name]: flow } }, ['read', 'write']),
    ]),
  ),
  openId: bearing({ type: 'openIdConnect', openIdConnectUrl: 'https://example.org/openid' }, ['read']),
  basic: [
    { type: 'http', scheme: 'basic' },
    basicUsers({ secrets: 'BASIC_USERS' }),
    [],
    'ann:pass keyword:ü',
    'ann:pass keyword:ü',
  ],
  header: keyed('header', 'X-API-Key'),
  query: keyed('query', 'api key&'),
  cookie: keyed('cookie', 'session'),
  prefixed: keyed('header', 'Authorization', apiKeys({ secrets: 'API_KEYS', prefix: 'Token' }), 'Token '),
  otherKey: keyed('header', 'X-Partner', apiKeys({ secrets: 'PARTNER_KEYS' })),
};
const NAMES = Object.keys(SCHEMES);

/** A document with an operation for each alternative of schemes. */
function documentOf(alternatives: readonly (readonly string[])[]): JsonObject {
  const operations = alternatives.map((names, i) => {
    const security = [Object.fromEntries(names.map((name) => [name, SCHEMES[name]?.[2]]))];
    const content = { 'application/json': { schema: { type: 'object' } } };
    const responses = { 200: { description: 'the principal', content } };
    return [`/${i}`, { get: { operationId: `operation${i}`, security, responses } }] as const;
  });
  const securitySchemes = Object.fromEntries(NAMES.map((name) => [name, SCHEMES[name]?.[0]]));
  return {
    openapi: '3.1.0',
    info: { title: 'Schemes', version: '1.0.0' },
    paths: Object.fromEntries(operations),
    components: { securitySchemes },
  };
}

let count = 0;
function spawnService(names: readonly string[], document: JsonObject, env: Readonly<Record<string, string>>) {
  const file = join(folder, `document-${count++}.json`);
  writeFileSync(file, JSON.stringify(withRefusals(document)));
  const verifiers = Object.fromEntries(names.map((name) => [name, SCHEMES[name]?.[1]]));
  const program = join(__dirname, '../../scripts/testing/any-service.mjs');
  return startProcess([program, file, JSON.stringify(verifiers)], { HOST: '127.0.0.1', PORT: '0', ...env });
}

const run = async (command: string): Promise<string> =>
  (await promisify(execFile)('bash', ['-c', `${command} -s`])).stdout;

const ALTERNATIVES = [...NAMES.map((name) => [name]), ['basic', 'header'], ['query', 'cookie', 'bearer']];

const SCHEME_CASES = ALTERNATIVES.map((names): [string, string[]] => [names.join(' and '), names]);
test.concurrent.each(SCHEME_CASES)(
  '%s: without configured secrets, the printed command works, and does not without its secret',
  async (_, names) => {
    const server = spawnService(names, documentOf([names]), {});
    const [, variables = ''] = await server.printed(/\n([\w ]+) (?:is|are) not set\. The server accepts gen/);
    expect(new Set(variables.split(' and '))).toEqual(
      new Set(names.map((name) => SCHEMES[name]?.[1].secrets)),
    );
    const [command] = await server.printed(/curl -i [^]*?(?='?\n\n)[^\n]*/);
    expect(await run(command)).toMatch(/^HTTP\/1.1 200 OK/);
    const wrong = command.replace(
      /([\w=-])('?)$/,
      (_match, last: string, quote: string) => `${last}x${quote}`,
    );
    expect(await run(wrong)).toMatch(/^HTTP\/1.1 401/);
    await server.stop();
  },
);

test('configured secrets of every scheme are accepted, others are not, and a file may change', async () => {
  const issuer = await startIssuer();
  const file = join(folder, 'keys');
  const document = documentOf(NAMES.map((name) => [name]));
  writeFileSync(file, 'a.key~+/==\n');
  const variables = Object.fromEntries(
    Object.values(SCHEMES).map(([, { secrets }, , configured]) => [secrets, configured]),
  );
  const bearer = new Set(
    Object.values(SCHEMES).flatMap(([, { kind }, , configured]) => (kind === 'bearer' ? [configured] : [])),
  );
  const narrow = 'a-narrow-token:read';
  const server = spawnService(NAMES, document, {
    ...variables,
    ...issuer.env,
    API_TOKENS: [...bearer]
      .map((text, i) => text.replace('a-token', `a-token${i}`))
      .join(',')
      .concat(`,${narrow}`),
    API_KEYS: '',
    API_KEYS_FILE: file,
    NODE_ENV: 'production',
  });
  const [url] = await server.printed(/http:\/\/[\d.]+:\d+/);
  const ask = async (name: string, secret?: string) => {
    const example = exampleRequest(new OpenApiDocument({ ...documentOf([[name]]), servers: [] }));
    if (!example) throw new Error('expected an example');
    const { headers, path } = messageOf(example, secret);
    const target = path.replace(/^\/0/, `/${NAMES.indexOf(name)}`);
    const response = await fetch(url + target, { headers });
    return { status: response.status, body: (await response.json()) as Record<string, { id: string }> };
  };
  for (const name of NAMES) {
    const scheme = SCHEMES[name];
    if (!scheme) throw new Error(`expected a scheme ${name}`);
    const [, { kind }, demanded, configured, secret] = scheme;
    const own = kind === 'bearer' ? `a-token${[...bearer].indexOf(configured)}~+/==` : secret;
    const accepted = await ask(name, own);
    expect([name, accepted.status]).toEqual([name, 200]);
    expect(Object.keys(accepted.body)).toEqual([name]);
    if (kind === 'basic') expect(accepted.body[name]?.id).toBe('ann');
    for (const wrong of [undefined, `${own}x`, own.replace('Token ', 'Bearer '), 'x', 'x:y', 'a-token']) {
      if (wrong === own) continue;
      expect([name, wrong, (await ask(name, wrong)).status]).toEqual([name, wrong, 401]);
    }
    if (kind !== 'bearer') continue;
    const scoped = jwt({ ...CLAIMS, scope: demanded.join(' ') });
    expect([name, (await ask(name, scoped)).status]).toEqual([name, 200]);
    const isNarrow = demanded.some((scope) => scope !== 'read');
    expect([name, (await ask(name, 'a-narrow-token')).status]).toEqual([name, isNarrow ? 403 : 200]);
  }
  writeFileSync(`${file}.new`, 'new-key\n');
  renameSync(`${file}.new`, file);
  await server.printed(/the API keys have been replaced/);
  for (const name of ['header', 'query', 'cookie']) {
    expect([await ask(name, 'a.key~+/=='), await ask(name, 'new-key')]).toMatchObject([
      { status: 401 },
      { status: 200 },
    ]);
  }
  expect(await server.stop()).toBe(0);
  issuer.close();
});

test('in production one alternative needs its secrets, and nobody is accepted by the others', async () => {
  const document = documentOf([['basic'], ['bearer']]);
  const [first, second] = Object.values(document['paths'] as Record<string, { get: { security: object[] } }>);
  first?.get.security.push(...(second?.get.security ?? []));
  const server = spawnService(['basic', 'bearer'], document, {
    NODE_ENV: 'production',
    API_TOKENS: 'a-token',
  });
  const [url] = await server.printed(/http:\/\/[\d.]+:\d+/);
  const ask = async (authorization: string) =>
    (await fetch(`${url}/0`, { headers: { Authorization: authorization } })).status;
  expect([await ask('Bearer a-token'), await ask(`Basic ${btoa('user:')}`)]).toEqual([200, 401]);
  expect(server.output()).toContain(
    'BASIC_USERS or BASIC_USERS_FILE: no users are configured, so the security scheme basic accepts nobody',
  );
  expect(await server.stop()).toBe(0);
});

test('in production all secrets that are missing are named', async () => {
  const server = spawnService(NAMES, documentOf([NAMES]), { NODE_ENV: 'production' });
  expect(await server.exit).toBe(1);
  expect(server.output().trim().split('\n')).toEqual([
    'API_TOKENS or API_TOKENS_FILE is missing: expected tokens, or AUTH_AUDIENCE for those of the issuer, because NODE_ENV is production',
    'BASIC_USERS or BASIC_USERS_FILE is missing: expected users, because NODE_ENV is production',
    'API_KEYS or API_KEYS_FILE is missing: expected API keys, because NODE_ENV is production',
    'PARTNER_KEYS or PARTNER_KEYS_FILE is missing: expected API keys, because NODE_ENV is production',
  ]);
});
