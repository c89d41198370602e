import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { Client } from 'pg';
import type { Problem } from 'contract-first-server';
import { createRateLimiter } from '../../src/runtime/limits/rate-limit';
import { freePort, type Postgres, startPostgres } from '../../../../scripts/testing/postgres';
import { type Redis, startRedis } from '../../../../scripts/testing/redis';

/** Milliseconds: those of the product are for the outages alone, since a busy machine is none. */
let mockTimeout = 30_000;
jest.mock('../../src/runtime/limits/rate-limit-stores', () => ({
  ...jest.requireActual<object>('../../src/runtime/limits/rate-limit-stores'),
  get STORE_TIMEOUT() {
    return mockTimeout;
  },
}));

const clientOf = ({ user }: Readonly<Record<string, unknown>>) => user as string | undefined;

let postgres: Postgres;
let redis: Redis;
let database: string;
/** Redis itself, where it is installed. */
const isInstalled = spawnSync('redis-server', ['--version']).status === 0;
let installed: ChildProcess | undefined;
let port: number;
const opened: { close: () => Promise<void> }[] = [];
/** What the log has, and how many requests were not counted. */
const seen = { log: [] as string[], uncounted: 0 };

beforeAll(async () => {
  [postgres, redis] = await Promise.all([startPostgres(), startRedis('hunter2')]);
  database = await postgres.createDatabase();
  if (!isInstalled) return;
  port = await freePort();
  installed = spawn('redis-server', [
    '--port',
    `${port}`,
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--dir',
    tmpdir(),
  ]);
  for await (const chunk of installed.stdout ?? []) if (String(chunk).includes('Ready to accept')) break;
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((limiter) => limiter.close()));
  redis.mood = 'well';
  mockTimeout = 30_000;
  Object.assign(seen, { log: [], uncounted: 0 });
});
afterAll(async () => {
  installed?.kill();
  await Promise.all([postgres.remove(), redis.close(), installed && once(installed, 'exit')]);
});

const log = (fields: object, message = '') => void seen.log.push(message || JSON.stringify(fields));
/** A server whose clients have so many requests a minute. */
function server(
  url: string,
  requests: number,
  whenAway: 'refuse' | 'allow' = 'refuse',
  service = 'a service',
) {
  const uncounted = () => {
    seen.uncounted += 1;
  };
  const store = {
    url,
    whenAway,
    service,
    uncounted,
    log: { info: (text: string) => void seen.log.push(text), warn: log },
  };
  const limiter = createRateLimiter({ requests, seconds: 60 }, clientOf, store);
  opened.push(limiter);
  return limiter;
}
type Server = ReturnType<typeof server>;

/** What a client gets: its remaining quota, or the kind of the refusal; '' without a limit. */
async function ask({ afterAuthentication }: Server, user: string): Promise<string> {
  try {
    const headers: Record<string, string> = await afterAuthentication({
      principals: { user },
      request: { socket: {} },
    });
    return headers['RateLimit'] ?? '';
  } catch (error) {
    return (error as Problem<string>).kind;
  }
}

const redisUrl = () => `redis://:hunter2@127.0.0.1:${redis.port}/3`;
const stores = [
  ['what Redis does', true, redisUrl],
  ['Redis, if redis-server is installed', isInstalled, () => `redis://127.0.0.1:${port}`],
  ['PostgreSQL', true, () => database],
] as const;
let clients = 0;
/** A client of its own for each case, with characters that some stores do not keep. */
const newClient = () => `client ${++clients} \0 \ud800 ${'é'.repeat(clients % 3 ? 0 : 5000)}`;

describe.each(stores)('%s', (_, isThere, urlOf) => {
  const testIf = isThere ? test : test.skip;
  testIf('servers that share it let exactly the quota of each client pass', async () => {
    const servers = [server(urlOf(), 7), server(urlOf(), 7), server(urlOf(), 7)] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(0, 1, 2), fc.constantFrom(0, 1)), { minLength: 1, maxLength: 40 }),
        fc.boolean(),
        async (requests, together) => {
          const users = [newClient(), newClient()] as const;
          const passed = [0, 0];
          const send = async ([at, user]: readonly [0 | 1 | 2, 0 | 1]) => {
            const answer = await ask(servers[at], users[user]);
            if (answer.startsWith('"default";r=')) passed[user] = (passed[user] ?? 0) + 1;
            else expect(answer).toBe('rateLimited');
          };
          if (together) await Promise.all(requests.map(send));
          else for (const request of requests) await send(request);
          expect(passed).toEqual(
            [0, 1].map((user) => Math.min(7, requests.filter(([, one]) => one === user).length)),
          );
        },
      ),
      { numRuns: 40 },
    );
    expect(seen).toEqual({ log: [], uncounted: 0 });
  });

  testIf('services that share it count apart, whatever their names are', async () => {
    const names = ['one', 'two', '', 'é'.repeat(300), 'one\0'];
    const servers = names.map((name) => server(urlOf(), 1, 'refuse', name));
    const user = newClient();
    for (const each of servers) expect(await ask(each, user)).toBe('"default";r=0;t=60');
    for (const each of servers) expect(await ask(each, user)).toBe('rateLimited');
  });
});

test('rows of PostgreSQL are removed when their window has ended, and no other', async () => {
  jest.useFakeTimers({
    doNotFake: ['performance', 'setTimeout', 'clearTimeout', 'setImmediate', 'nextTick', 'queueMicrotask'],
  });
  const client = new Client(database);
  await client.connect();
  try {
    await ask(server(database, 1), newClient());
    await client.query(`INSERT INTO rate_limit_counts
      SELECT 'ended ' || n, 1, ${Date.now() - 1} FROM generate_series(1, 2500) AS n`);
    const rowsLike = async (name: string) =>
      (await client.query('SELECT FROM rate_limit_counts WHERE key LIKE $1', [name])).rowCount;
    jest.advanceTimersByTime(60_000);
    while ((await rowsLike('ended %')) !== 0) await sleep(10);
    expect(await rowsLike('a service:known %')).toBeGreaterThan(0);
  } finally {
    jest.useRealTimers();
    await client.end();
  }
});

test('a connection that Redis closes because it is idle costs no request', async () => {
  const limiter = server(redisUrl(), 9);
  const user = newClient();
  for (const left of [8, 7, 6]) {
    expect(await ask(limiter, user)).toMatch(`"default";r=${left};`);
    redis.drop();
    while (redis.connections > 0) await sleep(5);
  }
  expect(seen).toEqual({ log: [], uncounted: 0 });
});

// A reply of each type of RESP 2, and numbers that no count is.
test.each([
  '+OK',
  ':1',
  '$1\r\n1',
  '$-1',
  '*-1',
  '*0',
  '*1\r\n:1',
  '*2\r\n$1\r\nx\r\n$1\r\ny',
  '*2\r\n$-1\r\n$-1',
  '*2\r\n:1\r\n$-1',
  '*2\r\n$-1\r\n:1',
  '*2\r\n*0\r\n*0',
  '*2\r\n:0\r\n:1000',
  '*2\r\n:-5\r\n:1000',
  '*2\r\n:1\r\n:-1',
])('a Redis that answers %j does not count', async (reply) => {
  const limiter = server(redisUrl(), 1);
  redis.mood = { reply };
  expect(await ask(limiter, newClient())).toBe('unavailable');
  expect(seen.uncounted).toBe(1);
});

test('a client is refused no longer than its window, whatever the store says', async () => {
  const limiter = server(redisUrl(), 1);
  const user = newClient();
  redis.mood = { reply: `*2\r\n:2\r\n:${24 * 3_600_000}` }; // a day
  expect(await ask(limiter, user)).toBe('rateLimited');
  redis.mood = 'well';
  const asked = redis.asked.length;
  expect(await ask(limiter, user)).toBe('rateLimited');
  expect(redis.asked.length).toBe(asked); // the server remembers it
  const [performanceNow, dateNow] = [performance.now(), Date.now()];
  jest.spyOn(performance, 'now').mockReturnValue(performanceNow + 60_001);
  jest.spyOn(Date, 'now').mockReturnValue(dateNow + 60_001);
  try {
    expect(await ask(limiter, user)).toBe('"default";r=0;t=60');
  } finally {
    jest.restoreAllMocks();
  }
});

async function recreate(word: 'DROP' | 'CREATE'): Promise<void> {
  const client = new Client(database.replace(/[^/]+$/, 'postgres'));
  await client.connect();
  await client.query(`${word} DATABASE database_1 ${word === 'DROP' ? 'WITH (FORCE)' : ''}`);
  await client.end();
}

const moods = (['silent', 'error', 'foreign', 'gone'] as const).map(
  (mood) => [`Redis is ${mood}`, redisUrl, () => (redis.mood = mood), () => (redis.mood = 'well')] as const,
);
const outages = [
  ...moods,
  ['PostgreSQL is down', () => database, () => postgres.kill(), () => postgres.start()],
  ['the database is gone', () => database, () => recreate('DROP'), () => recreate('CREATE')],
] as const;

test.each(outages)(
  'while %s requests are refused or pass, none waits, and then they are counted',
  async (...outage) => {
    const [name, urlOf, begin, end] = outage;
    const whenAway = /error|down/.test(name) ? 'allow' : 'refuse';
    const away = whenAway === 'allow' ? '' : 'unavailable';
    const limiter = server(urlOf(), 2, whenAway);
    const user = newClient();
    expect(await ask(limiter, user)).toBe('"default";r=1;t=60');
    mockTimeout = 1000;
    await begin();
    expect(await Promise.all([1, 2, 3].map(() => ask(limiter, user)))).toEqual([away, away, away]);
    const before = redis.asked.length;
    for (let i = 0; i < 1000; i++) expect(await ask(limiter, user)).toBe(away);
    expect(redis.asked.length - before).toBeLessThan(10); // attempts, a second apart
    expect(redis.connections).toBeLessThan(3);
    expect(seen.uncounted).toBe(1003);
    mockTimeout = 30_000;
    await end();
    const other = newClient();
    while ((await ask(limiter, other)) === away) await sleep(50);
    expect(await ask(limiter, other)).toBe('"default";r=0;t=60');
    expect(seen.log).toEqual([
      'RATE_LIMIT_STORE does not count requests',
      'RATE_LIMIT_STORE counts requests again',
    ]);
  },
);
