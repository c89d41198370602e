import {
  and,
  type Database,
  deleteFrom,
  equal,
  IDENTITY,
  insertInto,
  INT64,
  JSON_VALUE,
  type NewRowOf,
  only,
  type RowOf,
  select,
  sql,
  table,
  TEXT,
  TIMESTAMP,
} from 'contract-first-database';
import type { components, operations } from '../../generated/openapi';
import type { EventsPart } from './events';

export const photos = table('photos', {
  id: IDENTITY,
  title: TEXT,
  tags: JSON_VALUE.as<Document['tags']>(),
  type: TEXT.as<Document['type']>(),
  size: INT64,
  createdAt: TIMESTAMP,
  /** The name of its file, which the document does not have: no answer contains it. */
  file: TEXT,
});

/** As the document has it. */
type Document = components['schemas']['Photo'];

/** A stored photo. */
export type Photo = RowOf<typeof photos>;
/** The fields of a new photo. */
export type NewPhoto = NewRowOf<typeof photos>;
/** What a list is asked for by. */
type Query = NonNullable<operations['listPhotos']['parameters']['query']>;

/** What the store does with photos. */
export const photosIn = (database: Database, history: EventsPart) => ({
  async get(id: bigint): Promise<Photo | undefined> {
    const [photo] = await database.query(select(photos)`WHERE ${equal(photos, { id })}`);
    return photo;
  },
  /** A page, the latest ones first. */
  async list({ limit, cursor }: Query) {
    const where = and([cursor === undefined ? undefined : sql`${photos.id} < ${cursor}`]);
    const found = await database.query(select(photos)`
        WHERE ${where}
        ORDER BY ${photos.id} DESC LIMIT ${limit + 1}`);
    const page = found.slice(0, limit);
    const next = found.length > limit ? page.at(-1)?.id : undefined;
    return { photos: page, ...(next !== undefined && { next }) };
  },
  add: (photo: NewPhoto): Promise<Photo> =>
    history.record(async ({ query }) => {
      const added = only(await query(insertInto(photos, photo)``));
      const { file: _, ...data } = added;
      return { result: added, news: { event: 'uploaded', data } };
    }),
  /** Resolves to the photo that is gone. */
  remove: (id: bigint): Promise<Photo | undefined> =>
    history.record(async ({ query }) => {
      const [result] = await query(deleteFrom(photos)`WHERE ${equal(photos, { id })}`);
      return { result, ...(result && { news: { event: 'deleted', data: { id } } }) };
    }),
});

export type PhotosPart = ReturnType<typeof photosIn>;
