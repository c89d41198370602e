import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { curlIn, linesOf, RECORDING, rejectedBy, shown } from '../../scripts/recording/scenes';
import { keepFolder } from '../../scripts/testing/folder';
import { STATUS_LINE } from '../../scripts/testing/client';
import { failProgram, startProgram } from '../../scripts/testing/program';

const folder = keepFolder();

test('generates a token if none is configured, and prints a curl command that works, as the recording shows', async () => {
  const server = await startProgram({ API_TOKENS: '', DATABASE_URL: '' }, folder);
  const command = curlIn(server.output());
  const { stdout: created } = await promisify(execFile)('bash', ['-c', command]);
  expect(created).toContain(STATUS_LINE);
  const { stdout: rejected } = await promisify(execFile)('bash', ['-c', rejectedBy(command)]);
  const recorded = linesOf(readFileSync(RECORDING, 'utf8'));
  // Without a terminal the log is JSON.
  const printed = shown(server.output()).split('\n{')[0] ?? '';
  for (const text of [printed, shown(created), shown(rejected)]) expect(recorded.join('\n')).toContain(text);
  expect(await server.stop()).toBe(0);
});

test('prints its addresses at every log level', async () => {
  const server = await startProgram({ API_TOKENS: 'secret', LOG_LEVEL: 'silent' });
  expect(server.output()).toContain(server.url);
  await server.stop();
});

const TEXT = join(folder, 'text');
writeFileSync(TEXT, 'not a database'.repeat(100));

test.each<[string, Record<string, string>, string[]]>([
  [
    'several variables',
    {
      PORT: '80000',
      LOG_LEVEL: 'loud',
      API_TOKENS: 'good, not good',
      DATABASE_URL: 'mysql://root:hunter2@db',
    },
    [
      'PORT: expected an integer from 0 to 65535, got "80000"',
      'LOG_LEVEL: expected one of trace, debug, info, warn, error, fatal, silent, got "loud"',
      'API_TOKENS: expected bearer tokens',
      'DATABASE_URL: expected memory:, sqlite:PATH or postgres://user:password@host/database, got mysql:...',
    ],
  ],
  ['HOST', { HOST: '203.0.113.9' }, ['HOST and PORT: cannot listen on this address: listen E']],
  ['a file that is not a database', { DATABASE_URL: `sqlite:${TEXT}` }, ['DATABASE_URL: ']],
])('what cannot be used ends the startup with status 1, and a line each: %s', async (_, env, sentences) => {
  const { status, output } = await failProgram(env);
  expect(status).toBe(1);
  expect(output.trim().split('\n').sort()).toEqual(
    sentences.sort().map((sentence) => expect.stringContaining(sentence) as string),
  );
  expect(output).not.toContain('hunter2');
});
