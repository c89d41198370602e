import type { CreateHandler } from './types';

/** GET /bikes */
export const listBikes: CreateHandler<'listBikes'> =
  ({ store }) =>
  async ({ query: { after = '', limit } }) => {
    const bikes = await store.bikes.list(after, limit);
    return { status: 200, body: bikes.map(({ value }) => value) };
  };
