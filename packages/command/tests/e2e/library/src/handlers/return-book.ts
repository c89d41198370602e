import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** POST /loans/{loanId}/return. Who returns a book twice gets the answer of the first time. */
export const returnBook: CreateHandler<'returnBook'> =
  ({ store }) =>
  async ({ path: { loanId }, principal }) => {
    const loan = await store.loans.end(loanId, principal.Token.id);
    if (loan === 'no loan')
      return { status: 404, body: errorBody('noSuchResource', `there is no loan ${loanId}`) };
    if (loan === 'of another')
      return { status: 403, body: errorBody('ofAnother', `the loan ${loanId} is of another member`) };
    return { status: 200, body: loan };
  };
