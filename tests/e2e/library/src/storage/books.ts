import {
  BOOLEAN,
  type ChangesOf,
  type Database,
  DATE,
  deleteFrom,
  DOUBLE,
  equal,
  insertInto,
  INT64,
  INTEGER,
  JSON_VALUE,
  type NewRowOf,
  only,
  type RowOf,
  select,
  sql,
  table,
  TEXT,
  unlessViolated,
  update,
} from 'contract-first-server/database';
import type { components, operations } from '../../generated/openapi';
import { authors } from './authors';

export const books = table('books', {
  isbn: TEXT.primaryKey(),
  title: TEXT,
  authorId: INT64.references(authors.id, 'CASCADE'),
  genre: TEXT.as<NonNullable<Document['genre']>>(),
  published: DATE.optional(),
  pages: INTEGER.optional(),
  price: DOUBLE.optional(),
  keywords: JSON_VALUE.as<NonNullable<Document['keywords']>>().optional(),
  available: BOOLEAN,
});

/** As the document has it. */
type Document = components['schemas']['Book'];

/** A book, as the store has it. */
export type Book = RowOf<typeof books>;
/** What the store takes to add one. */
export type NewBook = NewRowOf<typeof books>;
/** What a list is asked for by. */
type Query = NonNullable<operations['listBooks']['parameters']['query']>;

/** What the store does with books. */
export const booksIn = (database: Database) => ({
  async get(isbn: string): Promise<Book | undefined> {
    const [book] = await database.query(select(books)`WHERE ${equal(books, { isbn })}`);
    return book;
  },
  /** A page, with what the filters name, in the order of isbn. */
  async list({ authorId, genre, available, limit, offset }: Query) {
    const where = equal(books, { authorId, genre, available });
    return database.query(select(books)`
        WHERE ${where}
        ORDER BY ${books.isbn} LIMIT ${limit} OFFSET ${offset}`);
  },
  /** How many there are in all pages of a list. */
  async count({ authorId, genre, available }: Query): Promise<number> {
    const where = equal(books, { authorId, genre, available });
    const columns = { count: INTEGER.from(sql`count(*)`) };
    return only(await database.query(select(columns)`FROM ${books} WHERE ${where}`)).count;
  },
  /** Resolves to `unique` if its key is taken, and to `foreign key` if it refers to what is not there. Nothing is written then. */
  async add(book: NewBook) {
    const added = await unlessViolated(['unique', 'foreign key'], database.query(insertInto(books, book)``));
    return typeof added === 'string' ? added : only(added);
  },
  /** Changes what is there, and leaves what is undefined. Resolves to undefined if there is no such book. */
  async change(isbn: string, changes: ChangesOf<typeof books>) {
    const changed = await database.query(update(books, changes)`WHERE ${equal(books, { isbn })}`);
    return changed[0];
  },
  /** Resolves to whether there was one, and to `foreign key` if somebody has borrowed it, once or now. Nothing is deleted then. */
  async remove(isbn: string) {
    const removed = await unlessViolated(
      ['foreign key'],
      database.execute(deleteFrom(books)`WHERE ${equal(books, { isbn })}`),
    );
    return removed === 'foreign key' ? removed : removed === 1;
  },
});

export type BooksPart = ReturnType<typeof booksIn>;
