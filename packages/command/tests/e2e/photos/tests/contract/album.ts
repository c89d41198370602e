import type { ScenarioOf } from 'contract-first-prover';
import type { operations } from '../../generated/openapi';

/** What no document tells of photos. The service begins with one, whose id is 1, and whose event is 1. */
export const scenarios: readonly ScenarioOf<operations>[] = [
  {
    title: 'photos come in pages, the latest ones first',
    steps: [
      { operation: 'uploadPhoto', expect: 'success' },
      {
        operation: 'listPhotos',
        parameters: { limit: 1 },
        expect: 'success',
        answer: (answerTo) => ({ '/photos/0': answerTo(1).at(''), '/next': answerTo(1).at('/id') }),
      },
      {
        operation: 'listPhotos',
        parameters: (answerTo) => ({ limit: 1, cursor: answerTo(2).at('/next') }),
        expect: 'success',
        answer: { '/photos/0/id': 1, '/next': (next) => next === undefined },
      },
    ],
  },
  {
    title: 'what happened is told, in the order in which it happened',
    steps: [
      { operation: 'uploadPhoto', expect: 'success' },
      { operation: 'deletePhoto', parameters: { id: 1 }, expect: 'success' },
      { operation: 'downloadPhoto', parameters: { id: 1 }, expect: 'noSuchResource' },
      {
        operation: 'watchPhotos',
        parameters: { 'Last-Event-ID': 1 },
        expect: 'success',
        bytes: (body) => /^event: uploaded\nid: 2$[^]*^event: deleted\nid: 3$/m.test(body.toString()),
      },
    ],
  },
  {
    title: 'a photo is downloaded as it was uploaded',
    steps: [{ operation: 'downloadPhoto', parameters: { id: 1 }, expect: 'success', bytes: '0123456789' }],
  },
];
