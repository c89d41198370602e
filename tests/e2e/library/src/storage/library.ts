import {
  createTable,
  IDENTITY,
  INT64,
  openDatabase,
  rows,
  type Schema,
  sql,
  type StoreObserver,
  TEXT,
} from '../database';
import type { Book, LibraryStore, Loan } from '../library/library-store';

interface BookRow {
  readonly isbn: string;
  readonly title: string;
  readonly year: bigint | null;
}

const COLLECTION: readonly BookRow[] = [
  { isbn: '9780140449136', title: 'The Odyssey', year: 1996n },
  { isbn: '9780141439587', title: 'Emma', year: null },
];

const SCHEMA: Schema = {
  name: 'library',
  mark: 'Libr',
  migrations: [
    [
      'books and loans',
      createTable('books', sql`isbn ${TEXT} PRIMARY KEY, title ${TEXT} NOT NULL, year ${INT64}`),
      createTable(
        'loans',
        sql`id ${IDENTITY}, isbn ${TEXT} NOT NULL UNIQUE REFERENCES books, reader ${TEXT} NOT NULL, due ${TEXT} NOT NULL`,
      ),
    ],
    [
      'the collection',
      sql`INSERT INTO books (isbn, title, year)
        SELECT isbn, title, year FROM ${rows('collection', { isbn: TEXT, title: TEXT, year: INT64 }, COLLECTION)}`,
    ],
  ],
  probe: sql`INSERT INTO loans (isbn, reader, due) SELECT isbn, reader, due FROM loans WHERE 1 = 0`,
};

const toBook = ({ isbn, title, year }: BookRow): Book => ({
  isbn,
  title,
  ...(year !== null && { year: Number(year) }),
});

/** Keeps books and loans in the database of a URL. */
export async function openLibraryStore(url: string, observer?: StoreObserver): Promise<LibraryStore> {
  const database = await openDatabase(url, SCHEMA, observer);
  return {
    async books(after, limit) {
      const page = await database.query(
        sql<BookRow>`SELECT isbn, title, year FROM books WHERE isbn > ${after} ORDER BY isbn LIMIT ${limit}`,
      );
      return page.map(toBook);
    },
    async book(isbn) {
      const [book] = await database.query(
        sql<BookRow>`SELECT isbn, title, year FROM books WHERE isbn = ${isbn}`,
      );
      return book && toBook(book);
    },
    lend: ({ isbn, reader, due }) =>
      database.transaction(async ({ query }) => {
        const [book] = await query(sql<{ lent: bigint | null }>`
          SELECT loans.id AS lent FROM books LEFT JOIN loans ON loans.isbn = books.isbn WHERE books.isbn = ${isbn}`);
        if (!book) return 'unknown';
        if (book.lent !== null) return 'lent';
        const [loan] = await query(sql<Loan>`
          INSERT INTO loans (isbn, reader, due) VALUES (${isbn}, ${reader}, ${due}) RETURNING id, isbn, reader, due`);
        return loan ?? 'lent';
      }),
    async extend(id, due) {
      const [loan] = await database.query(sql<Loan>`
        UPDATE loans SET due = ${due} WHERE id = ${id} RETURNING id, isbn, reader, due`);
      return loan;
    },
    async takeBack(id) {
      return (await database.execute(sql`DELETE FROM loans WHERE id = ${id}`)) === 1;
    },
    ready: () => database.ready(),
    close: () => database.close(),
  };
}
