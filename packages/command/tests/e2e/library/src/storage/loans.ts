import {
  and,
  type Database,
  equal,
  IDENTITY,
  insertInto,
  INT64,
  only,
  rows,
  type RowOf,
  select,
  sql,
  table,
  TEXT,
  TIMESTAMP,
  update,
} from 'contract-first-database';
import type { operations } from '../../generated/openapi';
import { type Book, books } from './books';
import { users } from './users';

export const loans = table('loans', {
  id: IDENTITY,
  isbn: TEXT.references(books.isbn),
  userId: INT64.references(users.id),
  borrowedAt: TIMESTAMP,
  returnedAt: TIMESTAMP.optional(),
});

/** A stored loan. */
export type Loan = RowOf<typeof loans>;
/** What a list is asked for by. */
type Query = NonNullable<operations['listLoans']['parameters']['query']>;

const isOpen = sql`${loans.returnedAt} IS NULL`;

/** What the store does with loans. A member is named as its token names it. */
export const loansIn = (database: Database) => {
  /** Says of each book whether this member has borrowed it, and nothing to nobody. */
  const markAll = async (found: readonly Book[], member: string | undefined) => {
    if (member === undefined) return found;
    const held = await database.query(select({ isbn: loans.isbn })`FROM ${loans}
      WHERE ${and([equal(loans, { userId: BigInt(member) }), isOpen])}
      AND ${loans.isbn} IN (SELECT isbn FROM ${rows('found', { isbn: TEXT }, found)})`);
    const mine = new Set(held.map(({ isbn }) => isbn));
    return found.map((book) => ({ ...book, mine: mine.has(book.isbn) }));
  };
  return {
    markAll,
    mark: async (book: Book, member: string | undefined) => only(await markAll([book], member)),
    /** A page of the loans of a member, in the order of id. */
    list(member: string, { returned, limit, offset }: Query): Promise<readonly Loan[]> {
      const where = and([
        equal(loans, { userId: BigInt(member) }),
        returned === undefined ? undefined : returned ? sql`NOT (${isOpen})` : isOpen,
      ]);
      return database.query(select(loans)`
        WHERE ${where}
        ORDER BY ${loans.id} LIMIT ${limit} OFFSET ${offset}`);
    },
    /** Lends a book. Of two members who ask at the same time, one has it. */
    begin: (isbn: string, member: string): Promise<Loan | 'no book' | 'borrowed'> =>
      database.transaction(async ({ query }) => {
        const [lent] = await query(
          update(books, { available: false })`WHERE ${equal(books, { isbn, available: true })}`,
        );
        if (lent) {
          const loan = { isbn, userId: BigInt(member), borrowedAt: new Date().toISOString() };
          return only(await query(insertInto(loans, loan)``));
        }
        const known = await query(select(books)`WHERE ${equal(books, { isbn })}`);
        return known.length > 0 ? 'borrowed' : 'no book';
      }),
    /** Takes a book back. A loan that has ended stays as it is. */
    end: (id: bigint, member: string): Promise<Loan | 'no loan' | 'of another'> =>
      database.transaction(async ({ query, execute }) => {
        const [loan] = await query(select(loans)`WHERE ${equal(loans, { id })}`);
        if (!loan) return 'no loan';
        if (loan.userId !== BigInt(member)) return 'of another';
        if (loan.returnedAt !== undefined) return loan;
        await execute(update(books, { available: true })`WHERE ${equal(books, { isbn: loan.isbn })}`);
        const returnedAt = new Date().toISOString();
        return only(await query(update(loans, { returnedAt })`WHERE ${equal(loans, { id })}`));
      }),
  };
};

export type LoansPart = ReturnType<typeof loansIn>;
