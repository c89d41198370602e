import type { Store } from 'contract-first-server/database';
// #region imports
import type { NeighborsStore } from '../storage/neighbors';
import type { BikesStore } from '../storage/bikes';
// #endregion imports

/** All that this service stores. */
export interface BikeShedStore extends Store {
  // #region members
  readonly neighbors: NeighborsStore;
  readonly bikes: BikesStore;
  // #endregion members
}
