import Sequencer from '@jest/test-sequencer';

/** Runs suites in the order in which they were given. */
export default class InOrder extends Sequencer {
  sort(tests) {
    return tests;
  }
}
