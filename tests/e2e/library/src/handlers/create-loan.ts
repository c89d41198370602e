import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** POST /v1/loans */
export const createLoan: CreateHandler<'createLoan'> =
  (store) =>
  async ({ body }) => {
    const loan = await store.lend(body);
    if (loan === 'unknown')
      return { status: 404, body: errorBody('noSuchBook', `body/isbn: there is no book ${body.isbn}`) };
    if (loan === 'lent') return { status: 409, body: errorBody('lent', `the book ${body.isbn} is lent`) };
    return { status: 201, headers: { Location: `/v1/loans/${loan.id}` }, body: loan };
  };
