import type { CreateHandler } from './types';

/** GET /bikes */
export const listBikes: CreateHandler<'listBikes'> =
  ({ store }) =>
  async ({ query }) => ({ status: 200, body: await store.bikes.list(query) });
