import type { CreateHandler } from './types';

/** GET /v1/books */
export const listBooks: CreateHandler<'listBooks'> =
  (store) =>
  async ({ query: { limit = 20, after = '' } }) => {
    const books = await store.books(after, limit);
    const last = books.at(-1);
    return {
      status: 200,
      body: { books: [...books], ...(books.length === limit && last && { next: last.isbn }) },
    };
  };
