import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** PATCH /v1/loans/{loanId} */
export const updateLoan: CreateHandler<'updateLoan'> =
  (store) =>
  async ({ path: { loanId }, body: { due } }) => {
    const loan = await store.extend(loanId, due);
    if (!loan)
      return { status: 404, body: errorBody('noSuchLoan', `path/loanId: there is no loan ${loanId}`) };
    return { status: 200, body: loan };
  };
