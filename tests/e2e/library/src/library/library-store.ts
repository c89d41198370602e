import type { Store } from 'contract-first-server/database';
import type { AuthorsPart } from '../storage/authors';
import type { BooksPart } from '../storage/books';
import type { LoansPart } from '../storage/loans';
import type { ReviewsPart } from '../storage/reviews';
import type { Users } from '../storage/users';

/** All that this service stores. */
export interface LibraryStore extends Store {
  readonly authors: AuthorsPart;
  readonly books: BooksPart;
  readonly loans: LoansPart;
  readonly reviews: ReviewsPart;
  readonly users: Users;
}
