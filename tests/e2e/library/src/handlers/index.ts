import type { LibraryStore } from '../library/library-store';
import { createLoan } from './create-loan';
import { deleteLoan } from './delete-loan';
import { getBook } from './get-book';
import { listBooks } from './list-books';
import { updateLoan } from './update-loan';
import type { Handlers } from './types';

/** The handler of every operation in the document, by operationId. */
export const createHandlers = (store: LibraryStore): Handlers => ({
  listBooks: listBooks(store),
  getBook: getBook(store),
  createLoan: createLoan(store),
  deleteLoan: deleteLoan(store),
  updateLoan: updateLoan(store),
});
