import Sequencer from '@jest/test-sequencer';

/** The suites that take the longest, none of which is a large file: by its size Jest would start it at the end. */
const LONGEST =
  /own-document|toolchain-(dev|generate)|contract\/(documents|faults|growth)\.|jwt|postgres-outage/;

/** As Jest orders suites, by how long they took; where that is not known yet, the longest first. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    return sorted.toSorted((a, b) => Number(LONGEST.test(b.path)) - Number(LONGEST.test(a.path)));
  }
}
