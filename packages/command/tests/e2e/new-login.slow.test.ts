import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepFolder } from '../../../../scripts/testing/folder';
import { ALL_EXTRAS, installBeside, layOut, runIn } from '../../../../scripts/testing/package';
import { startProcess } from '../../../../scripts/testing/process';

// A service whose users log in: an API key with a prefix, envelopes, a refusal without a body, and one by 422.

jest.setTimeout(600_000);

const folder = keepFolder();
const service = join(folder, 'club');
let said: string;
beforeAll(() => {
  installBeside(folder);
  said = layOut(service, join(__dirname, './new-service/club.yaml'), folder, ALL_EXTRAS);
});

const read = (file: string) => readFileSync(join(service, file), 'utf8');

test('users are laid out, and proven', () => {
  expect(said).toContain('POST /users/login logs users in and POST /users registers them');
  expect(said).toMatch(/PROVEN (\d+)\/\1, WAIVED 0, UNPROVEN 0, BLOCKED 0/);
  expect(runIn(service, 'contract-first', 'todo').output).not.toContain('src/handlers/login.ts');
  expect(read('deploy/compose.yaml')).toContain('TOKEN_SECRETS:');
  expect(read('deploy/kubernetes.yaml')).toContain('{ key: token-secrets, path: token-secrets }');
});

test('who has registered can log in, and use the token, on a database that keeps no password', async () => {
  expect(runIn(service, 'tsc', '-p', 'src')).toEqual({ status: 0, output: '' });
  const env = { PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'club.db')}`, TOKEN_SECRETS: 'x'.repeat(32) };
  const server = startProcess([join(service, 'dist/main.js')], env, service);
  const [address] = await server.printed(/http:\/\/127\.0\.0\.1:\d+/);
  const send = async (path: string, body: unknown, authorization = '') => {
    const response = await fetch(`${address}${path}`, {
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'Content-Type': 'application/json', ...(authorization && { Authorization: authorization }) },
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  };
  const jane = { email: 'jane@example.com', password: 'correct horse', username: 'jane' };
  expect(await send('/users', { user: jane })).toMatchObject({
    status: 201,
    body: { user: { email: jane.email, username: 'jane', bio: null } },
  });
  expect(await send('/users', { user: { ...jane, email: 'other@example.com' } })).toMatchObject({
    status: 422,
  });
  expect(await send('/users/login', { user: { ...jane, password: 'Correct horse' } })).toMatchObject({
    status: 401,
  });
  expect(await send('/users/login', { user: { ...jane, email: 'nobody' } })).toMatchObject({ status: 401 });
  const { status, body } = await send('/users/login', { user: jane });
  expect(status).toBe(200);
  const { token } = (body as { readonly user: { readonly token: string } }).user;
  expect((await send('/user', undefined, `Token ${token}`)).status).toBe(200);
  expect((await send('/user', undefined, `Bearer ${token}`)).status).toBe(401);
  expect(await server.stop()).toBe(0);
  expect(readFileSync(join(folder, 'club.db'), 'latin1')).not.toContain(jane.password);
  expect(server.output()).not.toContain(jane.password);
});

test('a variable that no verifier reads any more, or that none of the files has, fails the tests of the service', () => {
  const given = read('.env.example');
  for (const text of [`${given}API_KEYS=\n`, given.replace('TOKEN_LIFETIME=86400\n', '')]) {
    writeFileSync(join(service, '.env.example'), text);
    expect(runIn(service, 'jest', 'tests/environment.test.ts').status).toBe(1);
  }
});
