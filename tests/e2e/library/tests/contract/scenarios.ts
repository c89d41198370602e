/** The knowledge that the engine cannot derive from the document: stored data, scenarios and own refusals. */
import type { LibraryStore } from '../../src/library/library-store';
import { openStore } from '../../src/storage/open';
import type { OwnRefusal, ParameterValues, Resolvable, Scenario, Waiver } from '../engine/target';
import { refusal } from './refusals';

const ODYSSEY = { isbn: '9780140449136', title: 'The Odyssey', year: 1996 };
const EMMA = { isbn: '9780141439587', title: 'Emma' };

/** A store with the objects that the examples of path parameters name. */
export async function openExampleStore(): Promise<LibraryStore> {
  const store = await openStore('memory:');
  await store.lend({ isbn: EMMA.isbn, reader: 'Grace', due: '2027-01-31' }); // the loan 1
  return store;
}

export const ownRefusals: Readonly<Record<string, OwnRefusal>> = {
  'no such book': { ...refusal('noSuchBook'), operations: ['getBook', 'createLoan'] },
  'no such loan': { ...refusal('noSuchLoan'), operations: ['updateLoan', 'deleteLoan'] },
  lent: { ...refusal('lent'), operations: [] },
};

/** The loan that the first step creates. */
const theLoan: Resolvable<ParameterValues> = (answerTo) => ({ loanId: answerTo(1).at('/id') });

export const scenarios: readonly Scenario[] = [
  {
    title: 'a book is lent to one reader',
    steps: [
      { operation: 'createLoan', expect: 'success' },
      { operation: 'createLoan', expect: 'lent' },
    ],
  },
  {
    title: 'a page ends where the next one begins',
    steps: [
      {
        operation: 'listBooks',
        parameters: { limit: 1 },
        expect: 'success',
        answer: { books: [ODYSSEY], next: ODYSSEY.isbn },
      },
      {
        operation: 'listBooks',
        parameters: { limit: 1, after: ODYSSEY.isbn },
        expect: 'success',
        answer: { books: [EMMA] },
      },
    ],
  },
  {
    title: 'a loan is extended to the day that was asked for',
    steps: [
      {
        operation: 'updateLoan',
        body: '{"due":"2027-03-31"}',
        expect: 'success',
        answer: { id: 1, reader: 'Grace', due: '2027-03-31' },
      },
    ],
  },
  {
    title: 'a loan that is returned is gone',
    steps: [
      { operation: 'createLoan', expect: 'success' },
      {
        operation: 'updateLoan',
        parameters: theLoan,
        expect: 'success',
        answer: { isbn: ODYSSEY.isbn, reader: 'Ada' },
      },
      { operation: 'deleteLoan', parameters: theLoan, expect: 'success' },
      { operation: 'updateLoan', parameters: theLoan, expect: 'no such loan' },
      { operation: 'deleteLoan', parameters: theLoan, expect: 'no such loan' },
    ],
  },
];

export const waivers: readonly Waiver[] = [];
