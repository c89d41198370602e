import type { Dependencies } from '../dependencies';
import type { Handlers } from './types';
// #region handlers
import { listBikes } from './list-bikes';
import { createBike } from './create-bike';
import { getBike } from './get-bike';
import { replaceBike } from './replace-bike';
import { deleteBike } from './delete-bike';
import { printLabel } from './print-label';
import { listNeighbors } from './list-neighbors';
import { addNeighbor } from './add-neighbor';
import { getNeighbor } from './get-neighbor';
// #endregion handlers

/** The handler of every operation in the document, by operationId. */
export const createHandlers = (dependencies: Dependencies): Handlers => ({
  // #region handlers
  listBikes: listBikes(dependencies),
  createBike: createBike(dependencies),
  getBike: getBike(dependencies),
  replaceBike: replaceBike(dependencies),
  deleteBike: deleteBike(dependencies),
  printLabel: printLabel(dependencies),
  listNeighbors: listNeighbors(dependencies),
  addNeighbor: addNeighbor(dependencies),
  getNeighbor: getNeighbor(dependencies),
  // #endregion handlers
});
