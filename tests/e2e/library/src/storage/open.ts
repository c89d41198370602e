import {
  createTable,
  insertInto,
  openDatabase,
  type Schema,
  type StoreObserver,
} from 'contract-first-server/database';
import type { LibraryStore } from '../library/library-store';
import { authors, authorsIn } from './authors';
import { books, booksIn } from './books';
import { loans, loansIn } from './loans';
import { reviews, reviewsIn } from './reviews';
import { users, usersIn } from './users';

const SCHEMA: Schema = {
  name: 'library',
  mark: 'Libr',
  // Append only, because databases out there have run the first ones. A column that is added later says so, with `.added()`, and
  // has a step of its own: ['colors', addColumn(authors.color)].
  migrations: [
    [
      'tables',
      createTable(authors),
      createTable(books),
      createTable(reviews),
      createTable(users),
      createTable(loans),
    ],
  ],
  probe: insertInto(authors, [])``,
};

/**
 * Opens the store in the database that a URL names: `memory:`, `sqlite:PATH` or
 * `postgres://USER:PASSWORD@HOST:PORT/DATABASE`.
 *
 * @throws {Error} when it cannot be used, with a sentence that says why and what to do
 */
export async function openStore(url: string, observer?: StoreObserver): Promise<LibraryStore> {
  const database = await openDatabase(url, SCHEMA, observer);
  return {
    authors: authorsIn(database),
    books: booksIn(database),
    loans: loansIn(database),
    reviews: reviewsIn(database),
    users: usersIn(database),
    ready: () => database.ready(),
    close: () => database.close(),
  };
}
