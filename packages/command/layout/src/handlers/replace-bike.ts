import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** PUT /bikes/{bikeId} */
export const replaceBike: CreateHandler<'replaceBike'> =
  ({ store }) =>
  async ({ path: { bikeId }, body }) => {
    const bike = await store.bikes.change(bikeId, { boughtAt: null, ...body });
    if (bike === 'unique') return { status: 409, body: errorBody('conflict', 'the serial is taken') };
    if (bike === 'foreign key')
      return { status: 409, body: errorBody('conflict', `there is no neighbor ${body.neighborId}`) };
    if (bike) return { status: 200, body: bike };
    return { status: 404, body: errorBody('noSuchResource', `there is no bike ${bikeId}`) };
  };
