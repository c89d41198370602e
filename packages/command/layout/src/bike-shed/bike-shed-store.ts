import type { Store } from 'contract-first-database';
// #region imports
import type { NeighborsPart } from '../storage/neighbors';
import type { BikesPart } from '../storage/bikes';
// #endregion imports

/** All that this service stores. */
export interface BikeShedStore extends Store {
  // #region members
  readonly neighbors: NeighborsPart;
  readonly bikes: BikesPart;
  // #endregion members
}
