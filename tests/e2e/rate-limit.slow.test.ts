import { useServers } from '../../scripts/testing/program';
import { credentials, MISMATCH, send } from '../../scripts/testing/client';
import { startRedis } from '../../scripts/testing/redis';
import { TOKEN } from '../../scripts/testing/plant-service';

const start = useServers({ API_TOKENS: TOKEN });

jest.setTimeout(600_000);

test('RATE_LIMIT limits the requests of each client, but not probes', async () => {
  const server = await start({ RATE_LIMIT: '2/60s', API_TOKENS: `${TOKEN},another` });
  const statuses: number[] = [];
  for (let i = 0; i < 3; i++) {
    const { status, headers } = await send(server, {}, MISMATCH);
    statuses.push(status);
    expect(headers.get('ratelimit-policy')).toBe('"default";q=2;w=60');
    expect(headers.get('ratelimit')).toMatch(new RegExp(`^"default";r=${Math.max(0, 1 - i)};t=\\d+$`));
    expect(headers.get('retry-after')).toEqual(i < 2 ? null : expect.stringMatching(/^\d+$/));
  }
  expect(statuses).toEqual([400, 400, 429]);
  expect((await send(server, credentials('another'), MISMATCH)).status).toBe(400);
  expect((await fetch(`${server.url}/-/live`)).status).toBe(200);
  await server.printed(/"status":429,"error":42900/);
});

test('RATE_LIMIT limits rejected credentials by their address, and nobody else on it', async () => {
  const server = await start({ RATE_LIMIT: '2/60s' });
  const statuses: number[] = [];
  for (let i = 0; i < 4; i++) statuses.push((await send(server, credentials(`guess-${i}`), MISMATCH)).status);
  expect(statuses).toEqual([401, 401, 429, 429]);
  const { status, headers } = await send(server, credentials('guess'), MISMATCH);
  expect([status, headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  expect((await send(server, {}, MISMATCH)).status).toBe(400);
  await server.printed(/"status":429,.*"hook":"authenticate rateLimitRejected"/);
});

const uncounted = async ({ url }: { readonly url: string }) =>
  Number(/^rate_limit_uncounted_total (\d+)$/m.exec(await (await fetch(`${url}/-/metrics`)).text())?.[1]);

test.each(['refuse', 'allow'])(
  'servers with one RATE_LIMIT_STORE share the quota; while it is silent, RATE_LIMIT_WHEN_AWAY=%s decides',
  async (whenAway) => {
    const redis = await startRedis('hunter2');
    const environment = {
      RATE_LIMIT: '2/60s',
      RATE_LIMIT_STORE: `redis://:hunter2@127.0.0.1:${redis.port}`,
      RATE_LIMIT_WHEN_AWAY: whenAway,
      API_TOKENS: `${TOKEN},another`,
    };
    const servers = await Promise.all([1, 2].map(() => start(environment)));
    // They connect at their first request, for which a busy machine may take longer than they wait.
    for (const server of servers)
      while ((await send(server, credentials('another'), MISMATCH)).headers.get('ratelimit') === null);
    const statuses: number[] = [];
    for (const server of [...servers, ...servers.slice(0, 1)])
      statuses.push((await send(server, {}, MISMATCH)).status);
    expect(statuses).toEqual([400, 400, 429]);
    redis.mood = 'silent';
    // The first remembers by itself that the quota is used up.
    for (const server of servers.slice(1)) {
      const before = await uncounted(server);
      const reply = await send(server, {}, MISMATCH);
      const { status, headers } = reply;
      expect([status, headers.get('retry-after')]).toEqual(whenAway === 'refuse' ? [503, '1'] : [400, null]);
      if (whenAway === 'refuse') expect(await reply.json()).toMatchObject({ error: 50300 });
      await server.printed(/RATE_LIMIT_STORE does not count requests/);
      expect((await fetch(`${server.url}/-/ready`)).status).toBe(200);
      expect(await uncounted(server)).toBe(before + 1);
      expect(server.output()).not.toContain('hunter2');
    }
    await redis.close();
  },
);
