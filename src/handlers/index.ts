import type { operations, security } from '../../generated/openapi';
import type { Principals } from '../auth';
import type { Handlers as HandlersOf } from '../contract';
import type { PlantStore } from '../plants/plant-store';
import { createPlant } from './create-plant';

export type Handlers = HandlersOf<operations, security, Principals>;

/** The handler of every operation in the document, by operationId. */
export const createHandlers = (store: PlantStore): Handlers => ({
  createPlant: createPlant(store),
});
