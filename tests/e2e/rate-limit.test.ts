import { useServers } from '../support/program';
import { MISMATCH, send } from '../support/client';
import { TOKEN } from '../support/service';

const start = useServers({ API_TOKENS: TOKEN });

jest.setTimeout(30_000);

test('RATE_LIMIT limits the requests of a client, but not probes', async () => {
  const server = await start({ RATE_LIMIT: '2/60s' });
  const statuses: number[] = [];
  for (let i = 0; i < 3; i++) {
    const { status, headers } = await send(server, {}, MISMATCH);
    statuses.push(status);
    expect(headers.get('ratelimit-policy')).toBe('"default";q=2;w=60');
    expect(headers.get('ratelimit')).toMatch(new RegExp(`^"default";r=${Math.max(0, 1 - i)};t=\\d+$`));
    expect(headers.get('retry-after')).toEqual(i < 2 ? null : expect.stringMatching(/^\d+$/));
  }
  expect(statuses).toEqual([400, 400, 429]);
  expect((await fetch(`${server.url}/-/live`)).status).toBe(200);
  await server.printed(/"status":429,"error":42900/);
});
