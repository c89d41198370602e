import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** GET /bikes/{bikeId} */
export const getBike: CreateHandler<'getBike'> =
  ({ store }) =>
  async ({ path: { bikeId } }) => {
    const bike = await store.bikes.get(bikeId);
    if (bike) return { status: 200, body: bike };
    return { status: 404, body: errorBody('noSuchResource', `there is no bike ${bikeId}`) };
  };
