import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** PATCH /books/{isbn} */
export const changeBook: CreateHandler<'changeBook'> =
  ({ store }) =>
  async ({ path: { isbn }, body, principal }) => {
    const book = await store.books.change(isbn, body.book);
    if (!book) return { status: 404, body: errorBody('noSuchResource', `there is no book ${isbn}`) };
    return { status: 200, body: { book: await store.loans.mark(book, principal.Token.id) } };
  };
