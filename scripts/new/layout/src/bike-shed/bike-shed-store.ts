import type { Collection, Store } from 'contract-first-server/database';
import type { components } from '../../generated/openapi';
// #region usersImport
// #endregion usersImport

// #region types
export type Bike = components['schemas']['Bike'];
// #endregion types

/** All that this service stores. */
export interface BikeShedStore extends Store {
  // #region members
  readonly bikes: Collection<Bike>;
  // #endregion members
  // #region usersMember
  // #endregion usersMember
}
