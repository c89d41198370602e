import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetchJson } from '../../src/runtime/credentials/discovery';
import { loadJose } from '../../src/runtime/credentials/jose';
import { KeysUnavailable, remoteKeys } from '../../src/runtime/credentials/jwks';
import { slow } from '../../../../scripts/testing/cases';

const keyOf = (kid: string) => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256' };
};
const KNOWN = keyOf('known');
const NEW = keyOf('new');

/** The ways in which an issuer answers. */
const ISSUERS = {
  sound: (response: ServerResponse, keys: readonly object[]) => response.end(JSON.stringify({ keys })),
  down: (response: ServerResponse) => response.writeHead(500).end(),
  slow: () => undefined,
  huge: (response: ServerResponse, keys: readonly object[]) =>
    response.end(JSON.stringify({ keys, x: 'x'.repeat(300_000) })),
};
type Mode = keyof typeof ISSUERS;

const issuers = new Set<{ close: () => void }>();
afterEach(() => {
  jest.restoreAllMocks();
  for (const { close } of issuers) close();
  issuers.clear();
});

/** An issuer with one key, and what a server knows of it that has started while it answered in some way. */
async function startIssuer(atStart: Mode = 'sound') {
  const { createLocalJWKSet, errors } = await loadJose();
  const issuer = { keys: [KNOWN], mode: atStart, asked: 0 };
  const server = createServer((_, response) => {
    issuer.asked++;
    ISSUERS[issuer.mode](response, issuer.keys);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuers.add({
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const keys = await remoteKeys(
    (signal) => fetchJson(url, 'application/json', signal),
    createLocalJWKSet,
    errors.JWKSNoMatchingKey,
    () => undefined,
  );
  /** What a token with this key gets: it is verified, or the status. */
  const ask = async (kid?: string): Promise<'found' | 401 | 503> => {
    try {
      await keys({ alg: 'ES256', ...(kid !== undefined && { kid }) }, { payload: '', signature: '' });
      return 'found';
    } catch (error) {
      if (error instanceof KeysUnavailable) return 503;
      expect(error).toBeInstanceOf(errors.JWKSNoMatchingKey);
      return 401;
    }
  };
  return Object.assign(issuer, { ask });
}

const now = performance.now.bind(performance);
/** Lets time pass for the keys. */
const pass = (milliseconds: number) =>
  jest.spyOn(performance, 'now').mockImplementation(() => now() + milliseconds);

/** How a server came to its keys: what the issuer did at its start, how old they are, and whether the issuer has another key now. */
const STATES = {
  'never fetched': ['down', 0, KNOWN],
  fetched: ['sound', 0, KNOWN],
  'fetched 6 s ago': ['sound', 6_000, KNOWN],
  'rotated 6 s ago': ['sound', 6_000, NEW],
  'fetched 2 min ago': ['sound', 120_000, KNOWN],
  'fetched 11 min ago': ['sound', 660_000, KNOWN],
} as const;

const AWAY = ['down', 'slow', 'huge'] as const;
const isSlow = ([, mode]: Row) => mode === 'slow';
type Row = [state: keyof typeof STATES, mode: Mode, ...outcomes: ('found' | 401 | 503)[]];
const always = (state: Row[0], ...outcomes: ('found' | 401 | 503)[]): Row[] =>
  AWAY.map((mode) => [state, mode, ...outcomes]);

/** What becomes of tokens with the key that was known, with one of nobody, with the one after a rotation, and without a name of it. */
const ROWS: readonly Row[] = [
  ['never fetched', 'sound', 'found', 401, 401, 'found'],
  ...always('never fetched', 503, 503, 503, 503),
  ['fetched', 'sound', 'found', 401, 401, 'found'],
  ...always('fetched', 'found', 401, 401, 'found'),
  ['fetched 6 s ago', 'sound', 'found', 401, 401, 'found'],
  ...always('fetched 6 s ago', 'found', 503, 503, 'found'),
  ['rotated 6 s ago', 'sound', 'found', 401, 'found', 'found'],
  ...always('rotated 6 s ago', 'found', 503, 503, 'found'),
  ['fetched 2 min ago', 'sound', 'found', 401, 401, 'found'],
  ...always('fetched 2 min ago', 'found', 503, 503, 'found'),
  ['fetched 11 min ago', 'sound', 'found', 401, 401, 'found'],
  ...always('fetched 11 min ago', 503, 503, 503, 503),
];

const testRows = (rows: readonly Row[]) => {
  test.each(rows)('keys %s, of an issuer that is %s: %s, %s, %s, %s', async (state, mode, ...outcomes) => {
    const [atStart, age, key] = STATES[state];
    const kids = ['known', 'unknown', 'new', undefined];
    const started = await Promise.all(kids.map(() => startIssuer(atStart)));
    pass(age);
    const got = started.map((issuer, i) => {
      Object.assign(issuer, { mode, keys: [key] });
      return issuer.ask(kids[i]);
    });
    expect(await Promise.all(got)).toEqual(outcomes);
  });
};
testRows(ROWS.filter((row) => !isSlow(row)));
slow(() => {
  testRows(ROWS.filter(isSlow));
});

test('a new key is accepted 5 seconds after the last fetch, whoever has caused that', async () => {
  const issuer = await startIssuer();
  pass(6_000);
  expect(await issuer.ask('stranger')).toBe(401);
  issuer.keys = [KNOWN, NEW];
  expect(await issuer.ask('new')).toBe(401); // the fetch for the stranger was just before
  pass(12_000);
  const strangers = Array.from({ length: 20 }, (_, i) => issuer.ask(`stranger ${i}`));
  await Promise.all(strangers);
  expect(await issuer.ask('new')).toBe('found');
  expect(issuer.asked).toBe(3);
});

test('a key without a name is replaced a minute after a rotation', async () => {
  const issuer = await startIssuer();
  issuer.keys = [];
  pass(61_000);
  expect(await issuer.ask()).toBe('found');
  for (let i = 0; i < 100 && (await issuer.ask()) === 'found'; i++) await sleep(10);
  expect(await issuer.ask()).toBe(401);
});

slow(() => {
  test('strangers cause a fetch a second while the issuer is away, and nobody with a known key waits', async () => {
    const issuer = await startIssuer();
    pass(6_000);
    issuer.mode = 'slow';
    const begin = now();
    const strangers = Array.from({ length: 20 }, (_, i) => issuer.ask(`stranger ${i}`));
    expect(await issuer.ask('known')).toBe('found');
    expect(now() - begin).toBeLessThan(1000);
    expect(new Set(await Promise.all(strangers))).toEqual(new Set([503]));
    issuer.mode = 'down';
    for (let i = 0; i < 3; i++) expect(await issuer.ask('stranger')).toBe(503);
    expect(issuer.asked).toBeLessThanOrEqual(Math.floor((now() - begin) / 1000) + 2);
  });

  test.each(['known', 'unknown'])(
    'few tokens with a key that is %s wait before the first fetch, and after the keys are too old',
    async (kid) => {
      for (const [atStart, age] of [['down', 0] as const, ['sound', 660_000] as const]) {
        const issuer = await startIssuer(atStart);
        pass(age);
        issuer.mode = 'down';
        await issuer.ask(); // this shows that it is away
        issuer.mode = 'slow';
        let waiting = 40;
        const all = Array.from({ length: 40 }, async () => {
          const outcome = await issuer.ask(kid);
          waiting--;
          return outcome;
        });
        await sleep(500);
        expect(waiting).toBe(4);
        expect(new Set(await Promise.all(all))).toEqual(new Set([503]));
      }
    },
  );
});

test('after idle minutes no token with a key of the issuer is refused, and few others wait', async () => {
  const issuer = await startIssuer();
  pass(600_001);
  const strangers = Array.from({ length: 20 }, () => issuer.ask('unknown'));
  const known = Array.from({ length: 20 }, () => issuer.ask('known'));
  expect(await Promise.all(known)).toEqual(known.map(() => 'found'));
  const answers = await Promise.all(strangers);
  expect(answers.filter((answer) => answer === 401)).toHaveLength(4);
  expect(answers.filter((answer) => answer === 503)).toHaveLength(16);
  expect(issuer.asked).toBe(2);
});
