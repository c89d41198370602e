import crypto from 'node:crypto';
import { Problem } from 'contract-first-server';
import { hashPassword, verifyPassword } from '../../src/runtime/credentials/passwords';
import { cases } from '../../../../scripts/testing/cases';
import { growsTooFast } from '../../../../scripts/testing/growth';

type Done = (error: Error | null, key: Buffer) => void;
interface Asked {
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly maxmem: number;
}
/** What a call of scrypt was given, and how it ends. */
interface Call {
  readonly length: number;
  readonly options: Asked;
  readonly end: (error?: Error) => void;
}

/** Replaces scrypt by one that ends when the test says so; by default at once, with zeros. */
function replaceScrypt(ends: 'at once' | 'later' = 'at once'): Call[] {
  const calls: Call[] = [];
  const scrypt = (_: Buffer, __: Buffer, length: number, options: Asked, done: Done) => {
    const end = (error?: Error) => {
      done(error ?? null, Buffer.alloc(length));
    };
    calls.push({ length, options, end });
    if (ends === 'at once') setImmediate(end);
  };
  jest.spyOn(crypto, 'scrypt').mockImplementation(scrypt as typeof crypto.scrypt);
  return calls;
}
afterEach(() => {
  jest.restoreAllMocks();
});

const turns = async (times = 10) => {
  for (let i = 0; i < times; i++) await new Promise((resolve) => setImmediate(resolve));
};
const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64').replace(/=+$/, '');

/** A cheap hash, as another program can have made it. */
function cheap(password: string, cost = 'ln=4,r=1,p=1'): string {
  const [N = 0, r = 0, p = 0] = cost.match(/\d+/g)?.map(Number) ?? [];
  const key = crypto.scryptSync(password, 'saltsalt', 32, { N: 2 ** N, r, p });
  return `$scrypt$${cost}$${Buffer.from('saltsalt').toString('base64').replace('=', '')}$${base64(key.toString('hex'))}`;
}

test('a password is verified by its hash alone, and each hash is another', async () => {
  const [one, other] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
  expect(one).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(one).not.toBe(other);
  expect(
    await Promise.all([one, other, undefined].map((hash) => verifyPassword('correct horse', hash))),
  ).toEqual([true, true, false]);
  expect(await verifyPassword('correct horsf', one)).toBe(false);
});

test.each([
  // RFC 7914 section 12.
  [
    'password',
    'ln=10,r=8,p=16',
    'NaCl',
    'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
  ],
  [
    'pleaseletmein',
    'ln=14,r=8,p=1',
    'SodiumChloride',
    '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
  ],
])('%j of the specification of scrypt is verified', async (password, cost, salt, key) => {
  const hash = `$scrypt$${cost}$${base64(Buffer.from(salt).toString('hex'))}$${base64(key)}`;
  expect(await verifyPassword(password, hash)).toBe(true);
  expect(await verifyPassword(`${password}\0`, hash)).toBe(false);
});

const LONG = 'x'.repeat(1025);
/** Passwords of which no two are the same: HMAC pads with zeros, others cut after 72 bytes, at NUL, or fold case. */
const DIFFERENT = [
  ...['', '\0', '\0\0', 'a', 'a\0', 'a\0\0', '\0a', 'a\0b', 'A', ' a', 'a ', 'é', 'e', '\ufeffa', 'ａ'],
  ...[63, 64, 65, 72, 73, 255, 256].flatMap((length) => ['x'.repeat(length), `${'x'.repeat(length)}y`]),
  ...[LONG, `${LONG}\0`, `${LONG}é`, `${LONG}e\u0301`, crypto.hash('sha256', 'x'.repeat(65), 'binary')],
];
test('no two passwords are the same', async () => {
  for (const password of DIFFERENT) {
    const calls: Buffer[] = [];
    const { scryptSync } = crypto;
    jest.spyOn(crypto, 'scrypt').mockImplementation(((
      secret: Buffer,
      salt: Buffer,
      length: number,
      _: unknown,
      done: Done,
    ) => {
      calls.push(secret);
      done(null, scryptSync(secret, salt, length, { N: 2, r: 1, p: 1 }));
    }) as typeof crypto.scrypt);
    const hash = await hashPassword(password);
    const same = await Promise.all(DIFFERENT.map((other) => verifyPassword(other, hash)));
    expect(DIFFERENT.filter((_, i) => same[i])).toEqual([password]);
    jest.restoreAllMocks();
  }
});

test.each([
  ['\u00e9', 'e\u0301'],
  ['\u212b', '\u00c5'],
  ['\uac00', '\u1100\u1161'],
  ['\u1e69', 's\u0307\u0323'],
])('%j and %j are one password, as keyboards write it', async (one, other) => {
  expect(await verifyPassword(other, cheap(one.normalize('NFC')))).toBe(true);
  expect(await verifyPassword(one, cheap(one.normalize('NFC')))).toBe(true);
});

test.each(['\ud800', 'a\udc00b'])('%j is no text, so it is no password', async (password) => {
  await expect(hashPassword(password)).rejects.toThrow(TypeError);
  await expect(verifyPassword(password, undefined)).rejects.toThrow(TypeError);
});

test('the time before scrypt is linear in the password', () => {
  replaceScrypt();
  for (const unit of ['\u0301\u0316', '\u0316\u0301', '\u{1d165}\u{1d16d}', '\u1100\u1161', '\0', 'a'])
    for (const text of [
      (length: number) => unit.repeat(length),
      (length: number) =>
        `${unit[0]?.repeat(length) ?? ''}${unit.at(-1)?.repeat(length) ?? ''}`.toWellFormed(),
    ]) {
      const read = (password: string) => {
        verifyPassword(password, undefined).catch(() => undefined);
      };
      expect(growsTooFast(read, { name: unit, text })).toBe(false);
    }
});

test('an unknown user costs what a known one does', async () => {
  const calls = replaceScrypt();
  expect(await verifyPassword('a', await hashPassword('a'))).toBe(true);
  expect(await verifyPassword('a', undefined)).toBe(false);
  const [hashed, known, unknown] = calls.map(({ length, options }) => ({ length, options }));
  expect(known).toEqual(hashed);
  expect(unknown).toEqual(hashed);
});

describe('a stored hash', () => {
  const good = cheap('a');
  const [, , cost = '', salt = '', key = ''] = good.split('$');

  test.each([
    ...['', ' ', 'a', good.slice(1), `${good}$`, `${good}\n`, ` ${good}`, `${good}=`, good.toUpperCase()],
    ...[null, 0, {}].map(String),
    ...['$2b$10$x', '$argon2id$v=19$m=1,t=1,p=1$x$x', `$scrypt$${salt}$${key}`, `$scrypt$${cost}$$${key}`],
    ...[
      `$scrypt$${cost}$${salt}$`,
      `$scrypt$${cost}$${salt}$${key.slice(0, 20)}`,
      good.replace('ln=4', 'ln=04'),
    ],
    ...['ln=0', 'ln=-1', 'ln=4e1', 'ln=', 'ln=0x4', 'n=4'].map((ln) => good.replace('ln=4', ln)),
    ...['r=0', 'p=0', 'r=-1', 'p=1.5', 'p='].map((one) => good.replace(new RegExp(`${one[0] ?? ''}=1`), one)),
    ...['+'.repeat(400), 'A'.repeat(1e6)].map((text) => good.replace(key, text)),
    ...[`${key.slice(0, -1)}B`, `${key.slice(0, -1)}-`, `${key} `].map((text) => good.replace(key, text)),
  ])('%j is an error that does not contain it', async (hash) => {
    const calls = replaceScrypt();
    await expect(verifyPassword('a', hash)).rejects.toThrow(
      new Error('the hash of a password: expected $scrypt$ln=15,r=8,p=3$SALT$KEY, got another text'),
    );
    expect(calls).toEqual([]);
  });

  test('asks for 130 MiB at most, whatever it says, or is an error', async () => {
    const calls = replaceScrypt();
    const sizes = [1, 2, 8, 31, 32, 1024, 65_536, 9_999_999];
    let accepted = 0;
    for (let ln = 1; ln < 100; ln++)
      for (const r of sizes)
        for (const p of sizes) {
          const outcome = await verifyPassword('a', good.replace(cost, `ln=${ln},r=${r},p=${p}`)).catch(
            String,
          );
          if (outcome === false) accepted++;
          else expect(outcome).toMatch(/^Error: the hash of a password: expected a cost of at most /);
        }
    expect([accepted, calls.length]).toEqual([accepted, accepted]);
    expect(accepted).toBeGreaterThan(100);
    expect(Math.max(...calls.map(({ options: { maxmem } }) => maxmem))).toBeLessThanOrEqual(130 * 2 ** 20);
    expect(Math.max(...calls.map(({ options: { N, r, p } }) => N * r * p))).toBeLessThanOrEqual(2 ** 22);
  });

  // The last takes its memory by p, and more than the 32 MiB that Node allows by itself.
  test.each(['ln=1,r=1,p=1', 'ln=15,r=1,p=1', 'ln=17,r=8,p=1', `ln=1,r=${cases(2_100, 8_000)},p=128`])(
    'with the cost %s is one that scrypt can do',
    async (other) => {
      expect(await verifyPassword('a', good.replace(cost, other))).toBe(false);
    },
  );
});

describe('work at once', () => {
  test('is two calls of scrypt; 64 wait in their order, and the next is refused as overload', async () => {
    const calls = replaceScrypt('later');
    const ended: number[] = [];
    const all = Array.from({ length: 66 }, (_, i) => hashPassword('a').then(() => ended.push(i)));
    await turns();
    expect(calls).toHaveLength(2);
    for (const refused of [
      hashPassword('a'),
      verifyPassword('a', undefined),
      verifyPassword('a', cheap('a')),
    ])
      await expect(refused).rejects.toMatchObject({ kind: 'unavailable', headers: { 'Retry-After': '1' } });
    await expect(hashPassword('a')).rejects.toBeInstanceOf(Problem);
    for (let i = 0; i < all.length; i++) {
      expect(calls.length).toBe(Math.min(i + 2, all.length));
      calls[i]?.end();
      await turns();
    }
    expect(ended).toEqual(all.map((_, i) => i));
  });

  test('is nothing for a password that was accepted before, however many wrong ones wait', async () => {
    const [own, changed] = [cheap('known'), cheap('changed')];
    expect([await verifyPassword('known', own), await verifyPassword('known', changed)]).toEqual([
      true,
      false,
    ]);
    const calls = replaceScrypt('later');
    const strangers = Array.from({ length: 66 }, () => verifyPassword('wrong', own).catch(String));
    await turns();
    expect(await verifyPassword('known', own)).toBe(true);
    // Everything else takes its turn: another password, another hash of this one, a user who is gone.
    for (const [password, hash] of [
      ['other', own],
      ['known', changed],
      ['known', undefined],
    ] as const)
      await expect(verifyPassword(password, hash)).rejects.toMatchObject({ kind: 'unavailable' });
    for (let i = 0; i < strangers.length; i++) {
      calls[i]?.end();
      await turns();
    }
    await Promise.all(strangers);
  });

  test('frees its place when it fails, at once or later', async () => {
    const calls = replaceScrypt('later');
    const failing = [hashPassword('a'), verifyPassword('a', undefined)].map((one) => one.catch(String));
    await turns();
    for (const { end } of calls) end(new Error('out of memory'));
    expect(await Promise.all(failing)).toEqual(['Error: out of memory', 'Error: out of memory']);
    jest.spyOn(crypto, 'scrypt').mockImplementation(() => {
      throw new Error('thrown');
    });
    for (let i = 0; i < 5; i++) await expect(hashPassword('a')).rejects.toThrow('thrown');
    jest.restoreAllMocks();
    replaceScrypt();
    expect(await Promise.all([1, 2, 3].map(() => verifyPassword('a', undefined)))).toEqual([
      false,
      false,
      false,
    ]);
  });
});
