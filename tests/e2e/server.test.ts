import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { failProgram, startProgram } from '../support/program';

const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const post = async (url: string, body: object, token = 'secret') => {
  const headers = {
    'Content-Type': 'application/json',
    ...(token !== '' && { Authorization: `Bearer ${token}` }),
  };
  const response = await fetch(`${url}/plants`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json(), headers: response.headers };
};

test('the first minutes of a plant store, across a restart', async () => {
  const file = join(folder, 'made', 'for', 'it', 'plants.db');
  const env = { DATABASE_URL: `sqlite:${file}`, API_TOKENS: 'other, secret' };
  const monstera = { id: 1, name: 'Monstera', tag: 'tropical' };

  const first = await startProgram(env);
  expect(await post(first.url, monstera)).toMatchObject({
    status: 200,
    body: { name: 'Monstera', tag: 'tropical' },
  });
  expect((await post(first.url, monstera)).body).toEqual({ name: 'Monstera', tag: 'tropical' });
  const other = await post(first.url, { ...monstera, name: 'Ficus' });
  expect(other).toMatchObject({ status: 400, body: { error: 40002, message: expect.any(String) as string } });
  const anonymous = await post(first.url, monstera, '');
  expect(anonymous).toMatchObject({ status: 401, body: { error: 40100 } });
  expect(anonymous.headers.get('www-authenticate')).toBe('Bearer realm="api"');
  expect(await first.stop('SIGTERM')).toBe(0);

  const second = await startProgram(env);
  expect((await post(second.url, monstera)).status).toBe(200);
  expect((await post(second.url, { ...monstera, name: 'Ficus' })).status).toBe(400);
  expect(await second.stop('SIGINT')).toBe(0);

  const database = new Database(file, { readonly: true });
  expect(database.prepare('SELECT id, name, tag FROM plants').all()).toEqual([monstera]);
  database.close();
});

test('without tokens one is made up, and the printed curl line works as it stands', async () => {
  const server = await startProgram({ API_TOKENS: '' });
  const [command] = /curl [^]*?'\n/.exec(server.output()) ?? [];
  const { stdout } = await promisify(execFile)('bash', ['-c', command ?? 'false']);
  expect(stdout).toContain('HTTP/1.1 200 OK');
  expect(stdout).toContain('{"name":"Monstera","tag":"tropical"}');
  expect(await server.stop()).toBe(0);
});

test('what it prints to be found is printed at every log level', async () => {
  const server = await startProgram({ API_TOKENS: 'secret', LOG_LEVEL: 'silent' });
  expect(server.output()).toContain(server.url);
  await server.stop();
});

test('an open request is answered before the server ends', async () => {
  const server = await startProgram({ API_TOKENS: 'secret' });
  const { port } = new URL(server.url);
  const socket = connect({ port: Number(port), host: '127.0.0.1' });
  const head =
    'POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer secret\r\nContent-Type: application/json\r\n';
  const body = '{"id":1,"name":"Monstera"}';
  const chunks: string[] = [];
  socket.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  // The server has read the head once it asks for the body.
  const asked = new Promise((resolve) => socket.once('data', resolve));
  socket.write(`${head}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`);
  await asked;
  const stopped = server.stop();
  socket.write(body);
  expect(await stopped).toBe(0);
  expect(chunks.join('')).toContain('200 OK');
});

describe('what is wrong at the start ends it with status 1 and a sentence', () => {
  const file = (name: string, content: string) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  it.each([
    ['PORT', { PORT: '80000' }, 'PORT: expected an integer from 0 to 65535, got "80000"'],
    ['PORT', { PORT: '1e3' }, 'PORT: expected an integer from 0 to 65535, got "1e3"'],
    ['BODY_LIMIT', { BODY_LIMIT: '-1' }, 'BODY_LIMIT: expected an integer from 1 to 1073741824, got "-1"'],
    [
      'LOG_LEVEL',
      { LOG_LEVEL: 'loud' },
      'LOG_LEVEL: expected one of trace, debug, info, warn, error, fatal, silent, got "loud"',
    ],
    [
      'DATABASE_URL',
      { DATABASE_URL: 'mysql://root:hunter2@db' },
      'DATABASE_URL: expected memory:, sqlite:PATH or postgres://..., got mysql:...',
    ],
    ['API_TOKENS', { API_TOKENS: 'good, not good' }, 'API_TOKENS: expected bearer tokens'],
    ['API_TOKENS', { API_TOKENS: ' , ' }, 'API_TOKENS: expected at least one token, got none'],
    [
      'API_TOKENS_FILE',
      { API_TOKENS_FILE: '/nowhere' },
      'API_TOKENS_FILE: expected a file that can be read, got ENOENT',
    ],
    [
      'API_TOKENS_FILE',
      { API_TOKENS_FILE: '/nowhere', API_TOKENS: 'a' },
      'API_TOKENS_FILE: expected nothing beside API_TOKENS',
    ],
    [
      'tokens in production',
      { NODE_ENV: 'production' },
      'API_TOKENS or API_TOKENS_FILE: expected tokens, since NODE_ENV is production, got none',
    ],
    [
      'a database that is none',
      { DATABASE_URL: `sqlite:${file('text', 'not a database'.repeat(100))}` },
      'DATABASE_URL: ',
    ],
  ])('%s: %j', async (_, env, sentence) => {
    const { status, output } = await failProgram(env);
    expect([status, output]).toEqual([1, expect.stringContaining(sentence)]);
    expect(output).not.toMatch(/hunter2|^ +at /m);
  });

  it('all of it at once', async () => {
    const { output } = await failProgram({ PORT: 'x', LOG_LEVEL: 'loud' });
    expect(output.trim().split('\n')).toHaveLength(2);
  });

  it('a port that is taken', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = String(typeof address === 'object' && address ? address.port : 0);
    const { status, output } = await failProgram({ PORT: port });
    taken.close();
    expect([status, output]).toEqual([1, expect.stringContaining(`PORT: expected a free port, got ${port}`)]);
  });

  it('a file of tokens is read, a token a line', async () => {
    const server = await startProgram({ API_TOKENS_FILE: file('tokens', 'one\ntwo\n') });
    expect((await post(server.url, { id: 1, name: '' }, 'two')).status).toBe(200);
    await server.stop();
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });
});
