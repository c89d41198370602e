import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** GET /books/{isbn} */
export const getBook: CreateHandler<'getBook'> =
  ({ store }) =>
  async ({ path: { isbn }, principal }) => {
    const book = await store.books.get(isbn);
    if (!book) return { status: 404, body: errorBody('noSuchResource', `there is no book ${isbn}`) };
    return { status: 200, body: { book: await store.loans.mark(book, principal.Token?.id) } };
  };
