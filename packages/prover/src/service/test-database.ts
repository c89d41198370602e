import { rmSync } from 'node:fs';
import { Client } from 'pg';

/**
 * Empties a database that is there for tests, for each test begins with an empty one: the file of SQLite is removed, and so
 * is the schema `public` of PostgreSQL, with all that it contains. Nothing is to be done for `memory:`.
 *
 * @returns the same URL
 * @throws {Error} if the name of the database does not contain `test`
 */
export async function emptied(url: string): Promise<string> {
  if (url === 'memory:') return url;
  const [, file] = /^sqlite:(.+)$/.exec(url) ?? [];
  const name = file ?? new URL(url).pathname.slice(1);
  if (!/test/i.test(name))
    throw new Error(
      `expected a database whose name contains "test", because the tests empty it, got ${name}`,
    );
  if (file !== undefined) {
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
    return url;
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  } finally {
    await client.end();
  }
  return url;
}
