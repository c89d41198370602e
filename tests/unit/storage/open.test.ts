import { openStore } from '../../../src/storage/open';

test.each([
  ['', 'got none'],
  ['plants.db', 'got none'],
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
