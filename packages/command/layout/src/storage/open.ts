import {
  createTable,
  insertInto,
  openDatabase,
  type Schema,
  type StoreObserver,
} from 'contract-first-database';
import type { BikeShedStore } from '../bike-shed/bike-shed-store';
// #region imports
import { neighbors, neighborsIn } from './neighbors';
import { bikes, bikesIn } from './bikes';
// #endregion imports

const SCHEMA: Schema = {
  name: 'bike_shed',
  mark: 'Bike',
  // Append only: existing databases have run the first ones. A column that is added later says so, with `.added()`, and has a step of
  // its own: { name: 'colors', oldest: 1, steps: [addColumn(neighbors.color)] }. A program that knows `oldest` migrations may still
  // run after this one, so the previous release can serve during an upgrade, and you can roll back to it.
  migrations: [
    [
      'tables',
      // #region tables
      createTable(neighbors),
      createTable(bikes),
      // #endregion tables
    ],
  ],
  probe: insertInto(neighbors, [])``,
};

/**
 * Opens the store in the database that a URL names: `memory:`, `sqlite:PATH` or
 * `postgres://USER:PASSWORD@HOST:PORT/DATABASE`.
 *
 * @throws {Error} when it cannot be used, with a sentence that says why and what to do
 */
export async function openStore(url: string, observer?: StoreObserver): Promise<BikeShedStore> {
  const database = await openDatabase(url, SCHEMA, observer);
  return {
    // #region members
    neighbors: neighborsIn(database),
    bikes: bikesIn(database),
    // #endregion members
    ready: () => database.ready(),
    close: () => database.close(),
  };
}
