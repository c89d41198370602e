import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import published from '../../generated/openapi.json';
import type { JsonObject } from '../../src/contract';
import { credentials, errorOf, EXAMPLE, MISMATCH, send, SUCCESS } from '../support/client';
import { type Program, startProgram } from '../support/program';
import { buildApp, TOKEN } from '../support/service';

const folder = mkdtempSync(join(tmpdir(), 'contract-first-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** 401 if the token is refused. Otherwise 400, because the server then reads the body, which is invalid. */
const statusWith = async (server: Program, token: string) =>
  (await send(server, credentials(token), MISMATCH)).status;

test('replaces the tokens when the file changes, and keeps them when the file is invalid', async () => {
  const file = join(folder, 'tokens');
  const replace = (content: string) => {
    writeFileSync(`${file}.new`, content);
    renameSync(`${file}.new`, file);
  };
  replace('old-token\n');
  const server = await startProgram({ API_TOKENS_FILE: file });
  const statusOf = (token: string) => statusWith(server, token);
  expect([await statusOf('old-token'), await statusOf('new-token')]).toEqual([400, 401]);
  replace('new-token\n');
  await server.printed(/the tokens have been replaced/);
  expect([await statusOf('old-token'), await statusOf('new-token')]).toEqual([401, 400]);
  replace('not a-secret!\n');
  await server.printed(/"level":"error".*the tokens are unchanged: API_TOKENS_FILE: expected bearer tokens/);
  expect(await statusOf('new-token')).toBe(400);
  rmSync(file);
  await server.printed(/the tokens are unchanged: API_TOKENS_FILE: expected a file/);
  expect((await send(server, credentials('new-token'))).status).toBe(SUCCESS);
  expect(server.output()).not.toMatch(/new-token|secret/);
  expect(await server.stop()).toBe(0);
});

test('without CORS_ORIGINS no page of another origin may call', async () => {
  const server = await startProgram({ API_TOKENS: TOKEN });
  const preflight = { Origin: 'https://app.example.com', 'Access-Control-Request-Method': EXAMPLE.method };
  const refused = await fetch(server.url + EXAMPLE.path, { method: 'OPTIONS', headers: preflight });
  expect([refused.status, await errorOf(refused), refused.headers.get('allow')]).toEqual([
    405,
    40500,
    expect.stringContaining(EXAMPLE.method),
  ]);
  const answered = await send(server, { Origin: 'https://app.example.com' });
  expect(answered.status).toBe(SUCCESS);
  expect([...answered.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  expect(await server.stop()).toBe(0);
});

test('with CORS_ORIGINS pages of these origins may call, and no others', async () => {
  const server = await startProgram({
    API_TOKENS: TOKEN,
    CORS_ORIGINS: 'https://app.example.com, http://localhost:5173',
  });
  const preflight = (Origin: string) =>
    fetch(server.url + EXAMPLE.path, {
      method: 'OPTIONS',
      headers: {
        Origin,
        'Access-Control-Request-Method': EXAMPLE.method,
        'Access-Control-Request-Headers': 'authorization',
      },
    });
  const allowed = await preflight('https://app.example.com');
  expect(allowed.status).toBe(204);
  expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
  expect(allowed.headers.get('access-control-allow-headers')).toBe('authorization');
  const other = await preflight('https://evil.example.com');
  expect(other.headers.get('access-control-allow-origin')).toBeNull();
  const answered = await send(server, { Origin: 'http://localhost:5173' });
  expect(answered.status).toBe(SUCCESS);
  expect(answered.headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
  expect(answered.headers.get('vary')).toBe('Origin');
  const bare = await fetch(server.url + EXAMPLE.path, {
    method: 'OPTIONS',
    headers: { Origin: 'http://localhost:5173' },
  });
  expect([bare.status, bare.headers.get('allow')]).toEqual([405, expect.stringContaining(EXAMPLE.method)]);
  expect(await server.stop()).toBe(0);
});

test('pages of allowed origins may read the response headers of the document', async () => {
  const described = { 'X-Count': { schema: { type: 'integer' } } };
  const document = JSON.parse(JSON.stringify(published), (key, value: object) =>
    /^2\d\d$/.test(key) ? { ...value, headers: described } : value,
  ) as JsonObject;
  const app = buildApp({ document, corsOrigins: ['https://app.example.com'] });
  const { headers } = await request(app).get('/').set('Origin', 'https://app.example.com');
  expect(headers).toMatchObject({
    'access-control-expose-headers': expect.stringContaining(
      'X-Request-Id,Retry-After,WWW-Authenticate,X-Count',
    ) as string,
  });
});
