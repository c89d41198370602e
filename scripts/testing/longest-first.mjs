import Sequencer from '@jest/test-sequencer';

/** The slowest suites. Their files are small, so that Jest would start them last if it has no timings. */
const LONGEST =
  /new-service|toolchain-(dev|generate)|contract\/(documents|faults|growth)\.|jwt|postgres-outage/;

/** Orders suites by their duration, as Jest does. Without timings the slowest suites come first. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    return sorted.toSorted((a, b) => Number(LONGEST.test(b.path)) - Number(LONGEST.test(a.path)));
  }
}
