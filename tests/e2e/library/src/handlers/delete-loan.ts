import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** DELETE /v1/loans/{loanId} */
export const deleteLoan: CreateHandler<'deleteLoan'> =
  (store) =>
  async ({ path: { loanId } }) => {
    if (await store.takeBack(loanId)) return { status: 204 };
    return { status: 404, body: errorBody('noSuchLoan', `path/loanId: there is no loan ${loanId}`) };
  };
