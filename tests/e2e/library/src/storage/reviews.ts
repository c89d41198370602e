import {
  and,
  type Database,
  equal,
  IDENTITY,
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
} from 'contract-first-server/database';
import type { operations } from '../../generated/openapi';
import { books } from './books';

export const reviews = table('reviews', {
  isbn: TEXT.references(books.isbn, 'CASCADE'),
  id: IDENTITY,
  stars: INTEGER,
  text: TEXT,
  userId: INT64,
  createdAt: TIMESTAMP,
});

/** A review, as the store has it. */
export type Review = RowOf<typeof reviews>;
/** What the store takes to add one. */
export type NewReview = NewRowOf<typeof reviews>;
/** What a list is asked for by. */
type Query = NonNullable<operations['listReviews']['parameters']['query']>;

/** What the store does with reviews. */
export const reviewsIn = (database: Database) => ({
  async get(isbn: string, id: bigint): Promise<Review | undefined> {
    const [review] = await database.query(select(reviews)`WHERE ${equal(reviews, { isbn, id })}`);
    return review;
  },
  /** A page, in the order of their keys. */
  async list(isbn: string, { limit, after }: Query) {
    const where = and([
      equal(reviews, { isbn }),
      after === undefined ? undefined : sql`${reviews.id} > ${after}`,
    ]);
    return database.query(select(reviews)`
        WHERE ${where}
        ORDER BY ${reviews.isbn}, ${reviews.id} LIMIT ${limit}`);
  },
  /** Resolves to `foreign key` if it refers to what is not there. Nothing is written then. */
  async add(review: NewReview) {
    const added = await unlessViolated(['foreign key'], database.query(insertInto(reviews, review)``));
    return typeof added === 'string' ? added : only(added);
  },
});

export type ReviewsStore = ReturnType<typeof reviewsIn>;
