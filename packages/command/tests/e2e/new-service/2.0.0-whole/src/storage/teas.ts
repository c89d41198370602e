import {
  and,
  type Database,
  deleteFrom,
  equal,
  insertInto,
  INTEGER,
  type NewRowOf,
  only,
  type RowOf,
  select,
  sql,
  table,
  TEXT,
} from 'contract-first-server/database';
import type { operations } from '../../generated/openapi';

export const teas = table('teas', { teaId: TEXT.primaryKey(), name: TEXT, grams: INTEGER });

/** A tea, as the store has it. */
export type Tea = RowOf<typeof teas>;
/** What the store takes to add one. */
export type NewTea = NewRowOf<typeof teas>;
/** What a list is asked for by. */
type Query = NonNullable<operations['listTeas']['parameters']['query']>;

/** What the store does with teas. */
export const teasIn = (database: Database) => ({
  async get(teaId: string): Promise<Tea | undefined> {
    const [tea] = await database.query(select(teas)`WHERE ${equal(teas, { teaId })}`);
    return tea;
  },
  /** A page, in the order of teaId. */
  async list({ limit, after }: Query) {
    const where = and([after === undefined ? undefined : sql`${teas.teaId} > ${after}`]);
    return database.query(select(teas)`
        WHERE ${where}
        ORDER BY ${teas.teaId} LIMIT ${limit}`);
  },
  async add(tea: NewTea) {
    return only(await database.query(insertInto(teas, tea)``));
  },
  /** Resolves to whether there was one. */
  async remove(teaId: string): Promise<boolean> {
    return (await database.execute(deleteFrom(teas)`WHERE ${equal(teas, { teaId })}`)) === 1;
  },
});

export type TeasPart = ReturnType<typeof teasIn>;
