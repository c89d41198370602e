import {
  collection,
  collectionTable,
  openDatabase,
  type Schema,
  sql,
  type StoreObserver,
} from 'contract-first-server/database';
import type { BikeShedStore } from '../bike-shed/bike-shed-store';
// #region usersImport
// #endregion usersImport

/**
 * A collection keeps each object as JSON text. What is unique, counted, searched by or a reference deserves columns. A migration
 * adds them, here as a table of its own:
 *
 *     [
 *       'loans',
 *       createTable(
 *         'loans',
 *         sql`id ${IDENTITY}, item ${TEXT} NOT NULL REFERENCES bikes (key), code ${TEXT} NOT NULL UNIQUE`,
 *       ),
 *     ],
 *
 * IDENTITY contains PRIMARY KEY. A statement that breaks a rule of its table throws a ConstraintViolation:
 *
 *     try {
 *       const [row] = await database.query(sql<{ id: bigint }>`
 *         INSERT INTO loans (item, code) VALUES (${item}, ${code}) RETURNING id`);
 *       return row?.id;
 *     } catch (error) {
 *       if (error instanceof ConstraintViolation && error.constraint === 'unique') return 'taken';
 *       if (error instanceof ConstraintViolation && error.constraint === 'foreign key') return 'no such item';
 *       throw error;
 *     }
 */
const SCHEMA: Schema = {
  name: 'bike_shed',
  mark: 'Bike',
  // Append only, because databases out there have run the first ones: ['prices', sql`ALTER TABLE ...`]
  migrations: [
    [
      'collections',
      // #region tables
      collectionTable('bikes'),
      // #endregion tables
      // #region usersTable
      // #endregion usersTable
    ],
  ],
  probe: sql`INSERT INTO bikes (key, value) SELECT key, value FROM bikes WHERE 1 = 0`,
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
    bikes: collection(database, 'bikes'),
    // #endregion members
    // #region usersMember
    // #endregion usersMember
    ready: () => database.ready(),
    close: () => database.close(),
  };
}
