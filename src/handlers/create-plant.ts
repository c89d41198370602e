import { errorBody } from '../errors';
import type { PlantStore } from '../plants/plant-store';
import type { Handlers } from './types';

/** POST /plants: creates a plant in the store; creating the same one again is a safe retry. */
export const createPlant =
  (store: PlantStore): Handlers['createPlant'] =>
  async ({ body: { id, name, tag } }) => {
    // Property by property, so that the compiler asks for what the document adds.
    const plant = tag === undefined ? { name } : { name, tag };
    const outcome = await store.create({ id, ...plant });
    if (outcome === 'conflict') {
      return { status: 400, body: errorBody('idTaken', `body/id ${id} already names another plant`) };
    }
    return { status: 200, body: plant };
  };
