import type { StoredBodies } from 'contract-first-server';
import type { operations } from '../../generated/openapi';
// #region imports
import { neighbors } from './neighbors';
import { bikes } from './bikes';
// #endregion imports

/**
 * The tables of the objects in bodies, by operationId: in the request, or, of an operation without one, in the response. A property of
 * the document that has no column is an error of the compiler and at the start. `todo` prints its column and its migration. Delete the
 * line of an operation whose handler stores or makes a property in another way.
 */
export const stored = {
  // #region stored
  createBike: bikes,
  getBike: bikes,
  replaceBike: bikes,
  addNeighbor: { neighbor: neighbors },
  getNeighbor: { neighbor: neighbors },
  // #endregion stored
} satisfies StoredBodies<operations>;
