import path from 'node:path';
import { unlessViolated } from 'contract-first-database';
import { runSeed } from 'contract-first-server/runtime';
import { readExamples } from 'contract-first-prover/service';
import { readConfig } from './config';
import { type Dependencies, openDependencies } from './dependencies';
// #region imports
import type { NewNeighbor } from './storage/neighbors';
import type { NewBike } from './storage/bikes';
// #endregion imports

// #region examples
/** What the examples of the document name. */
const examples = readExamples(path.join(__dirname, '../tests/contract/examples.json')) as {
  // #region typed
  readonly neighbors: NewNeighbor;
  readonly bikes: NewBike;
  // #endregion typed
};
// #endregion examples

/**
 * Seeds the development database: `npx contract-first seed`. You can run it again: rows that exist stay as they are, but rows whose key
 * the database generates are added each time. It does not run with NODE_ENV=production.
 */
async function seed({ store }: Dependencies): Promise<void> {
  // #region stored
  await unlessViolated(['unique'], store.neighbors.add(examples.neighbors));
  await unlessViolated(['unique'], store.bikes.add(examples.bikes));
  // #endregion stored
}

runSeed({ readConfig, open: openDependencies, seed });
