import type { Store } from 'contract-first-server/database';
import type { TeasPart } from '../storage/teas';
import type { Users } from '../storage/users';

/** All that this service stores. */
export interface TeaRoomStore extends Store {
  readonly teas: TeasPart;
  readonly users: Users;
}
