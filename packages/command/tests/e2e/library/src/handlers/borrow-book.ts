import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** POST /books/{isbn}/loans */
export const borrowBook: CreateHandler<'borrowBook'> =
  ({ store }) =>
  async ({ path: { isbn }, principal }) => {
    const loan = await store.loans.begin(isbn, principal.Token.id);
    if (loan === 'no book')
      return { status: 404, body: errorBody('noSuchResource', `there is no book ${isbn}`) };
    if (loan === 'borrowed')
      return { status: 409, body: errorBody('conflict', `somebody has borrowed the book ${isbn}`) };
    return { status: 201, body: loan };
  };
