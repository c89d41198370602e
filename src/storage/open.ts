import type { StoreObserver } from 'contract-first-database';
import type { PlantStore } from '../plants/plant-store';
import { openMemoryStore } from './memory';
import { openPlantStore } from './plants';

/**
 * Opens the store that a URL names: `memory:`, `sqlite:PATH` or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`.
 *
 * @throws {Error} when there is no such store or it cannot be used, with a sentence that says why and what to do
 */
export async function openStore(url: string, observer?: StoreObserver): Promise<PlantStore> {
  return url === 'memory:' ? openMemoryStore() : openPlantStore(url, observer);
}
