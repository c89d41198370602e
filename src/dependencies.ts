import type { Config } from './config';
import type { Store, StoreObserver } from 'contract-first-database';
import type { PlantStore } from './plants/plant-store';
import { openInOrder } from 'contract-first-server/runtime';
import { openStore } from './storage/open';

/** What handlers, verifiers and hooks share. Opened in this order, closed in the opposite one. */
export interface Dependencies extends Store {
  readonly store: PlantStore;
}

/** @throws {Error} when one cannot be opened, with a sentence that says why; those before it are closed */
export const openDependencies = (config: Config, observer?: StoreObserver): Promise<Dependencies> =>
  openInOrder(async (open) => ({
    store: await open(openStore(config.databaseUrl, observer)),
  }));
