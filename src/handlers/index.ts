import type { Dependencies } from '../dependencies';
import { createPlant } from './create-plant';
import type { Handlers } from './types';

/** The handler of every operation in the document, by operationId. */
export const createHandlers = (dependencies: Dependencies): Handlers => ({
  createPlant: createPlant(dependencies),
});
