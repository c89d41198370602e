import { readConfig } from './config';
import { type Dependencies, openDependencies } from './dependencies';
import { runSeed } from 'contract-first-server/runtime';

/**
 * Fills the database of a developer: `make seed`. It runs again whenever somebody calls it, so it adds what is missing, and leaves
 * what is there. With NODE_ENV=production it is refused.
 */
async function seed({ store }: Dependencies): Promise<void> {
  await store.ready(); // instead: add to the store what you like to find in it
}

runSeed({ readConfig, open: openDependencies, seed });
