import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { credentials, errorOf, MISMATCH, send, SUCCESS } from '../../scripts/testing/client';
import {
  BAD_KEYS,
  CLAIMS,
  forged,
  HEADER,
  JWKS,
  jwt,
  MIXED_JWKS,
  selfSigned,
  signed,
  startIssuer,
} from '../../scripts/testing/issuer';
import { ownFolder } from '../../scripts/testing/folder';
import { badTokens } from '../../scripts/testing/hostile-tokens';
import { failProgram, type Program, startProgram } from '../../scripts/testing/program';
import { TOKEN } from '../../scripts/testing/plant-service';

type Issuer = Awaited<ReturnType<typeof startIssuer>>;
const issuers: Issuer[] = [];
async function openIssuer(): Promise<Issuer> {
  const opened = await startIssuer();
  issuers.push(opened);
  return opened;
}
let issuer: Issuer;
beforeEach(async () => {
  issuer = await openIssuer();
});
afterAll(() => {
  for (const { close } of issuers) close();
});

/** Milliseconds between two fetches because of unknown keys: that of packages/server/src/runtime/credentials/jwks.ts. */
const COOLDOWN = 5000;

/** 400 if the token is accepted, because the server then reads the invalid body. */
const statusOf = async (server: Program, token: string) =>
  (await send(server, credentials(token), MISMATCH)).status;
const now = Math.floor(Date.now() / 1000);

const GOOD: readonly [string, string][] = [
  ['with the required claims', jwt()],
  ...['JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt', 'Application/JWT'].map(
    (typ): [string, string] => [`of the type ${typ}`, jwt(CLAIMS, { ...HEADER, typ })],
  ),
  ['for several services', jwt({ ...CLAIMS, aud: ['another', 'this-service'] })],
  ['with all claims of RFC 7519', jwt({ ...CLAIMS, nbf: now - 1, iat: now - 1, jti: 'x' })],
  ['with scopes', jwt({ ...CLAIMS, scope: 'read write' })],
  ['with no scopes', jwt({ ...CLAIMS, scope: '', scp: [] })],
  ['with scopes in scp', jwt({ ...CLAIMS, scp: ['read'] })],
  ['with scopes in scp as text', jwt({ ...CLAIMS, scp: 'read write' })],
  ['with other claims', jwt({ ...CLAIMS, name: null, groups: [{}] })],
];

const BAD: readonly [string, string][] = [
  ...badTokens({ claims: CLAIMS, header: HEADER, signed }, 'HS256'),
  ['of another key', forged],
  ['of the key in its own header', selfSigned],
  ['with an unknown kid', jwt(CLAIMS, { ...HEADER, kid: 'two' })],
];

test('accepts valid tokens and refuses invalid ones', async () => {
  const began = performance.now();
  const server = await startProgram({ ...issuer.env, API_TOKENS: TOKEN });
  const outcomes: [string, number, number | undefined][] = [];
  for (const [what, token] of [...GOOD, ...BAD]) {
    const response = await send(server, credentials(token), MISMATCH);
    outcomes.push([what, response.status, await errorOf(response)]);
  }
  expect(outcomes).toEqual([
    ...GOOD.map(([what]) => [what, 400, 40001]),
    ...BAD.map(([what]) => [what, 401, 40101]),
  ]);
  expect(await statusOf(server, TOKEN)).toBe(400);
  expect(issuer.asked).toBeGreaterThan(0);
  expect(issuer.asked).toBeLessThanOrEqual(1 + Math.floor((performance.now() - began) / COOLDOWN));
  expect(await server.stop()).toBe(0);
});

test('a key that can verify no token is refused and reported once, and the others work', async () => {
  issuer.answer = (response) => response.end(MIXED_JWKS);
  const server = await startProgram({ ...issuer.env, API_TOKENS: TOKEN });
  const outcomes: [string, number][] = [];
  for (const kid of [...Object.keys(BAD_KEYS), ...Object.keys(BAD_KEYS)])
    for (const alg of ['RS256', 'PS256', 'ES256', 'EdDSA'])
      outcomes.push([kid, await statusOf(server, jwt(CLAIMS, { alg, kid }))]);
  expect(outcomes.filter(([, status]) => status !== 401)).toEqual([]);
  expect(await statusOf(server, jwt())).toBe(400);
  expect(await server.stop()).toBe(0);
  const lines = server
    .output()
    .split('\n')
    .filter((line) => line.includes(' of the issuer is not used: it '));
  expect(lines).toHaveLength(Object.keys(BAD_KEYS).length + 3);
  for (const kid of Object.keys(BAD_KEYS))
    expect(
      lines.filter((line) => line.includes(JSON.stringify(JSON.stringify(kid)).slice(1, -1))),
    ).toHaveLength(1);
});

test('no token is generated if an issuer is configured', async () => {
  const server = await startProgram({ ...issuer.env, NODE_ENV: 'production' });
  expect(server.output()).not.toContain('curl');
  expect((await send(server, credentials(jwt()))).status).toBe(SUCCESS);
  expect(await server.stop()).toBe(0);
});

/** Each way in which the keys can be unavailable. */
const FAILURES: readonly [string, (response: ServerResponse) => unknown][] = [
  ['the issuer fails', (response) => response.writeHead(500).end(JWKS)],
  ['the issuer redirects', (response) => response.writeHead(302, { Location: '/elsewhere' }).end()],
  ['the issuer closes the connection', (response) => response.destroy()],
  ['the issuer does not respond', () => undefined],
  ['the response does not end', (response) => response.writeHead(200).write(JWKS)],
  ['the response is not JSON', (response) => response.end('<html>')],
  ['the response is not a key set', (response) => response.end('{"keys":{}}')],
  ['the response is too large', (response) => response.end(`{"x":"${'x'.repeat(300_000)}",${JWKS.slice(1)}`)],
  [
    'the response is endless',
    (response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    },
  ],
];

// Concurrently, each with its own issuer: the cases only wait.
test.concurrent.each(FAILURES)(
  'while %s, JWTs are 503 and tokens are accepted; afterwards JWTs are accepted again',
  async (_, answer) => {
    const issuer = await openIssuer();
    const { answer: sound } = issuer;
    issuer.answer = answer;
    const server = await startProgram({ ...issuer.env, API_TOKENS: TOKEN });
    const begin = performance.now();
    const response = await send(server, credentials(jwt()));
    expect([response.status, response.headers.get('retry-after'), await errorOf(response)]).toEqual([
      503,
      '1',
      50300,
    ]);
    expect(performance.now() - begin).toBeLessThan(4500);
    expect(await statusOf(server, TOKEN)).toBe(400);
    issuer.answer = sound;
    expect((await send(server, credentials(jwt()))).status).toBe(SUCCESS);
    expect(await server.stop()).toBe(0);
  },
);

/** Sends forty JWTs with an unknown key, and a token when 36 are answered. */
async function sendUnknown(server: Program, issuer: Issuer) {
  const unknown = jwt(CLAIMS, { ...HEADER, kid: 'two' });
  const askedBefore = issuer.asked;
  let answered = 0;
  let token: { readonly status: number; readonly held: number } | undefined;
  const sent = Array.from({ length: 40 }, async () => {
    const status = await statusOf(server, unknown);
    answered++;
    if (answered === 36) token = { status: await statusOf(server, TOKEN), held: 40 - answered };
    return status;
  });
  const statuses = await Promise.all(sent);
  return { statuses: new Set(statuses), token, fetches: issuer.asked - askedBefore };
}

describe('an issuer that is named by the URL of its configuration', () => {
  const tokenOf = (iss: string) => jwt({ ...CLAIMS, iss });

  test.each([1, 2])('%i processes find its name and its keys before they listen', async (workers) => {
    const server = await startProgram({
      ...issuer.discovery,
      WORKERS: String(workers),
      DATABASE_URL: `sqlite:${join(ownFolder(), 'plants.db')}`,
      NODE_ENV: 'production',
    });
    expect([issuer.discovered, issuer.asked]).toEqual([workers, workers]);
    for (let i = 0; i < 4; i++) {
      expect(await statusOf(server, tokenOf(issuer.url))).toBe(400);
      for (const other of [`${issuer.url}/`, CLAIMS.iss])
        expect(await statusOf(server, tokenOf(other))).toBe(401);
    }
    expect([issuer.discovered, issuer.asked]).toEqual([workers, workers]);
    expect(await server.stop()).toBe(0);
  });

  test('its tokens are 503 while it is away, and accepted afterwards', async () => {
    const { configuration } = issuer;
    issuer.configuration = [];
    const server = await startProgram({ ...issuer.discovery, API_TOKENS: TOKEN });
    expect(server.output()).toContain(
      'requests with JWTs get 503 until the keys of their issuer can be fetched: ',
    );
    expect(await statusOf(server, tokenOf(issuer.url))).toBe(503);
    expect(await statusOf(server, TOKEN)).toBe(400);
    issuer.configuration = configuration;
    expect(await statusOf(server, tokenOf(issuer.url))).toBe(400);
    expect(await server.stop()).toBe(0);
  });

  test('a server does not start with another issuer', async () => {
    issuer.configuration = { ...issuer.configuration, issuer: CLAIMS.iss };
    const url = issuer.discovery['AUTH_DISCOVERY_URL'] ?? '';
    expect(await failProgram(issuer.discovery)).toEqual({
      status: 1,
      output: `${url}: expected the issuer "${issuer.url}", got "${CLAIMS.iss}"; only its own name and keys can be discovered\n`,
    });
    expect(issuer.asked).toBe(0);
  });

  test('a server does not start if neither the environment nor the document names it', async () => {
    expect(await failProgram({ AUTH_AUDIENCE: CLAIMS.aud })).toEqual({
      status: 1,
      output:
        'AUTH_AUDIENCE is set, but the document names no issuer by openIdConnectUrl: set AUTH_DISCOVERY_URL, or AUTH_JWKS_URL and AUTH_ISSUER\n',
    });
  });
});

test('JWTs hold few requests while the issuer does not respond', async () => {
  issuer.answer = () => undefined;
  const server = await startProgram({ ...issuer.env, API_TOKENS: TOKEN, MAX_REQUESTS: '8' });
  expect(issuer.asked).toBe(1);
  let outcome = await sendUnknown(server, issuer);
  // On a busy machine the server may stop waiting for its issuer before the others are answered.
  for (let more = 3; more > 0 && outcome.token?.held !== 4; more--)
    outcome = await sendUnknown(server, issuer);
  expect(outcome).toEqual({ statuses: new Set([503]), token: { status: 400, held: 4 }, fetches: 1 });
  expect(await server.stop()).toBe(0);
});
