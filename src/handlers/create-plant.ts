import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** POST /plants: creates a plant. To create the same plant again is a safe retry. */
export const createPlant: CreateHandler<'createPlant'> =
  ({ store }) =>
  async ({ body: { id, name, tag } }) => {
    // Property by property, so that a property that the document adds is a compile error.
    const plant = tag === undefined ? { name } : { name, tag };
    const outcome = await store.create({ id, ...plant });
    if (outcome === 'conflict') {
      return { status: 400, body: errorBody('idTaken', `body/id ${id} already names another plant`) };
    }
    return { status: 200, body: plant };
  };
