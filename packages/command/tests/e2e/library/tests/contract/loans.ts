import type { ScenarioOf } from 'contract-first-prover';
import type { operations } from '../../generated/openapi';

/** The book that the tests begin with. */
const ISBN = '9780000000001';
/** The book that another member has. */
export const LENT = '9780000000002';
const UNKNOWN = '9799999999999';

const bookBy = (authorId: string, isbn = ISBN) =>
  `{"book":{"isbn":"${isbn}","title":"Emma","authorId":${authorId},"genre":"novel"}}`;

/** What the library promises beyond single requests. */
export const scenarios: readonly ScenarioOf<operations>[] = [
  {
    title: 'a book is lent to one member at a time, who sees it, and brings it back',
    steps: [
      { operation: 'borrowBook', parameters: { isbn: ISBN }, expect: 'success' },
      { operation: 'borrowBook', parameters: { isbn: ISBN }, expect: 'conflict' },
      {
        operation: 'getBook',
        parameters: { isbn: ISBN },
        security: ['Token'],
        expect: 'success',
        answer: { '/book/available': false, '/book/mine': true },
      },
      {
        operation: 'getBook',
        parameters: { isbn: ISBN },
        security: [],
        expect: 'success',
        answer: { '/book/available': false, '/book/mine': (mine) => mine === undefined },
      },
      {
        operation: 'listBooks',
        parameters: { available: false },
        security: ['Token'],
        expect: 'success',
        answer: { total: 2, '/books/0/mine': true, '/books/1/mine': false },
      },
      {
        operation: 'returnBook',
        parameters: (answerTo) => ({ loanId: answerTo(1).at('/id') }),
        expect: 'success',
      },
      {
        operation: 'returnBook',
        parameters: (answerTo) => ({ loanId: answerTo(1).at('/id') }),
        expect: 'success',
        answer: (answerTo) => ({ '': answerTo(6).at('') }),
      },
      {
        operation: 'listLoans',
        parameters: { returned: true },
        expect: 'success',
        answer: (answerTo) => ({ '/1': answerTo(6).at(''), '/2': (third) => third === undefined }),
      },
      { operation: 'borrowBook', parameters: { isbn: ISBN }, expect: 'success' },
    ],
  },
  {
    title: 'a loan ends by the member who has the book',
    steps: [
      { operation: 'returnBook', parameters: { loanId: 2 }, expect: 'ofAnother' },
      { operation: 'returnBook', parameters: { loanId: 999 }, expect: 'noSuchResource' },
    ],
  },
  {
    title: 'a book that has loans stays',
    steps: [
      { operation: 'deleteBook', parameters: { isbn: LENT }, expect: 'conflict' },
      { operation: 'getBook', parameters: { isbn: LENT }, expect: 'success' },
    ],
  },
  {
    title: 'a book has an ISBN of its own, and an author',
    steps: [
      { operation: 'createBook', body: bookBy('1'), expect: 'conflict' },
      { operation: 'createBook', body: bookBy('999', UNKNOWN), expect: 'unprocessableEntity' },
    ],
  },
  {
    title: 'reviews come in pages',
    steps: [
      { operation: 'createReview', parameters: { isbn: ISBN }, expect: 'success' },
      { operation: 'createReview', parameters: { isbn: ISBN }, expect: 'success' },
      {
        operation: 'listReviews',
        parameters: (answerTo) => ({ isbn: ISBN, after: answerTo(1).at('/id') }),
        expect: 'success',
        answer: (answerTo) => ({ '/0': answerTo(2).at(''), '/1': (next) => next === undefined }),
      },
    ],
  },
  {
    title: 'a book that is not there has no reviews and no loans',
    steps: [
      { operation: 'createReview', parameters: { isbn: UNKNOWN }, expect: 'noSuchResource' },
      { operation: 'borrowBook', parameters: { isbn: UNKNOWN }, expect: 'noSuchResource' },
    ],
  },
];
