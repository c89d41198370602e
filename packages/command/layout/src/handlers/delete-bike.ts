import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** DELETE /bikes/{bikeId} */
export const deleteBike: CreateHandler<'deleteBike'> =
  ({ store }) =>
  async ({ path: { bikeId } }) => {
    if (await store.bikes.remove(bikeId)) return { status: 204 };
    return { status: 404, body: errorBody('noSuchResource', `there is no bike ${bikeId}`) };
  };
