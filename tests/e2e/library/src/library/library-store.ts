import type { Store } from 'contract-first-server/database';
import type { AuthorsStore } from '../storage/authors';
import type { BooksStore } from '../storage/books';
import type { LoansStore } from '../storage/loans';
import type { ReviewsStore } from '../storage/reviews';
import type { Users } from '../storage/users';

/** All that this service stores. */
export interface LibraryStore extends Store {
  readonly authors: AuthorsStore;
  readonly books: BooksStore;
  readonly loans: LoansStore;
  readonly reviews: ReviewsStore;
  readonly users: Users;
}
