import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** GET /v1/books/{isbn} */
export const getBook: CreateHandler<'getBook'> =
  (store) =>
  async ({ path: { isbn } }) => {
    const book = await store.book(isbn);
    if (!book) return { status: 404, body: errorBody('noSuchBook', `path/isbn: there is no book ${isbn}`) };
    return { status: 200, body: book };
  };
