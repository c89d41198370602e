import { errorBody } from '../errors';
import type { PlantStore } from '../plants/plant-store';
import type { Handlers } from './types';

/** POST /plants: creates a plant. To create the same plant again is a safe retry. */
export const createPlant =
  (store: PlantStore): Handlers['createPlant'] =>
  async ({ body: { id, name, tag } }) => {
    // Property by property, so that a property that the document adds is a compile error.
    const plant = tag === undefined ? { name } : { name, tag };
    const outcome = await store.create({ id, ...plant });
    if (outcome === 'conflict') {
      return { status: 400, body: errorBody('idTaken', `body/id ${id} already names another plant`) };
    }
    return { status: 200, body: plant };
  };
