import type { Express } from 'express';
import request from 'supertest';
import { clientOf, limitRequests } from '../../src/runtime';
import { credentials, EXAMPLE, MISMATCH, SUCCESS } from '../support/client';
import { buildApp, strategiesAccepting } from '../support/service';

// The rate limiter is a hook, outside of the core.

const [GOOD, OTHER] = ['one-token', 'another-token'] as const;

function build(requests: number) {
  const app = buildApp({
    strategies: strategiesAccepting(GOOD, OTHER),
    rateLimit: limitRequests({ requests, seconds: 60 }, clientOf),
  });
  return (token: string = GOOD, text = EXAMPLE.text, type = EXAMPLE.contentType) =>
    ask(app, token, text, type);
}

function ask(app: Express, token: string, text = EXAMPLE.text, type = EXAMPLE.contentType) {
  return request(app)
    [EXAMPLE.method.toLowerCase() as 'post'](EXAMPLE.path)
    .set({ ...EXAMPLE.headers, ...credentials(token), 'Content-Type': type })
    .send(text);
}

test('each principal has its own quota, which every response contains', async () => {
  const asking = build(2);
  const first = await asking();
  expect(first.status).toBe(SUCCESS);
  expect(first.headers).toMatchObject({
    'ratelimit-policy': '"default";q=2;w=60',
    ratelimit: '"default";r=1;t=60',
  });
  expect((await asking()).headers['ratelimit']).toMatch(/^"default";r=0;t=\d+$/);
  const refused = await asking();
  expect(refused.status).toBe(429);
  expect(refused.body).toMatchObject({ error: 42900 });
  expect(refused.headers['retry-after']).toMatch(/^\d+$/);
  expect(refused.headers['ratelimit']).toBe(`"default";r=0;t=${refused.headers['retry-after'] ?? ''}`);
  expect((await asking(OTHER, MISMATCH)).status).toBe(400);
});

test('a request without a valid token uses no quota, and its response has no quota fields', async () => {
  const asking = build(1);
  const bad = await asking('bad-token');
  expect([bad.status, bad.headers['ratelimit']]).toEqual([401, undefined]);
  expect((await asking()).status).toBe(SUCCESS);
});

test('an exhausted quota is refused before the media type and the body, whose refusals have the quota fields', async () => {
  const asking = build(3);
  for (const [text, type, status, left] of [
    ['{}', 'text/plain', 415, 2],
    ['{', 'application/json', 400, 1],
    ['x'.repeat(200_000), 'application/json', 413, 0],
  ] as const) {
    const { status: got, headers } = await asking(GOOD, text, type);
    expect([got, headers['ratelimit']]).toEqual([status, expect.stringContaining(`r=${left}`)]);
  }
  for (const [text, type] of [
    ['{}', 'text/plain'],
    ['{', 'application/json'],
    ['x'.repeat(200_000), 'application/json'],
  ] as const) {
    expect((await asking(GOOD, text, type)).status).toBe(429);
  }
});

test('without a limit no response has quota fields', async () => {
  const app = buildApp({ strategies: strategiesAccepting(GOOD) });
  const { status, headers } = await ask(app, GOOD);
  expect(status).toBe(SUCCESS);
  expect(Object.keys(headers).filter((name) => /ratelimit|retry/.test(name))).toEqual([]);
});
