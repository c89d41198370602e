import { createServer, type ServerResponse } from 'node:http';
import { openServer } from 'contract-first-prover/service';
import { InvalidConfig } from '../../src/runtime/config';
import { discover, discoveryFault, urlFault } from '../../src/runtime/credentials/discovery';
import { jwtVerifier } from '../../src/runtime/credentials/jwt';
import { CLAIMS, CONFIGURATION, HEADER, JWKS, jwt, startIssuer } from '../../../../scripts/testing/issuer';

const closes: (() => unknown)[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  for (const close of closes.splice(0)) await close();
});

/** What is discovered from an issuer that answers so, at a path before that of its configuration. */
async function discovered(
  answer: (url: string, response: ServerResponse) => unknown,
  { path = '', query = '', timeout = 5000 } = {},
) {
  const server = createServer(({ url }, response) => {
    if (url === `${path}${CONFIGURATION}${query}`) answer(`${base}${path}`, response);
    else response.end(JSON.stringify({ issuer: `${base}${path}`, jwks_uri: `${base}/elsewhere` }));
  });
  const { port, close } = await openServer(server);
  closes.push(close);
  const base = `http://127.0.0.1:${port}`;
  const found = await discover(`${base}${path}${CONFIGURATION}${query}`, AbortSignal.timeout(timeout));
  return JSON.parse(JSON.stringify(found).replaceAll(base, 'BASE')) as unknown;
}
const configured =
  (of: (url: string) => object) =>
  (url: string, response: ServerResponse): unknown =>
    response.end(JSON.stringify({ issuer: url, jwks_uri: `${url}/keys`, ...of(url) }));

test.each<[string, (url: string) => object, object, string?, string?]>([
  ['a name', () => ({}), { issuer: 'BASE' }],
  ['a name with a slash at its end', (url) => ({ issuer: `${url}/` }), { issuer: 'BASE/' }],
  ['a name with a path', () => ({}), { issuer: 'BASE/tenant/v2.0' }, '/tenant/v2.0'],
  ['a query', () => ({}), { issuer: 'BASE' }, '', '?appid=1'],
  [
    'an endpoint for tokens',
    () => ({ token_endpoint: 'https://a.example/token' }),
    { issuer: 'BASE', tokenUrl: 'https://a.example/token' },
  ],
  ['no safe endpoint for tokens', () => ({ token_endpoint: 'http://a.example/token' }), { issuer: 'BASE' }],
  [
    'keys elsewhere',
    () => ({ jwks_uri: 'https://keys.example/1' }),
    { issuer: 'BASE', jwksUrl: 'https://keys.example/1' },
  ],
])('an issuer with %s', async (_, of, expected, path = '', query = '') => {
  const jwksUrl = `BASE${path}/keys`;
  expect(await discovered(configured(of), { path, query })).toEqual({ jwksUrl, ...expected });
});

test.each<[string, (url: string) => object, string]>([
  ['another name', () => ({ issuer: 'https://a.example' }), 'expected the issuer "http://127.0.0.1:'],
  ['a longer name', (url) => ({ issuer: `${url}/tenant` }), 'expected the issuer "http://127.0.0.1:'],
  ['two slashes at its end', (url) => ({ issuer: `${url}//` }), 'expected the issuer "http://127.0.0.1:'],
  ['another case', (url) => ({ issuer: url.toUpperCase() }), 'expected the issuer "http://127.0.0.1:'],
  ['no name', () => ({ issuer: undefined }), 'got none; '],
  [
    'keys without TLS',
    () => ({ jwks_uri: 'http://a.example' }),
    'expected the jwks_uri to be an https:// URL',
  ],
  ['keys by credentials', () => ({ jwks_uri: 'https://a:hunter2@a.example' }), 'got one with credentials'],
  ['no keys', () => ({ jwks_uri: undefined }), 'expected the jwks_uri to be a text, got none'],
])('an issuer with %s is rejected for good', async (_, of, message) => {
  const error: unknown = await discovered(configured(of)).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InvalidConfig);
  expect((error as Error).message).toContain(message);
  expect((error as Error).message).not.toContain('hunter2');
});

test('an issuer with TLS has keys with TLS, also on this machine', async () => {
  const issuer = 'https://a.example';
  const answer = (jwks: string) => {
    jest.spyOn(globalThis, 'fetch').mockResolvedValue(Response.json({ issuer, jwks_uri: jwks }));
    return discover(`${issuer}${CONFIGURATION}`, AbortSignal.timeout(5000));
  };
  await expect(answer('http://localhost/keys')).rejects.toThrow(
    new InvalidConfig(
      `${issuer}${CONFIGURATION}: expected the jwks_uri to be an https:// URL, got "http://localhost/keys"`,
    ),
  );
  expect((await answer('https://localhost/keys')).issuer).toBe(issuer);
});

test.each<[string, (url: string, response: ServerResponse) => unknown]>([
  ['an error', (_, response) => response.writeHead(500).end('{}')],
  ['a redirection', (url, response) => response.writeHead(302, { Location: `${url}/other` }).end()],
  ['no JSON', (_, response) => response.end('<html>')],
  ['a list', (_, response) => response.end('[]')],
  ['too much', (_, response) => response.end(`{"x":"${'x'.repeat(300_000)}"}`)],
  ['nothing in time', () => undefined],
])('an issuer that answers %s may come back', async (_, answer) => {
  const error: unknown = await discovered(answer, { timeout: 500 }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(InvalidConfig);
});

test('an issuer that has moved its keys is discovered again', async () => {
  const issuer = await startIssuer();
  closes.push(issuer.close);
  const source = { discoveryUrl: `${issuer.url}${CONFIGURATION}` };
  const verify = await jwtVerifier({ audience: CLAIMS.aud, source }, () => undefined);
  const claims = { ...CLAIMS, iss: issuer.url };
  expect(await verify(jwt(claims))).toMatchObject({ id: 'alice' });
  expect(issuer.discovered).toBe(1);
  const moved = await startIssuer();
  closes.push(moved.close);
  moved.answer = (response) => response.end(JWKS.replace('"one"', '"two"'));
  issuer.configuration = { issuer: issuer.url, jwks_uri: `${moved.url}/keys` };
  const now = performance.now();
  jest.spyOn(performance, 'now').mockReturnValue(now + 6000);
  expect(await verify(jwt(claims, { ...HEADER, kid: 'two' }))).toMatchObject({ id: 'alice' });
  expect([issuer.discovered, issuer.asked, moved.asked]).toEqual([2, 1, 1]);
});

test.each([
  ['https://a.example/keys', undefined],
  ['http://localhost:1/keys', undefined],
  ['http://[::1]/keys', undefined],
  ['http://a.example', 'an https:// URL (http:// on this machine only)'],
  ['http://127.0.0.1.a.example', 'an https:// URL (http:// on this machine only)'],
  ['ftp://localhost', 'an https:// URL (http:// on this machine only)'],
  ['a', 'an https:// URL (http:// on this machine only)'],
  ['https://a@a.example', 'a URL without credentials'],
])('the URL %s', (url, expected) => {
  expect(urlFault(url)?.[0]).toBe(expected);
});

test.each([
  [`https://a.example${CONFIGURATION}`, undefined],
  [`https://a.example/b/c${CONFIGURATION}?d=e`, undefined],
  [`http://a.example${CONFIGURATION}`, 'an https:// URL (http:// on this machine only)'],
  [`https://a.example${CONFIGURATION}/`, 'a URL that ends in /.well-known/openid-configuration'],
  [`https://a.example/?b=${CONFIGURATION}`, 'a URL that ends in /.well-known/openid-configuration'],
  ['https://a.example', 'a URL that ends in /.well-known/openid-configuration'],
])('the URL of a configuration: %s', (url, expected) => {
  expect(discoveryFault(url)?.[0]).toBe(expected);
});
