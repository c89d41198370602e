import type { Store } from '../database';

export interface Book {
  readonly isbn: string;
  readonly title: string;
  readonly year?: number;
}

export interface NewLoan {
  readonly isbn: string;
  readonly reader: string;
  /** YYYY-MM-DD */
  readonly due: string;
}

export interface Loan extends NewLoan {
  readonly id: bigint;
}

export interface LibraryStore extends Store {
  /** The books after this ISBN, ordered by ISBN. */
  books(after: string, limit: number): Promise<readonly Book[]>;
  book(isbn: string): Promise<Book | undefined>;
  /** `unknown`: there is no such book. `lent`: another reader has it. */
  lend(loan: NewLoan): Promise<Loan | 'unknown' | 'lent'>;
  extend(id: bigint, due: string): Promise<Loan | undefined>;
  /** Resolves to false if there is no such loan. */
  takeBack(id: bigint): Promise<boolean>;
}
