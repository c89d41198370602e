import type { CreateHandler } from './types';

/** GET /books */
export const listBooks: CreateHandler<'listBooks'> =
  ({ store }) =>
  async ({ query, principal }) => {
    const found = await store.books.list(query);
    const books = await store.loans.markAll(found, principal.Token?.id);
    const total = BigInt(await store.books.count(query));
    return { status: 200, body: { books, total } };
  };
