import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** DELETE /books/{isbn} */
export const deleteBook: CreateHandler<'deleteBook'> =
  ({ store }) =>
  async ({ path: { isbn } }) => {
    const removed = await store.books.remove(isbn);
    if (removed === 'foreign key')
      return { status: 409, body: errorBody('conflict', `the book ${isbn} has loans`) };
    if (removed) return { status: 204 };
    return { status: 404, body: errorBody('noSuchResource', `there is no book ${isbn}`) };
  };
