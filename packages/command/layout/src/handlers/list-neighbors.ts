import type { CreateHandler } from './types';

/** GET /neighbors */
export const listNeighbors: CreateHandler<'listNeighbors'> =
  ({ store }) =>
  async ({ query }) => {
    const neighbors = await store.neighbors.list(query);
    const total = await store.neighbors.count();
    return { status: 200, body: { neighbors, total } };
  };
