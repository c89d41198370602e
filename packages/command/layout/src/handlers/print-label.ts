import type { CreateHandler } from './types';

/** GET /bikes/{bikeId}/label */
export const printLabel: CreateHandler<'printLabel'> =
  ({ store }) =>
  async ({ path: { bikeId } }) => {
    const bike = await store.bikes.get(bikeId);
    if (bike) return { status: 200, body: `${bike.name}, ${bike.gears} gears` };
    return { status: 404, body: `there is no bike ${bikeId}` };
  };
