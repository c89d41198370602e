import {
  createTable,
  insertInto,
  openDatabase,
  type Schema,
  type StoreObserver,
} from 'contract-first-server/database';
import type { TeaRoomStore } from '../tea-room/tea-room-store';
import { teas, teasIn } from './teas';
import { users, usersIn } from './users';

const SCHEMA: Schema = {
  name: 'tea_room',
  mark: 'TeaR',
  // Append only, because databases out there have run the first ones. A column that is added later says so, with `.added()`, and
  // has a step of its own: { name: 'colors', oldest: 1, steps: [addColumn(teas.color)] }. `oldest` is the number of migrations
  // that the oldest program knows which may still run after it: so the release before serves meanwhile, and can be put back.
  migrations: [['tables', createTable(teas), createTable(users)]],
  probe: insertInto(teas, [])``,
};

/**
 * Opens the store in the database that a URL names: `memory:`, `sqlite:PATH` or
 * `postgres://USER:PASSWORD@HOST:PORT/DATABASE`.
 *
 * @throws {Error} when it cannot be used, with a sentence that says why and what to do
 */
export async function openStore(url: string, observer?: StoreObserver): Promise<TeaRoomStore> {
  const database = await openDatabase(url, SCHEMA, observer);
  return {
    teas: teasIn(database),
    users: usersIn(database),
    ready: () => database.ready(),
    close: () => database.close(),
  };
}
