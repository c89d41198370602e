import type { CreateHandler } from './types';

/** POST /neighbors */
export const addNeighbor: CreateHandler<'addNeighbor'> =
  ({ store }) =>
  async ({ body: { neighbor } }) => {
    const added = await store.neighbors.add(neighbor);
    return { status: 201, body: { neighbor: added } };
  };
