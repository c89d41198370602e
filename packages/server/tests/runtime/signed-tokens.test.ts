import { createHmac } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { InvalidConfig, Variables } from '../../src/runtime/config';
import {
  readSignedTokens,
  signedTokens,
  signedTokenStrategy,
} from '../../src/runtime/credentials/signed-tokens';
import { buildAuthentication } from '../support/authentication';
import { badTokens, type Signer } from '../../../../scripts/testing/hostile-tokens';
import { part } from '../../../../scripts/testing/issuer';
import { tooFast } from '../../../../scripts/testing/growth';

const OLD = 'old-secret-'.repeat(3);
const NEW = 'new-secret-'.repeat(3);

function read(environment: NodeJS.ProcessEnv) {
  const variables = new Variables(environment);
  return { config: readSignedTokens(variables, 'TOKEN'), wrong: variables.wrong };
}
const tokensOf = (...secrets: string[]) =>
  signedTokens(read({ TOKEN_SECRETS: secrets.join(','), TOKEN_LIFETIME: '60' }).config);

/** Signs as any program can that knows the secret. */
const signer = (secret: string, algorithm = 'sha256', header: object = { alg: 'HS256' }): Signer => ({
  claims: { sub: 'alice', exp: Math.floor(Date.now() / 1000) + 600 },
  header,
  signed: (head, claims) =>
    `${head}.${claims}.${createHmac(algorithm, secret).update(`${head}.${claims}`).digest('base64url')}`,
});
const signedBy = ({ claims, header, signed }: Signer) => signed(part(header), part(claims));

afterEach(() => {
  jest.useRealTimers();
});

describe('a token that was issued', () => {
  test.each(['alice', '0', '9223372036854775807', 'a b', 'Zoë', '\u0000', '__proto__', '\u{1f335}'])(
    'has the subject %j',
    async (subject) => {
      const tokens = tokensOf(OLD);
      expect(await tokens.verify(await tokens.issue(subject))).toEqual({ id: subject, scopes: [] });
    },
  );

  test('has the scopes that it was given', async () => {
    const tokens = tokensOf(OLD);
    const token = await tokens.issue('alice', { scopes: ['read', 'write:own'] });
    expect(await tokens.verify(token)).toEqual({ id: 'alice', scopes: ['read', 'write:own'] });
  });

  test.each([
    [60, undefined],
    [3, 3],
  ])('expires after %d seconds', async (seconds, expiresIn) => {
    jest.useFakeTimers({ now: 1_800_000_000_999, doNotFake: ['setImmediate', 'nextTick'] });
    const tokens = tokensOf(OLD);
    const token = await tokens.issue('alice', expiresIn === undefined ? {} : { expiresIn });
    jest.setSystemTime(1_800_000_000_000 + seconds * 1000 - 1);
    expect(await tokens.verify(token)).toMatchObject({ id: 'alice' });
    jest.setSystemTime(1_800_000_000_000 + seconds * 1000);
    expect(await tokens.verify(token)).toBe(false);
  });
});

test.each<[string, object | undefined]>([
  ['', undefined],
  ['\ud800', undefined],
  ['alice', { scopes: ['read write'] }],
  ['alice', { scopes: [''] }],
  ['alice', { scopes: ['re"ad'] }],
  ...[0, -1, 0.5, NaN, Infinity, 31_536_001].map((expiresIn): [string, object] => ['alice', { expiresIn }]),
])('none is issued to %j with %j', async (subject, options) => {
  await expect(tokensOf(OLD).issue(subject, options)).rejects.toThrow(/^expected /);
});

describe('verification', () => {
  test('accepts what another program signs with the secret', async () => {
    expect(await tokensOf(OLD).verify(signedBy(signer(OLD)))).toEqual({ id: 'alice', scopes: [] });
  });

  test('refuses every token of another form, algorithm or secret', async () => {
    const tokens = tokensOf(OLD);
    const bad = [
      ...badTokens(signer(OLD), 'ES256', 'HS384'),
      ['of HS384', signedBy(signer(OLD, 'sha384', { alg: 'HS384' }))],
      ['of HS512', signedBy(signer(OLD, 'sha512', { alg: 'HS512' }))],
      ['of another secret', signedBy(signer(NEW))],
      ['of an empty secret', signedBy(signer(''))],
      ['of the secret with NUL', signedBy(signer(OLD.slice(0, -1)))],
      ['empty', ''],
      ['of dots', '.'.repeat(1000)],
    ] as const;
    const accepted = await Promise.all(bad.map(async ([what, token]) => [what, await tokens.verify(token)]));
    expect(accepted.filter(([, client]) => client !== false)).toEqual([]);
  });

  test('takes time linear in the token', () => {
    const tokens = tokensOf(OLD, NEW);
    const units = ['.', 'A', '=', '-', '{', part('{"a":'), part('['), `${part('{"alg":"HS256"}')}.`];
    expect(tooFast(units, (text) => void tokens.verify(text))).toBeUndefined();
  });
});

test('the first secret signs and all verify, so that secrets can be replaced', async () => {
  const [before, during, after] = [tokensOf(OLD), tokensOf(NEW, OLD), tokensOf(NEW)];
  const [old, fresh] = [await before.issue('alice'), await during.issue('alice')];
  const verdicts = await Promise.all(
    [before, during, after].flatMap((one) => [one.verify(old), one.verify(fresh)]),
  );
  expect(verdicts.map((client) => client !== false)).toEqual([true, false, true, true, false, true]);
});

test('without secrets each process makes one up', async () => {
  const [one, other] = [signedTokens(read({}).config), signedTokens(read({}).config)];
  const token = await one.issue('alice');
  expect([await one.verify(token), await other.verify(token)]).toEqual([{ id: 'alice', scopes: [] }, false]);
});

test.each([
  [
    { NODE_ENV: 'production' },
    /^TOKEN_SECRETS or TOKEN_SECRETS_FILE is missing: expected secrets of at least 32 .*, because NODE_ENV is production$/,
  ],
  [
    { NODE_ENV: 'production', TOKEN_SECRETS: 'x'.repeat(31) },
    /^TOKEN_SECRETS: expected secrets of at least 32 /,
  ],
  [
    { NODE_ENV: 'production', TOKEN_SECRETS: `${NEW},short` },
    /^TOKEN_SECRETS: expected secrets of .* at position 2$/,
  ],
  [{ TOKEN_SECRETS: 'two words' }, /^TOKEN_SECRETS: expected secrets of visible ASCII characters /],
  [{ TOKEN_SECRETS: 'größer' }, /^TOKEN_SECRETS: expected secrets of visible ASCII characters /],
  [{ TOKEN_SECRETS: ',' }, /^TOKEN_SECRETS: expected at least one secret/],
  [
    { TOKEN_SECRETS: 'a', TOKEN_SECRETS_FILE: __filename },
    /^TOKEN_SECRETS and TOKEN_SECRETS_FILE are both set/,
  ],
  [{ TOKEN_SECRETS_FILE: '/nowhere' }, /^TOKEN_SECRETS_FILE: cannot read the file/],
  [{ TOKEN_LIFETIME: '0' }, /^TOKEN_LIFETIME: expected an integer from 1 to 31536000/],
])('%j is refused', (environment, sentence) => {
  const { wrong } = read(environment);
  expect(wrong[0]).toMatch(sentence);
  expect(wrong.join()).not.toContain('short');
});

test('a short secret is accepted while NODE_ENV is not production, and a long one always', async () => {
  for (const environment of [{ TOKEN_SECRETS: 'x' }, { NODE_ENV: 'production', TOKEN_SECRETS: NEW }]) {
    const { config, wrong } = read(environment);
    const tokens = signedTokens(config);
    expect([wrong, await tokens.verify(await tokens.issue('alice'))]).toEqual([
      [],
      { id: 'alice', scopes: [] },
    ]);
  }
});

test('the configuration does not print the secrets', () => {
  expect(JSON.stringify(read({ TOKEN_SECRETS: NEW }))).not.toContain(NEW);
});

test('a file of secrets that changes is read again, and a bad one changes nothing', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'contract-first-'));
  const file = path.join(folder, 'secrets');
  const write = (text: string) => {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
    for (let i = 0; i < 2; i++) jest.advanceTimersToNextTimer();
  };
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
  writeFileSync(file, `${OLD}\n`);
  const changes: (string | InvalidConfig)[] = [];
  const environment = { NODE_ENV: 'production', TOKEN_SECRETS_FILE: file };
  const tokens = signedTokens(read(environment).config, (change) => changes.push(change));
  const old = await tokens.issue('alice');
  write(`${NEW}\n${OLD}\n`);
  const fresh = await tokens.issue('alice');
  write('short\n');
  expect([await tokens.verify(old), await tokens.verify(fresh)]).toEqual([
    { id: 'alice', scopes: [] },
    { id: 'alice', scopes: [] },
  ]);
  write(`${NEW}\n`);
  expect([await tokens.verify(old), await tokens.verify(fresh)]).toEqual([
    false,
    { id: 'alice', scopes: [] },
  ]);
  expect(changes).toEqual([
    'the secrets of signed tokens have been replaced',
    expect.any(InvalidConfig),
    'the secrets of signed tokens have been replaced',
  ]);
  rmSync(folder, { recursive: true });
});

describe('the strategy', () => {
  const tokens = tokensOf(OLD);
  const inHeader = { token: { type: 'apiKey', in: 'header', name: 'Authorization' } };
  const sent = async (text: string, options?: { prefix?: string; challenge?: string }) =>
    buildAuthentication(
      [{ token: [] }],
      { token: signedTokenStrategy(tokens, options) },
      inHeader,
    )(['Authorization', text.replace('TOKEN', await tokens.issue('alice'))]);
  const alice = { principals: { token: { id: 'alice', scopes: [] } } };

  test.each([
    [undefined, 'TOKEN'],
    ['Token', 'Token TOKEN'],
    ['Token', 'token TOKEN'],
    ['Token', 'TOkEN TOKEN'.replace('TOkEN', 'tOKEn')],
    ['Token', 'Token   TOKEN'],
    ['a.b', 'A.B TOKEN'],
  ])('with the prefix %j accepts %j', async (prefix, text) => {
    expect(await sent(text, prefix === undefined ? {} : { prefix })).toEqual(alice);
  });

  test.each([
    ['Token', 'TOKEN'],
    ['Token', 'Bearer TOKEN'],
    ['Token', 'TokenTOKEN'],
    ['Token', 'Token\tTOKEN'],
    ['Token', 'Token'],
    ['Token', 'Token '],
    ['Token', ' Token TOKEN'],
    ['Token', 'To\u212aen TOKEN'],
    ['Token', 'Token TOKEN TOKEN'],
    ['Token', 'Token Token TOKEN'],
    ['a.b', 'a+b TOKEN'],
    ['a.b', 'acb TOKEN'],
    [undefined, 'Token TOKEN'],
    [undefined, ' '],
  ])('with the prefix %j refuses %j', async (prefix, text) => {
    expect(await sent(text, prefix === undefined ? {} : { prefix })).toMatchObject({
      refused: 'badCredentials',
      challenge: prefix === undefined ? 'ApiKey' : `${prefix} realm="api"`,
    });
  });

  test('has the challenge that it was given', async () => {
    const challenge = 'Token realm="shop"';
    expect(await sent('x', { prefix: 'Token', challenge })).toMatchObject({ challenge });
    expect(await sent('x', { challenge })).toMatchObject({ challenge });
  });

  test('is for bearer tokens too', async () => {
    const authenticate = buildAuthentication([{ bearer: [] }], { bearer: signedTokenStrategy(tokens) });
    expect(await authenticate(['Authorization', `Bearer ${await tokens.issue('alice')}`])).toEqual({
      principals: { bearer: { id: 'alice', scopes: [] } },
    });
    for (const [field, error] of [
      [[], ''],
      [[['Authorization', 'Bearer x']], ', error="invalid_token"'],
    ] as const)
      expect(await authenticate(...field)).toMatchObject({ challenge: `Bearer realm="api"${error}` });
  });

  test.each([{ prefix: '' }, { prefix: 'a b' }, { prefix: 'a"' }, { challenge: '' }, { challenge: 'a\nb' }])(
    'of %j is a mistake',
    (options) => {
      expect(() => signedTokenStrategy(tokens, options)).toThrow(TypeError);
    },
  );
});
