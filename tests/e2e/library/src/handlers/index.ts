import type { operations, security } from '../../generated/openapi';
import type { Principals } from '../auth';
import type { Handlers as HandlersOf } from '../contract';
import type { LibraryStore } from '../library/library-store';
import { createLoan } from './create-loan';
import { deleteLoan } from './delete-loan';
import { getBook } from './get-book';
import { listBooks } from './list-books';
import { updateLoan } from './update-loan';

export type Handlers = HandlersOf<operations, security, Principals>;

/** The handler of every operation in the document, by operationId. */
export const createHandlers = (store: LibraryStore): Handlers => ({
  listBooks: listBooks(store),
  getBook: getBook(store),
  createLoan: createLoan(store),
  deleteLoan: deleteLoan(store),
  updateLoan: updateLoan(store),
});
