import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import request from 'supertest';
import published from '../../generated/openapi.json';
import type { JsonObject } from 'contract-first-server';
import { errors } from '../../src/errors';
import { keepFolder } from '../../scripts/testing/folder';
import { credentials, EXAMPLE, MISMATCH, send, SUCCESS } from '../../scripts/testing/client';
import { type Program, startProgram } from '../../scripts/testing/program';
import { buildApp, TOKEN } from '../../scripts/testing/plant-service';

const folder = keepFolder();

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
  await server.printed(/the tokens are unchanged: API_TOKENS_FILE: cannot read the file/);
  expect((await send(server, credentials('new-token'))).status).toBe(SUCCESS);
  expect(server.output()).not.toMatch(/new-token|secret/);
  expect(await server.stop()).toBe(0);
});

const ALLOWED = 'https://app.example.com';
const preflight = (origin: string) => ({
  Origin: origin,
  'Access-Control-Request-Method': EXAMPLE.method,
  'Access-Control-Request-Headers': 'authorization',
});

test.each<[title: string, corsOrigins: string[], origin: string, allowed: string | undefined]>([
  ['without CORS_ORIGINS no page', [], ALLOWED, undefined],
  ['with CORS_ORIGINS pages of the first', [ALLOWED, 'http://localhost:5173'], ALLOWED, ALLOWED],
  ['with CORS_ORIGINS pages of each', ['http://localhost:5173', ALLOWED], ALLOWED, ALLOWED],
  ['with CORS_ORIGINS no page of others', [ALLOWED], 'https://evil.example.com', undefined],
])('%s may call', async (_, corsOrigins, origin, allowed) => {
  const app = buildApp({ corsOrigins });
  const asked = await request(app).options(EXAMPLE.path).set(preflight(origin));
  expect(asked.headers['access-control-allow-origin']).toBe(allowed);
  if (corsOrigins.length === 0) expect([asked.status, errors.numberOf(asked.body)]).toEqual([405, 40500]);
  if (allowed !== undefined) {
    expect(asked.status).toBe(204);
    expect(asked.headers['access-control-allow-headers']).toBe('authorization');
  }
  const bare = await request(app).options(EXAMPLE.path).set('Origin', origin);
  expect([bare.status, bare.headers['allow']]).toEqual([405, expect.stringContaining(EXAMPLE.method)]);
  const answered = await request(app)
    .post(EXAMPLE.path)
    .set({ Origin: origin, 'Content-Type': EXAMPLE.contentType, ...EXAMPLE.headers, ...credentials(TOKEN) })
    .send(EXAMPLE.text);
  expect(answered.status).toBe(SUCCESS);
  const given = Object.keys(answered.headers).filter((name) => name.startsWith('access-control-allow'));
  expect(given).toEqual(allowed === undefined ? [] : ['access-control-allow-origin']);
  expect(answered.headers['vary']).toBe(corsOrigins.length > 0 ? 'Origin' : undefined);
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
      'X-Request-Id,Retry-After,WWW-Authenticate,Accept-Ranges,Content-Range,X-Count',
    ) as string,
  });
});
