import {
  and,
  BOOLEAN,
  type ChangesOf,
  type Database,
  deleteFrom,
  equal,
  insertInto,
  INT64,
  INTEGER,
  type NewRowOf,
  only,
  type RowOf,
  select,
  sql,
  table,
  TEXT,
  TIMESTAMP,
  unlessViolated,
  update,
} from 'contract-first-database';
import type { operations } from '../../generated/openapi';
import { neighbors } from './neighbors';

export const bikes = table('bikes', {
  bikeId: TEXT.primaryKey(),
  serial: TEXT.unique(),
  name: TEXT,
  gears: INTEGER,
  kilometers: INT64,
  electric: BOOLEAN,
  boughtAt: TIMESTAMP.optional(),
  neighborId: INT64.references(neighbors.neighborId, 'CASCADE'),
});

/** A stored bike. */
export type Bike = RowOf<typeof bikes>;
/** The fields of a new bike. */
export type NewBike = NewRowOf<typeof bikes>;
/** What a list is asked for by. */
type Query = NonNullable<operations['listBikes']['parameters']['query']>;

/** What the store does with bikes. */
export const bikesIn = (database: Database) => ({
  async get(bikeId: string): Promise<Bike | undefined> {
    const [bike] = await database.query(select(bikes)`WHERE ${equal(bikes, { bikeId })}`);
    return bike;
  },
  /** A page, with what the filters name, in the order of bikeId. */
  async list({ after, limit, electric }: Query) {
    const where = and([
      equal(bikes, { electric }),
      after === undefined ? undefined : sql`${bikes.bikeId} > ${after}`,
    ]);
    return database.query(select(bikes)`
        WHERE ${where}
        ORDER BY ${bikes.bikeId} LIMIT ${limit}`);
  },
  /** Resolves to `unique` if its serial is taken, and to `foreign key` if it refers to what is not there. Nothing is written then. */
  async add(bike: NewBike) {
    const added = await unlessViolated(['unique', 'foreign key'], database.query(insertInto(bikes, bike)``));
    return typeof added === 'string' ? added : only(added);
  },
  /** Changes what is there, and leaves what is undefined. Resolves to undefined if there is no such bike. */
  async change(bikeId: string, changes: ChangesOf<typeof bikes>) {
    const changed = await unlessViolated(
      ['unique', 'foreign key'],
      database.query(update(bikes, changes)`WHERE ${equal(bikes, { bikeId })}`),
    );
    return typeof changed === 'string' ? changed : changed[0];
  },
  /** Resolves to whether there was one. */
  async remove(bikeId: string): Promise<boolean> {
    return (await database.execute(deleteFrom(bikes)`WHERE ${equal(bikes, { bikeId })}`)) === 1;
  },
});

export type BikesPart = ReturnType<typeof bikesIn>;
