import crypto from 'node:crypto';
import request from 'supertest';
import type { Answer } from '../../src/contract';
import {
  hashPassword,
  readEnvironment,
  readSignedTokens,
  signedTokens,
  signedTokenStrategy,
  verifyPassword,
} from '../../src/runtime';
import { buildService, json } from '../support/service';

// A service whose users register and log in, and an operation that knows them but needs nobody.

const user = {
  type: 'object',
  required: ['name', 'password'],
  properties: { name: { type: 'string' }, password: { type: 'string' } },
};
const input = { requestBody: { required: true, content: json(user) } };
const text = (status: number) => ({ [status]: { description: '', content: json({ type: 'string' }) } });
const refused = {
  401: { description: '', content: json({ type: 'object', properties: { error: {}, message: {} } }) },
};
const optional = [{}, { Token: [] }];
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Users', version: '1.0.0' },
  security: [{ Token: [] }],
  paths: {
    '/users': { post: { operationId: 'register', security: [], ...input, responses: text(201) } },
    '/login': {
      post: { operationId: 'login', security: [], ...input, responses: { ...text(200), ...refused } },
    },
    '/me': { get: { operationId: 'me', responses: text(200) } },
    '/hello': { get: { operationId: 'hello', security: optional, responses: text(200) } },
  },
  components: { securitySchemes: { Token: { type: 'apiKey', in: 'header', name: 'Authorization' } } },
};

interface Given {
  readonly body: { readonly name: string; readonly password: string };
  readonly principal: { readonly Token?: { readonly id: string } };
}

function buildUsers() {
  const hashes = new Map<string, string>();
  const tokens = signedTokens(readEnvironment({}, (variables) => readSignedTokens(variables, 'TOKEN')));
  const handlers = {
    register: async ({ body: { name, password } }: Given): Promise<Answer> => {
      hashes.set(name, await hashPassword(password));
      return { status: 201, body: await tokens.issue(name) };
    },
    login: async ({ body: { name, password } }: Given): Promise<Answer> =>
      (await verifyPassword(password, hashes.get(name)))
        ? { status: 200, body: await tokens.issue(name) }
        : { status: 401, body: { error: 40102, message: 'no such user, or another password' } },
    me: ({ principal }: Given) => Promise.resolve({ status: 200, body: principal.Token?.id }),
    hello: ({ principal }: Given) => Promise.resolve({ status: 200, body: principal.Token?.id ?? 'nobody' }),
  };
  const strategies = { Token: signedTokenStrategy(tokens, { prefix: 'Token' }) };
  const { app } = buildService({
    document: DOCUMENT,
    handlers: handlers,
    strategies,
    maxRequests: 200,
  });
  const post = (path: string, name: string, password: string, authorization?: string) => {
    const sent = request(app).post(path);
    return (authorization === undefined ? sent : sent.set('Authorization', authorization)).send({
      name,
      password,
    });
  };
  const get = async (path: string, authorization?: string) => {
    const sent = request(app).get(path);
    const response = await (authorization === undefined ? sent : sent.set('Authorization', authorization));
    return [response.status, response.headers['www-authenticate'] ?? (response.body as unknown)];
  };
  return { post, get, tokens };
}

test('users register, log in and are known by their token', async () => {
  const { post, get } = buildUsers();
  const registered = (await post('/users', 'Zoë', 'pa\u0000ss').expect(201)).body as string;
  const token = (await post('/login', 'Zoë', 'pa\u0000ss').expect(200)).body as string;
  for (const each of [registered, token]) {
    expect(await get('/me', `Token ${each}`)).toEqual([200, 'Zoë']);
    expect(await get('/hello', `token  ${each}`)).toEqual([200, 'Zoë']);
  }
  expect(await get('/hello')).toEqual([200, 'nobody']);
  expect(await get('/me')).toEqual([401, 'Token realm="api"']);
  for (const bad of [token, `Bearer ${token}`, `Token ${token}x`, `Token ${token.slice(0, -4)}`, 'Token', ''])
    for (const path of ['/me', '/hello'])
      expect([bad, path, ...(await get(path, bad))]).toEqual([bad, path, 401, 'Token realm="api"']);
  // A client sends its old token to the login, too.
  await post('/login', 'Zoë', 'pa\u0000ss', 'Token expired').expect(200);
  for (const [name, password] of [
    ['Zoë', 'pa'],
    ['Zoë', 'pa\u0000ss\u0000'],
    ['zoë', 'pa\u0000ss'],
    ['nobody', 'pa\u0000ss'],
    ['__proto__', ''],
  ] as const)
    await post('/login', name, password).expect(401);
});

test('more logins at once than can be verified are 503, and other requests are answered', async () => {
  const { post, get, tokens } = buildUsers();
  const token = await tokens.issue('alice');
  const held: (() => void)[] = [];
  let hold = (end: () => void): unknown => held.push(end);
  type Done = (error: null, key: Buffer) => void;
  const scrypt = (_: unknown, __: unknown, length: number, ___: unknown, done: Done) =>
    hold(() => {
      done(null, Buffer.alloc(length));
    });
  jest.spyOn(crypto, 'scrypt').mockImplementation(scrypt as typeof crypto.scrypt);
  const refused: string[] = [];
  const logins = Array.from({ length: 90 }, async () => {
    const response = await post('/login', 'nobody', 'x');
    const { error } = response.body as { error: number };
    if (response.status === 503) refused.push(`${error} ${response.headers['retry-after'] ?? ''}`);
    return response.status;
  });
  const all = Promise.all(logins);
  while (refused.length < 24) await Promise.race([all, new Promise((resolve) => setImmediate(resolve))]);
  expect(await get('/me', `Token ${token}`)).toEqual([200, 'alice']);
  expect([held.length, new Set(refused)]).toEqual([2, new Set(['50300 1'])]);
  hold = (end) => setImmediate(end);
  for (const end of held) end();
  const statuses = await all;
  expect(statuses.filter((status) => status === 401)).toHaveLength(66);
});
