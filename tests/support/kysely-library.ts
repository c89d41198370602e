import type { Generated } from 'kysely';
import { openDatabase, type Schema } from '../../src/database';
import { kysely } from '../../src/kysely';
import { type Book, LIBRARY, type LibraryStore, type Loan } from './library-store';

/** Columns with a default may be left out of an insert. */
interface Tables {
  books: Book;
  loans: Omit<Loan, 'extensions'> & { extensions: Generated<bigint> };
}

/** The library store, with the queries of Kysely. */
export async function openKyselyLibrary(url: string, schema: Schema = LIBRARY): Promise<LibraryStore> {
  const database = await openDatabase(url, schema);
  const db = kysely<Tables>(database);
  return {
    async addBooks(books) {
      await db
        .insertInto('books')
        .values([...books])
        .execute();
    },
    books: (after, limit) =>
      db.selectFrom('books').selectAll().where('isbn', '>', after).orderBy('isbn').limit(limit).execute(),
    async lend(loan) {
      await db.insertInto('loans').values(loan).execute();
    },
    extend: (id) =>
      db.transaction().execute(async (trx) => {
        const loan = await trx.selectFrom('loans').selectAll().where('id', '=', id).executeTakeFirst();
        if (!loan) return undefined;
        if (loan.extensions === 3n) return 'often';
        return trx
          .updateTable('loans')
          .set({ extensions: loan.extensions + 1n })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow();
      }),
    async takeBack(id) {
      const { numDeletedRows } = await db.deleteFrom('loans').where('id', '=', id).executeTakeFirst();
      return numDeletedRows === 1n;
    },
    async summary() {
      const { count, weight } = await db
        .selectFrom('books')
        .select((eb) => [
          eb.selectFrom('loans').select(eb.fn.countAll<bigint>().as('count')).as('count'),
          eb.fn.sum<number | null>('weight').as('weight'),
        ])
        .executeTakeFirstOrThrow();
      return { loans: count ?? 0n, weight };
    },
    ready: () => database.ready(),
    close: () => database.close(),
  };
}
