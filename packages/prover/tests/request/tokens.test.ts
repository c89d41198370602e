import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Json } from '../../src/json/tree';
import { run } from '../../src/run';
import { urlTarget } from '../../src/url-target';
import { redact, renewing, secretsOf } from '../../src/wire/secrets';
import { documentOfPaths } from '../support/document';
import { type Route, routed, serve } from '../support/simple-server';

const folder = mkdtempSync(join(tmpdir(), 'tokens-'));
const closes: (() => Promise<void>)[] = [];
afterEach(() => Promise.all(closes.splice(0).map((close) => close())));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const DOCUMENT = documentOfPaths(
  {
    '/me': {
      get: {
        operationId: 'me',
        security: [{ login: [] }],
        responses: { 204: { description: 'welcome' }, 401: { description: 'go away' } },
      },
    },
  },
  { components: { securitySchemes: { login: { type: 'oauth2', flows: {} } } } },
);

const CLIENT = { clientId: 'the tests', clientSecret: 'pass:word"\\+', scope: 'read', audience: 'me' };
const BASIC = `Basic ${btoa('the%20tests:pass%3Aword%22%5C%2B')}`;
/** Milliseconds that a token is valid. */
const LIFETIME = 1300;

/** An issuer of tokens that soon expire, and a service that accepts them, which `broken` answers with 500. */
async function start(form: (n: number) => string = (n) => `token/${n}+x`) {
  const issuer = {
    issued: new Map<string, number>(),
    asked: [] as unknown[],
    expired: 0,
    refusal: '',
    broken: false,
    url: '',
  };
  const token: Route = (_, body, { headers }) => {
    issuer.asked.push({
      authorization: headers.authorization,
      ...Object.fromEntries(new URLSearchParams(body)),
    });
    if (issuer.refusal !== '') return { status: 400, body: JSON.stringify({ error: issuer.refusal }) };
    const given = form(issuer.issued.size);
    issuer.issued.set(given, performance.now() + LIFETIME);
    return { status: 200, body: JSON.stringify({ access_token: given, expires_in: LIFETIME / 1000 }) };
  };
  const me: Route = (_, __, { headers: { authorization = '' } }) => {
    const until = issuer.issued.get(/^bearer (\S+)$/i.exec(authorization)?.[1] ?? '') ?? -1;
    if (until >= performance.now()) return { status: issuer.broken ? 500 : 204 };
    if (until >= 0) issuer.expired++;
    return { status: 401, headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } };
  };
  const server = await serve(routed({ 'POST /token': token, 'GET /me': me }))();
  closes.push(() => server.close());
  issuer.url = `http://127.0.0.1:${server.port}`;
  return issuer;
}
type Issuer = Awaited<ReturnType<typeof start>>;

const clientOf = ({ url }: Issuer) => ({ clientCredentials: { tokenUrl: `${url}/token`, ...CLIENT } });

/** Runs for some seconds, with these credentials in a file. */
function contract({ url }: Issuer, login: Json, requestsPerSecond = 20) {
  const credentials = { login };
  writeFileSync(join(folder, 'credentials.json'), JSON.stringify(credentials));
  const options = {
    url,
    document: DOCUMENT,
    credentials,
    credentialsFile: 'credentials.json',
    requestsPerSecond,
  };
  return run(urlTarget(options), { generated: 5 });
}

test('a client gets tokens by its credentials, and others before they expire', async () => {
  const issuer = await start();
  const { failures, summary, requests } = await contract(issuer, clientOf(issuer), 10);
  expect([failures, summary.passed]).toEqual([[], true]);
  expect(requests).toBeGreaterThan(20);
  expect(issuer.asked.length).toBeGreaterThan(1);
  expect(issuer.asked.length).toBeLessThan(10);
  expect(issuer.expired).toBe(0);
  const { scope, audience } = CLIENT;
  const asked = { authorization: BASIC, grant_type: 'client_credentials', scope, audience };
  expect(issuer.asked).toEqual(issuer.asked.map(() => asked));
});

test('a command prints tokens, which say when they expire', async () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const issuer = await start((n) => `e30.${part({ n, exp: (Date.now() + LIFETIME) / 1000 })}.x`);
  const script = `fetch("${issuer.url}/token",{method:"POST"}).then((r)=>r.json()).then((t)=>console.log(t.access_token))`;
  const { failures, summary } = await contract(issuer, { command: `node -e '${script}'` }, 10);
  expect([failures, summary.passed]).toEqual([[], true]);
  expect(issuer.asked.length).toBeGreaterThan(1);
  expect(issuer.expired).toBe(0);
});

test('a report has no token and no secret, and its curl lines get a token', async () => {
  const issuer = await start();
  issuer.broken = true;
  const result = await contract(issuer, clientOf(issuer));
  const report = JSON.stringify(result.failures);
  for (const secret of [...issuer.issued.keys(), CLIENT.clientSecret]) expect(report).not.toContain(secret);
  const line = result.failures[0]?.curl ?? '';
  await sleep(LIFETIME);
  issuer.broken = false;
  const { stdout } = await promisify(execFile)('bash', ['-c', line], { cwd: folder });
  expect(stdout).toMatch(/^HTTP\/1.1 204 /);
  expect(issuer.asked.at(-1)).toEqual(issuer.asked[0]);
});

test('a renewed token is a secret too, in each form', async () => {
  const tokens = [{ scheme: 'login', first: 'token/0+x', current: () => Promise.resolve('token/1+x') }];
  const secrets = secretsOf({ login: { command: 'print token/1' } }, 'c.json', tokens);
  const headers: [string, string][] = [['Authorization', 'Bearer token/0+x']];
  const renewed = await renewing(tokens, secrets)({ method: 'GET', target: '/?t=token%2F0%2Bx', headers });
  expect(renewed).toMatchObject({
    target: '/?t=token%2F1%2Bx',
    headers: [['Authorization', 'Bearer token/1+x']],
  });
  expect(redact('token/0+x token/1+x token%2F1%2Bx', secrets)).toBe('<login> <login> <login>');
});

test.each<[string, (issuer: Issuer) => Json, string]>([
  [
    'a command fails',
    () => ({ command: 'echo hunter2; exit 3' }),
    'credentials of login: the command failed',
  ],
  [
    'a command prints more',
    () => ({ command: 'echo a b' }),
    'credentials of login: expected a token and nothing else',
  ],
  [
    'an issuer refuses',
    clientOf,
    'credentials of login: expected a token at tokenUrl, got status 400 invalid_client',
  ],
])('a run does not start if %s', async (_, login, message) => {
  const issuer = await start();
  issuer.refusal = 'invalid_client';
  await expect(contract(issuer, login(issuer))).rejects.toThrow(new Error(message));
});

test('a run ends if there is no other token', async () => {
  const issuer = await start();
  setTimeout(() => (issuer.refusal = 'access_denied'), 500);
  const { stopped } = await contract(issuer, clientOf(issuer), 5);
  expect(stopped).toBe('credentials of login: expected a token at tokenUrl, got status 400 access_denied');
  expect(issuer.expired).toBe(0);
});

test.each<Json>([
  { command: '' },
  { command: 'a', valid: 'b', invalid: 'c' },
  { command: 'a', clientCredentials: { tokenUrl: 'https://a.example', clientId: 'a', clientSecret: 'b' } },
  { clientCredentials: {} },
  { clientCredentials: { tokenUrl: 'a', clientId: 'a', clientSecret: 'b' } },
  { clientCredentials: { tokenUrl: 'https://a.example', clientId: 'a', clientSecret: 'b', scope: ['c'] } },
])('the credentials %j are a mistake', (login) => {
  const options = { url: 'http://127.0.0.1:1', document: DOCUMENT, credentials: { login } };
  expect(() => urlTarget(options)).toThrow('or {"command": "..."} or {"clientCredentials": {"tokenUrl": ');
});
