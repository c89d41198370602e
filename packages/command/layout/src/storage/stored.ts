import type { StoredBodies } from 'contract-first-server';
import type { operations } from '../../generated/openapi';
// #region imports
import { neighbors } from './neighbors';
import { bikes } from './bikes';
// #endregion imports

/**
 * The tables of the objects in bodies, by operationId: in the request, or, of an operation without one, in the response. A property
 * that is added to the document needs a column: until then the service neither compiles nor starts, and `todo` prints the column and
 * its migration. If a handler stores or makes a property itself, delete the line of its operation.
 */
export const stored = {
  // #region stored
  addNeighbor: { neighbor: neighbors },
  getNeighbor: { neighbor: neighbors },
  createBike: bikes,
  getBike: bikes,
  replaceBike: bikes,
  // #endregion stored
} satisfies StoredBodies<operations>;
