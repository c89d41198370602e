import path from 'node:path';
import { unlessViolated } from 'contract-first-server/database';
import { runSeed } from 'contract-first-server/runtime';
import { readExamples } from 'contract-first-server/testing';
import { readConfig } from './config';
import { type Dependencies, openDependencies } from './dependencies';
import type { NewTea } from './storage/teas';

/** What the examples of the document name. */
const examples = readExamples(path.join(__dirname, '../tests/contract/examples.json')) as {
  readonly teas: NewTea;
};

/**
 * Fills the database of a developer: `npx contract-first seed`. It runs again whenever somebody calls it, and leaves what is there; what
 * the database counts is added each time. With NODE_ENV=production it is refused.
 */
async function seed({ store }: Dependencies): Promise<void> {
  await unlessViolated(['unique'], store.teas.add(examples.teas));
}

runSeed({ readConfig, open: openDependencies, seed });
