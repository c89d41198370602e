import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** PUT /bikes/{bikeId} */
export const replaceBike: CreateHandler<'replaceBike'> =
  ({ store }) =>
  async ({ path: { bikeId }, body }) => {
    const bike = await store.bikes.update(bikeId, () => ({ ...body, bikeId }));
    if (bike) return { status: 200, body: bike };
    return { status: 404, body: errorBody('noSuchResource', `there is no bike ${bikeId}`) };
  };
