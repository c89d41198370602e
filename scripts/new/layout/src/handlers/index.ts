import type { BikeShedStore } from '../bike-shed/bike-shed-store';
import type { Handlers } from './types';
// #region handlers
import { listBikes } from './list-bikes';
import { createBike } from './create-bike';
import { getBike } from './get-bike';
import { replaceBike } from './replace-bike';
import { deleteBike } from './delete-bike';
import { printLabel } from './print-label';
// #endregion handlers

/** The handler of every operation in the document, by operationId. */
export const createHandlers = (store: BikeShedStore): Handlers => ({
  // #region handlers
  listBikes: listBikes(store),
  createBike: createBike(store),
  getBike: getBike(store),
  replaceBike: replaceBike(store),
  deleteBike: deleteBike(store),
  printLabel: printLabel(store),
  // #endregion handlers
});
