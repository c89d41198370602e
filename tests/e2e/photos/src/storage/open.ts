import {
  createTable,
  insertInto,
  openDatabase,
  type Schema,
  type StoreObserver,
} from 'contract-first-server/database';
import type { PhotosServiceStore } from '../photos/photos-store';
import { events, eventsIn } from './events';
import { photos, photosIn } from './photos';

const SCHEMA: Schema = {
  name: 'photos',
  mark: 'Phot',
  // Append only, because databases out there have run the first ones. A column that is added later says so, with `.added()`, and
  // has a step of its own: ['colors', addColumn(photos.color)].
  migrations: [['tables', createTable(photos), createTable(events)]],
  probe: insertInto(photos, [])``,
};

/**
 * Opens the store in the database that a URL names: `memory:`, `sqlite:PATH` or
 * `postgres://USER:PASSWORD@HOST:PORT/DATABASE`.
 *
 * @throws {Error} when it cannot be used, with a sentence that says why and what to do
 */
export async function openStore(url: string, observer?: StoreObserver): Promise<PhotosServiceStore> {
  const database = await openDatabase(url, SCHEMA, observer);
  const history = eventsIn(database);
  return {
    events: history,
    photos: photosIn(database, history),
    ready: () => database.ready(),
    close: () => database.close(),
  };
}
