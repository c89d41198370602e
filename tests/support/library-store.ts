import {
  createTable,
  DOUBLE,
  INT64,
  openDatabase,
  type Queries,
  rows,
  type Schema,
  sql,
  type Store,
  TEXT,
} from '../../src/database';

export interface Book {
  readonly isbn: string;
  readonly title: string;
  /** Of one copy, in kilograms. */
  readonly weight: number;
}

export interface Loan {
  readonly id: bigint;
  readonly isbn: string;
  readonly reader: string;
  /** How often the reader has asked for more time. */
  readonly extensions: bigint;
}

export interface LibraryStore extends Store {
  addBooks(books: readonly Book[]): Promise<void>;
  /** At most `limit` books after an ISBN, in the order of their ISBNs. */
  books(after: string, limit: number): Promise<readonly Book[]>;
  /** @throws {ConstraintViolation} if there is no such book, or somebody has it */
  lend(loan: Omit<Loan, 'extensions'>): Promise<void>;
  /** Resolves to undefined if there is no such loan, and to `often` where it has been extended three times. */
  extend(id: bigint): Promise<Loan | 'often' | undefined>;
  /** Resolves to false if there is no such loan. */
  takeBack(id: bigint): Promise<boolean>;
  /** How many loans there are, and the weight of all books. */
  summary(): Promise<{ readonly loans: bigint; readonly weight: number | null }>;
}

const BOOK = { isbn: TEXT, title: TEXT, weight: DOUBLE };

export const LIBRARY: Schema = {
  name: 'library',
  mark: 'Libr',
  migrations: [
    [
      'books and loans',
      createTable('books', sql`isbn ${TEXT} PRIMARY KEY, title ${TEXT} NOT NULL, weight ${DOUBLE} NOT NULL`),
      createTable(
        'loans',
        sql`id ${INT64} PRIMARY KEY, isbn ${TEXT} NOT NULL UNIQUE REFERENCES books, reader ${TEXT} NOT NULL`,
      ),
    ],
    ['extensions', sql`ALTER TABLE loans ADD COLUMN extensions ${INT64} NOT NULL DEFAULT 0`],
  ],
  probe: sql`INSERT INTO loans (id, isbn, reader, extensions) SELECT id, isbn, reader, extensions FROM loans WHERE 1 = 0`,
};

/** A store of two tables, as a team would write it: once, for every database. */
export async function openLibraryStore(url: string, schema: Schema = LIBRARY): Promise<LibraryStore> {
  const database = await openDatabase(url, schema);
  const find = async (queries: Queries, id: bigint) =>
    (await queries.query(sql<Loan>`SELECT id, isbn, reader, extensions FROM loans WHERE id = ${id}`))[0];
  return {
    async addBooks(books) {
      await database.execute(sql`INSERT INTO books (isbn, title, weight)
        SELECT isbn, title, weight FROM ${rows('batch', BOOK, books)} ORDER BY isbn`);
    },
    books: (after, limit) =>
      database.query(
        sql<Book>`SELECT isbn, title, weight FROM books WHERE isbn > ${after} ORDER BY isbn LIMIT ${limit}`,
      ),
    async lend({ id, isbn, reader }) {
      await database.execute(sql`INSERT INTO loans (id, isbn, reader) VALUES (${id}, ${isbn}, ${reader})`);
    },
    extend: (id) =>
      database.transaction(async (queries) => {
        const loan = await find(queries, id);
        if (!loan) return undefined;
        if (loan.extensions === 3n) return 'often';
        const extensions = loan.extensions + 1n;
        await queries.execute(sql`UPDATE loans SET extensions = ${extensions} WHERE id = ${id}`);
        return { ...loan, extensions };
      }),
    async takeBack(id) {
      return (await database.execute(sql`DELETE FROM loans WHERE id = ${id}`)) === 1;
    },
    async summary() {
      const [summary = { loans: 0n, weight: null }] = await database.query(
        sql<{ loans: bigint; weight: number | null }>`
          SELECT (SELECT count(*) FROM loans) AS loans, sum(weight) AS weight FROM books`,
      );
      return summary;
    },
    ready: () => database.ready(),
    close: () => database.close(),
  };
}
