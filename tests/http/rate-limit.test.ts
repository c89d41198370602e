import request from 'supertest';
import { clientOf, limitRequests } from '../../src/runtime';
import { credentials, EXAMPLE, MISMATCH, SUCCESS } from '../support/client';
import { buildApp, strategiesAccepting } from '../support/service';

// The rate limiter is a hook, outside of the core: the order of the stages is proven in stages.test.

const [GOOD, OTHER] = ['one-token', 'another-token'] as const;

test('each principal has its own quota, which every response contains', async () => {
  const app = buildApp({
    strategies: strategiesAccepting(GOOD, OTHER),
    rateLimit: limitRequests({ requests: 2, seconds: 60 }, clientOf),
  });
  const ask = (token: string = GOOD, text = EXAMPLE.text) =>
    request(app)
      [EXAMPLE.method.toLowerCase() as 'post'](EXAMPLE.path)
      .set({ ...EXAMPLE.headers, ...credentials(token), 'Content-Type': EXAMPLE.contentType })
      .send(text);
  const first = await ask();
  expect(first.status).toBe(SUCCESS);
  expect(first.headers).toMatchObject({
    'ratelimit-policy': '"default";q=2;w=60',
    ratelimit: '"default";r=1;t=60',
  });
  expect((await ask()).headers['ratelimit']).toMatch(/^"default";r=0;t=\d+$/);
  const refused = await ask();
  expect(refused.status).toBe(429);
  expect(refused.body).toMatchObject({ error: 42900 });
  expect(refused.headers['retry-after']).toMatch(/^\d+$/);
  expect(refused.headers['ratelimit']).toBe(`"default";r=0;t=${refused.headers['retry-after'] ?? ''}`);
  expect((await ask(OTHER, MISMATCH)).status).toBe(400);
});
