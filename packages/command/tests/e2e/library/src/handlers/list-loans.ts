import type { CreateHandler } from './types';

/** GET /loans */
export const listLoans: CreateHandler<'listLoans'> =
  ({ store }) =>
  async ({ query, principal }) => ({
    status: 200,
    body: await store.loans.list(principal.Token.id, query),
  });
