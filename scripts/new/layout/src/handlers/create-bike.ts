import { randomUUID } from 'node:crypto';
import type { CreateHandler } from './types';

/** POST /bikes */
export const createBike: CreateHandler<'createBike'> =
  ({ store }) =>
  async ({ body }) => {
    const bike = { ...body, bikeId: randomUUID() };
    await store.bikes.add(bike.bikeId, bike);
    return { status: 201, body: bike };
  };
