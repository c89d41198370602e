import { createDatabase, type Database } from './database';
import { openPostgres } from './postgres';
import type { Schema } from './schema';
import { openSqlite } from './sqlite';
import type { StoreObserver } from './store';

/**
 * Opens the database that a URL names, and brings its schema up to date: `memory:` (a SQLite database of this process),
 * `sqlite:PATH` or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`.
 *
 * @throws {Error} when there is no such database or it cannot be used, with a sentence that says why and what to do
 */
export async function openDatabase(url: string, schema: Schema, observer?: StoreObserver): Promise<Database> {
  const [scheme = '', rest = ''] = url.split(/:(.*)/s);
  if (scheme === 'memory' && rest === '')
    return createDatabase(await openSqlite(undefined, schema), observer);
  if (scheme === 'sqlite' && rest !== '') return createDatabase(await openSqlite(rest, schema), observer);
  if (scheme === 'postgres' || scheme === 'postgresql')
    return createDatabase(await openPostgres(url, schema), observer);
  // Only the scheme is repeated: what follows may hold a password.
  throw new Error(
    `expected a database URL like memory:, sqlite:PATH or postgres://user:password@host/database, got ${
      scheme === '' || scheme === url ? 'none' : `one that begins with "${scheme}:"`
    }`,
  );
}
