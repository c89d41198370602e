import type { HookContext, Problem } from 'contract-first-server';
import { networkOf } from '../../src/runtime/limits/network';
import { createRateLimiter } from '../../src/runtime/limits/rate-limit';

beforeEach(() => {
  jest.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  jest.useRealTimers();
});

const clientOf = ({ user }: HookContext['principals']) => user as string | undefined;
const build = (requests: number, most?: number) =>
  createRateLimiter({ requests, seconds: 60 }, clientOf, undefined, most);

type Limiter = ReturnType<typeof build>;
/** The remaining quota, or the seconds to wait, after a request by a principal or from an address. */
async function ask(limiter: Limiter, user: string | undefined, address = '192.0.2.1') {
  const request = { socket: { remoteAddress: address } };
  const context = { principals: user === undefined ? {} : { user }, request };
  try {
    const headers: Record<string, string> = await limiter.afterAuthentication(context);
    return headers['RateLimit'];
  } catch (error) {
    return (error as Problem<string>).headers['Retry-After'];
  }
}

test('counts down, refuses, and starts again after the window', async () => {
  const limiter = build(2);
  expect(await ask(limiter, 'a')).toBe('"default";r=1;t=60');
  jest.advanceTimersByTime(20_500);
  expect(await ask(limiter, 'a')).toBe('"default";r=0;t=40');
  expect(await ask(limiter, 'a')).toBe('40');
  jest.advanceTimersByTime(39_000);
  expect(await ask(limiter, 'a')).toBe('1');
  jest.advanceTimersByTime(1_000);
  expect(await ask(limiter, 'a')).toBe('"default";r=1;t=60');
});

test('a refusal has its kind, the fields of the draft and Retry-After', async () => {
  const limiter = build(1);
  await ask(limiter, 'a');
  const context = { principals: { user: 'a' }, request: { socket: {} } };
  await expect(limiter.afterAuthentication(context)).rejects.toMatchObject({
    kind: 'rateLimited',
    message: 'expected at most 1 requests within 60 seconds, got more: try again in 60 seconds',
    headers: {
      'Retry-After': '60',
      RateLimit: '"default";r=0;t=60',
      'RateLimit-Policy': '"default";q=1;w=60',
    },
  });
});

test('each principal and each anonymous address has its own quota', async () => {
  const limiter = build(1);
  const left = '"default";r=0;t=60';
  expect(await ask(limiter, 'a')).toBe(left);
  expect(await ask(limiter, 'b')).toBe(left);
  expect(await ask(limiter, 'a', '192.0.2.2')).toBe('60');
  expect(await ask(limiter, undefined, '192.0.2.1')).toBe(left);
  expect(await ask(limiter, undefined, '::ffff:192.0.2.1')).toBe('60');
  expect(await ask(limiter, undefined, '2001:db8::1')).toBe(left);
  expect(await ask(limiter, undefined, '2001:db8:0:0:ffff::2')).toBe('60');
  expect(await ask(limiter, '192.0.2.9')).toBe(left);
  expect(await ask(limiter, undefined, '192.0.2.9')).toBe(left);
});

test('rejected credentials have a quota for each network, which limits nobody else', async () => {
  const limiter = build(2, 2);
  const reject = async (address: string) => {
    try {
      await limiter.afterRejection({ principals: {}, request: { socket: { remoteAddress: address } } });
      return 401;
    } catch (error) {
      return (error as Problem<string>).kind;
    }
  };
  for (const outcome of [401, 401, 'rateLimited', 'rateLimited'])
    expect(await reject('192.0.2.1')).toBe(outcome);
  expect(await reject('192.0.2.2')).toBe(401);
  // Beyond the bound of networks, too.
  for (let i = 3; i < 100; i++) await reject(`192.0.2.${i}`);
  expect(await reject('192.0.2.200')).toBe('rateLimited');
  expect(await reject('192.0.2.2')).toBe(401);
  expect(await ask(limiter, 'a', '192.0.2.1')).toBe('"default";r=1;t=60');
  expect(await ask(limiter, undefined, '192.0.2.1')).toBe('"default";r=1;t=60');
  jest.advanceTimersByTime(60_000);
  expect(await reject('192.0.2.1')).toBe(401);
});

test('a name of any length has its own quota', async () => {
  const limiter = build(1);
  const long = 'x'.repeat(16_000);
  expect(await ask(limiter, `${long}1`)).toBe('"default";r=0;t=60');
  expect(await ask(limiter, `${long}2`)).toBe('"default";r=0;t=60');
  expect(await ask(limiter, `${long}1`)).toBe('60');
});

test('clients beyond the bound share a quota, counted ones keep theirs, and an expired entry is reused', async () => {
  const limiter = build(2, 2);
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) await ask(limiter, undefined, address);
  expect(await ask(limiter, undefined, '192.0.2.4')).toBe('"default";r=0;t=60');
  expect(await ask(limiter, undefined, '192.0.2.5')).toBe('60');
  expect(await ask(limiter, undefined, '192.0.2.1')).toBe('"default";r=0;t=60');
  expect(await ask(limiter, 'a')).toBe('"default";r=1;t=60');
  jest.advanceTimersByTime(60_000);
  expect(await ask(limiter, undefined, '192.0.2.5')).toBe('"default";r=1;t=60');
  expect(await ask(limiter, undefined, '192.0.2.6')).toBe('"default";r=1;t=60');
});

test('keeps at most as many timers and names as its bound', async () => {
  const limiter = build(1, 100);
  for (let i = 0; i < 10_000; i++)
    await ask(limiter, undefined, `2001:db8:${(i >> 8).toString(16)}:${(i & 255).toString(16)}::1`);
  expect(jest.getTimerCount()).toBe(101);
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['1::2:3:4:5:6:7', '1:0:2:3'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('%s belongs to the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
