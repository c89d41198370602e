import type { Book, LibraryStore, Loan } from '../library/library-store';

/** Keeps loans until the process ends. */
export function openMemoryStore(collection: readonly Book[] = []): LibraryStore {
  const books = new Map(collection.map((book) => [book.isbn, book]));
  const sorted = [...books.values()].sort((a, b) => (a.isbn < b.isbn ? -1 : 1));
  const loans = new Map<bigint, Loan>();
  let lastId = 0n;
  return {
    books: (after, limit) => Promise.resolve(sorted.filter(({ isbn }) => isbn > after).slice(0, limit)),
    book: (isbn) => Promise.resolve(books.get(isbn)),
    lend(loan) {
      if (!books.has(loan.isbn)) return Promise.resolve('unknown');
      if ([...loans.values()].some(({ isbn }) => isbn === loan.isbn)) return Promise.resolve('lent');
      const made = { id: ++lastId, ...loan };
      loans.set(made.id, made);
      return Promise.resolve(made);
    },
    extend(id, due) {
      const loan = loans.get(id);
      if (!loan) return Promise.resolve(undefined);
      const extended = { ...loan, due };
      loans.set(id, extended);
      return Promise.resolve(extended);
    },
    takeBack: (id) => Promise.resolve(loans.delete(id)),
    ready: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
