import type { PlantStore } from '../plants/plant-store';
import { createPlant } from './create-plant';
import type { Handlers } from './types';

/** The handler of every operation in the document, by operationId. */
export const createHandlers = (store: PlantStore): Handlers => ({
  createPlant: createPlant(store),
});
