import { readConfig } from './config';
import { openDependencies } from './dependencies';
import { runSeed } from 'contract-first-server/runtime';

const PLANTS = [
  { id: 1n, name: 'Monstera', tag: 'tropical' },
  { id: 2n, name: 'Aloe vera', tag: 'succulent' },
  { id: 3n, name: 'Boston fern' },
];

// `make seed` seeds the development database. Existing rows stay as they are, so you can run it again.
runSeed({
  readConfig,
  open: openDependencies,
  async seed({ store }) {
    await Promise.all(PLANTS.map((plant) => store.create(plant)));
  },
});
