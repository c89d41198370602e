import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { keepFolder } from '../support/folder';
import { credentials, send, STATUS_LINE, SUCCESS } from '../support/client';
import { failProgram, startProgram } from '../support/program';

const folder = keepFolder();

test('generates a token if none is configured, and prints a curl command that works', async () => {
  const server = await startProgram({ API_TOKENS: '', DATABASE_URL: '' }, folder);
  const [command] = /curl [^]*?'\n/.exec(server.output()) ?? [];
  const { stdout } = await promisify(execFile)('bash', ['-c', command ?? 'false']);
  expect(stdout).toContain(STATUS_LINE);
  expect(await server.stop()).toBe(0);
});

test('prints its addresses at every log level', async () => {
  const server = await startProgram({ API_TOKENS: 'secret', LOG_LEVEL: 'silent' });
  expect(server.output()).toContain(server.url);
  await server.stop();
});

describe('an invalid configuration ends the startup with status 1 and a message', () => {
  const file = (name: string, content: string) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  it.each([
    ['PORT', { PORT: '80000' }, 'PORT: expected an integer from 0 to 65535, got "80000"'],
    ['PORT', { PORT: '1e3' }, 'PORT: expected an integer from 0 to 65535, got "1e3"'],
    ['BODY_LIMIT', { BODY_LIMIT: '-1' }, 'BODY_LIMIT: expected an integer from 1 to '],
    [
      'HOST',
      { HOST: '203.0.113.9' },
      'HOST and PORT: expected an address that this program can listen on, got listen E',
    ],
    [
      'LOG_LEVEL',
      { LOG_LEVEL: 'loud' },
      'LOG_LEVEL: expected one of trace, debug, info, warn, error, fatal, silent, got "loud"',
    ],
    [
      'DATABASE_URL',
      { DATABASE_URL: 'mysql://root:hunter2@db' },
      'DATABASE_URL: expected memory:, sqlite:PATH or postgres://user:password@host/database, got mysql:...',
    ],
    ['API_TOKENS', { API_TOKENS: 'good, not good' }, 'API_TOKENS: expected bearer tokens'],
    [
      'API_TOKENS_FILE',
      { API_TOKENS_FILE: '/nowhere' },
      'API_TOKENS_FILE: expected a file that can be read, got ENOENT',
    ],
    [
      'a file that is not a database',
      { DATABASE_URL: `sqlite:${file('text', 'not a database'.repeat(100))}` },
      'DATABASE_URL: ',
    ],
  ])('%s: %j', async (_, env, sentence) => {
    const { status, output } = await failProgram(env);
    expect([status, output]).toEqual([1, expect.stringContaining(sentence)]);
    expect(output).not.toMatch(/hunter2|^ +at /m);
  });

  it('reports all errors together', async () => {
    const { output } = await failProgram({ PORT: 'x', LOG_LEVEL: 'loud' });
    expect(output.trim().split('\n')).toHaveLength(2);
  });

  it('reads a tokens file, one token a line', async () => {
    const server = await startProgram({ API_TOKENS_FILE: file('tokens', 'one\ntwo\n') });
    expect((await send(server, credentials('two'))).status).toBe(SUCCESS);
    await server.stop();
  });
});
