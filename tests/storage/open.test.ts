import { readDatabaseUrl, readEnvironment } from 'contract-first-server/runtime';
import { openStore } from '../../src/storage/open';
import { registerThird } from '../../packages/database/tests/support/third-driver';

test.each([
  ['', 'got none'],
  ['plants.db', 'got none'],
  ['root@secret:1', 'got none'],
  ['sqlite:', 'got one that begins with "sqlite:"'],
  ['memory:plants', 'got one that begins with "memory:"'],
  ['mysql://root:secret@localhost/plants', 'got one that begins with "mysql:"'],
])('refuses the URL "%s": %s', async (url, got) => {
  await expect(openStore(url)).rejects.toThrow(
    `expected a database URL like memory:, sqlite:PATH or postgres://user:password@host/database, ${got}`,
  );
});

test('refuses a broken postgres URL without repeating its password', async () => {
  const error = await openStore('postgres://user:secret@host:port/plants').catch(String);
  expect(error).toContain('expected postgres://user:password@host:port/database');
  expect(error).not.toContain('secret');
});

test('an engine that is added to the table of drivers is known to the configuration and to its message', () => {
  registerThird();
  const read = (url: string) =>
    readEnvironment({ DATABASE_URL: url }, (variables) => readDatabaseUrl(variables, 'memory:'));
  expect(read('third:plants.db')).toBe('third:plants.db');
  expect(() => read('fourth:plants.db')).toThrow(
    'expected memory:, sqlite:PATH, postgres://user:password@host/database or third:PATH, got fourth:...',
  );
});
