import Sequencer from '@jest/test-sequencer';

/**
 * The slowest suites, the slowest first. On a new machine Jest has no timings and goes by the sizes of files. Those of these
 * suites are small, and one that starts last keeps a single core busy for minutes.
 */
const LONGEST = [
  'one-line.slow',
  'docs.slow',
  'upgrade.slow',
  'new-service',
  'idempotent-kills.slow',
  'written-code.slow',
  'workspace.slow',
  'library.slow',
  'photos.slow',
  'http/growth.slow',
  'large-schemas.slow',
  'package.slow',
  'documents.slow',
  'crash.slow',
  'widenings.slow',
  'mock-and-prover.slow',
  'failover.slow',
  'e2e/toolchain-',
  'e2e/new-',
  'postgres-outage',
  'e2e/',
];
const rank = ({ path }) => {
  const place = LONGEST.findIndex((part) => path.includes(part));
  return place === -1 ? LONGEST.length : place;
};

/** Orders suites by their duration, as Jest does. Without timings the slowest suites come first. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
