import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** POST /books */
export const createBook: CreateHandler<'createBook'> =
  ({ store }) =>
  async ({ body }) => {
    const book = await store.books.add({ ...body.book, available: true });
    if (book === 'unique') return { status: 409, body: errorBody('conflict', 'the ISBN is taken') };
    if (book === 'foreign key')
      return {
        status: 422,
        body: errorBody('unprocessableEntity', `there is no author ${body.book.authorId}`),
      };
    return { status: 201, body: { book: { ...book, mine: false } } };
  };
