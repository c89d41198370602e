import {
  type Database,
  DATE,
  equal,
  IDENTITY,
  insertInto,
  INTEGER,
  type NewRowOf,
  only,
  type RowOf,
  select,
  sql,
  table,
  TEXT,
} from 'contract-first-database';
import type { operations } from '../../generated/openapi';

export const neighbors = table('neighbors', { neighborId: IDENTITY, name: TEXT, since: DATE.nullable() });

/** A stored neighbor. */
export type Neighbor = RowOf<typeof neighbors>;
/** The fields of a new neighbor. */
export type NewNeighbor = NewRowOf<typeof neighbors>;
/** What a list is asked for by. */
type Query = NonNullable<operations['listNeighbors']['parameters']['query']>;

/** What the store does with neighbors. */
export const neighborsIn = (database: Database) => ({
  async get(neighborId: bigint): Promise<Neighbor | undefined> {
    const [neighbor] = await database.query(select(neighbors)`WHERE ${equal(neighbors, { neighborId })}`);
    return neighbor;
  },
  /** A page, in the order of neighborId. */
  async list({ offset, limit }: Query) {
    return database.query(
      select(neighbors)`ORDER BY ${neighbors.neighborId} LIMIT ${limit} OFFSET ${offset}`,
    );
  },
  /** How many there are in all pages of a list. */
  async count(): Promise<number> {
    const columns = { count: INTEGER.from(sql`count(*)`) };
    return only(await database.query(select(columns)`FROM ${neighbors}`)).count;
  },
  async add(neighbor: NewNeighbor) {
    return only(await database.query(insertInto(neighbors, neighbor)``));
  },
});

export type NeighborsPart = ReturnType<typeof neighborsIn>;
