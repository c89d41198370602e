import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** GET /neighbors/{neighborId} */
export const getNeighbor: CreateHandler<'getNeighbor'> =
  ({ store }) =>
  async ({ path: { neighborId } }) => {
    const neighbor = await store.neighbors.get(neighborId);
    if (neighbor) return { status: 200, body: { neighbor } };
    return { status: 404, body: errorBody('noSuchResource', `there is no neighbor ${neighborId}`) };
  };
