import type { PlantStore } from '../plants/plant-store';
import type { StoreObserver } from '../store';
import { openMemoryStore } from './memory';
import { openPostgresStore } from './postgres';
import { openSqliteStore } from './sqlite';

/**
 * Opens the store that a URL names: `memory:`, `sqlite:PATH` or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`.
 *
 * @throws {Error} when there is no such store or it cannot be used, with a sentence that says why and what to do
 */
export async function openStore(url: string, observer?: StoreObserver): Promise<PlantStore> {
  const [scheme = '', rest = ''] = url.split(/:(.*)/s);
  if (scheme === 'memory' && rest === '') return openMemoryStore();
  if (scheme === 'sqlite' && rest !== '') return openSqliteStore(rest, observer);
  if (scheme === 'postgres' || scheme === 'postgresql') return openPostgresStore(url, observer);
  // Only the scheme is repeated: what follows may hold a password.
  throw new Error(
    `expected a store URL like memory:, sqlite:data/plants.db or postgres://user:password@host/database, got ${
      scheme === '' || scheme === url ? 'none' : `one that begins with "${scheme}:"`
    }`,
  );
}
