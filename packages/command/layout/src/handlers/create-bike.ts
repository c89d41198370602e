import { randomUUID } from 'node:crypto';
import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** POST /bikes */
export const createBike: CreateHandler<'createBike'> =
  ({ store }) =>
  async ({ body }) => {
    const bike = await store.bikes.add({ ...body, bikeId: randomUUID() });
    if (bike === 'unique') return { status: 409, body: errorBody('conflict', 'the serial is taken') };
    if (bike === 'foreign key')
      return { status: 409, body: errorBody('conflict', `there is no neighbor ${body.neighborId}`) };
    return { status: 201, body: bike };
  };
