import type { ServerResponse } from 'node:http';
import { credentials, errorOf, MISMATCH, send, SUCCESS } from '../support/client';
import {
  BAD_KEYS,
  CLAIMS,
  forged,
  HEADER,
  JWKS,
  jwt,
  MIXED_JWKS,
  part,
  selfSigned,
  signed,
  startIssuer,
  unsigned,
} from '../support/issuer';
import { type Program, startProgram } from '../support/program';
import { TOKEN } from '../support/service';

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

/** 400 if the token is accepted, because the server then reads the invalid body. */
const statusOf = async (server: Program, token: string) =>
  (await send(server, credentials(token), MISMATCH)).status;
const without = (claim: string) =>
  Object.fromEntries(Object.entries(CLAIMS).filter(([name]) => name !== claim));
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

/** Values that are invalid for most claims and header parameters. */
const WRONG = [null, 0, {}, [], true, [null], [''], ['x', 1]];
const CLAIM_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  iss: [...WRONG, '', 'https://evil.example.com', [CLAIMS.iss]],
  sub: [...WRONG, '', ['alice']],
  aud: [...WRONG, '', 'another', ['another'], [CLAIMS.aud, 0], { [CLAIMS.aud]: true }],
  exp: [null, {}, [], true, '', String(now + 600), 0, now - 60, -1],
  nbf: [null, {}, [], true, '', 'x', now + 60],
  iat: [null, {}, [], true, '', 'x'],
  jti: [...WRONG, ''],
  scope: [null, 0, {}, [], true, ['read'], [null]],
  scp: [null, 0, {}, true, [null], ['read', 1]],
};
const HEADER_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  alg: [...WRONG, '', 'none', 'None', 'HS256', 'HS512', 'ES512', 'RS256', 'A128KW', 'dir', 'es256'],
  kid: [...WRONG, '', 'two'],
  typ: [
    ...WRONG,
    '',
    'logout+jwt',
    'dpop+jwt',
    'secevent+jwt',
    'id+jwt',
    'at+jwt2',
    'x/at+jwt',
    'application/',
    'JOSE',
  ],
  cty: [...WRONG, ''],
  crit: [...WRONG, '', ['exp'], ['b64'], ['x']],
  b64: [false, 'x', null],
  jku: [...WRONG, ''],
  jwk: [null, 0, [], true, ''],
  x5u: [...WRONG, ''],
  x5c: [...WRONG, ''],
  x5t: [...WRONG, ''],
  'x5t#S256': [...WRONG, ''],
};

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Other texts that lenient readers decode to the same bytes (RFC 4648 sections 3.1 to 3.5). */
const otherwise = (text: string): string[] =>
  [
    ...Array.from(ALPHABET, (last) => text.slice(0, -1) + last).filter(
      (other) => other !== text && Buffer.from(other, 'base64url').equals(Buffer.from(text, 'base64url')),
    ),
    ...['=', '==', '%3D'].map((end) => text + end),
    ...[' ', '\t', '=', '!'].map((inside) => `${text.slice(0, 4)}${inside}${text.slice(4)}`),
    text.replace(/-/g, '+').replace(/_/g, '/'),
  ].filter((other) => other !== text);

/** A text of base64url with unused bits at its end. */
function withUnusedBits(value: object): string {
  for (let more = ''; ; more += 'x') {
    const text = part({ ...value, more });
    if (text.length % 4 !== 0) return text;
  }
}
const claims = JSON.stringify(CLAIMS);
const header = JSON.stringify(HEADER);
const [head = '', body = '', signature = ''] = jwt().split('.');
/** Tokens that another program could read differently, with a right signature. */
const AMBIGUOUS: readonly [string, string][] = [
  ...otherwise(signature).map((text): [string, string] => [
    `with the signature ${text}`,
    `${head}.${body}.${text}`,
  ]),
  ...otherwise(withUnusedBits(CLAIMS)).map((text): [string, string] => [
    `with the claims ${text}`,
    signed(head, text),
  ]),
  ...otherwise(withUnusedBits(HEADER)).map((text): [string, string] => [
    `with the header ${text}`,
    signed(text, body),
  ]),
  ['with a byte order mark before its claims', signed(head, part(`\ufeff${claims}`))],
  ['with a byte order mark before its header', signed(part(`\ufeff${header}`), body)],
  ['with a claim twice', signed(head, part(`${claims.slice(0, -1)},"sub":"bob"}`))],
  ['with a claim twice, once escaped', signed(head, part(`${claims.slice(0, -1)},"s\\u0075b":"bob"}`))],
  ['with a claim twice inside another', signed(head, part(`${claims.slice(0, -1)},"x":{"a":1,"a":2}}`))],
  ['with a parameter of its header twice', signed(part(`${header.slice(0, -1)},"alg":"ES256"}`), body)],
  [
    'with claims that are not UTF-8',
    signed(head, Buffer.from(`${claims.slice(0, -1)},"x":"\xff"}`, 'latin1').toString('base64url')),
  ],
  ['with half of a surrogate pair', signed(head, part(`${claims.slice(0, -1)},"x":"\\ud800"}`))],
  ['with claims that are no object', signed(head, part('[]'))],
  ['with text after its claims', signed(head, part(`${claims} x`))],
];

const BAD: readonly [string, string][] = [
  ...AMBIGUOUS,
  ['of another key', forged],
  ['of the key in its own header', selfSigned],
  ['unsigned', unsigned],
  ['without a signature', jwt().replace(/[^.]*$/, '')],
  ...['iss', 'aud', 'sub', 'exp'].map((claim): [string, string] => [`without ${claim}`, jwt(without(claim))]),
  ['without claims', jwt({})],
  ['not a JWT', 'a.b.c'],
  ['an unknown token', 'abc'],
  ...Object.entries(CLAIM_VALUES).flatMap(([name, values]) =>
    values.map((value): [string, string] => [
      `with the claim ${name} ${JSON.stringify(value)}`,
      jwt({ ...CLAIMS, [name]: value }),
    ]),
  ),
  ...Object.entries(HEADER_VALUES).flatMap(([name, values]) =>
    values.map((value): [string, string] => [
      `with the header ${name} ${JSON.stringify(value)}`,
      jwt(CLAIMS, { ...HEADER, crit: name === 'b64' ? ['b64'] : undefined, [name]: value }),
    ]),
  ),
];

test('accepts valid tokens and refuses invalid ones', async () => {
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
  expect(issuer.asked).toBe(1); // an unknown key causes no second fetch within the cooldown
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
