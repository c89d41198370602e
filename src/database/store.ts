/** What any store is to the server, whatever it stores. */
export interface Store {
  /**
   * Resolves if the store would do its work now.
   *
   * @throws {StoreUnavailable} otherwise, with the reason.
   */
  ready(): Promise<void>;

  /** Finishes what it has accepted, then lets go of every resource. Later calls change nothing. */
  close(): Promise<void>;
}

/** The store cannot do its work now but is expected to later: overloaded, disconnected, disk full, closing. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}

/** A row breaks a rule of its table. Nothing of the statement, or of its transaction, has been written. */
export class ConstraintViolation extends Error {
  override name = 'ConstraintViolation';

  constructor(
    readonly constraint: 'unique' | 'foreign key' | 'other',
    message: string,
    options: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Receives what a store's batches do, for metrics. */
export interface StoreObserver {
  /** So many writes wait for their commit now. */
  waiting(count: number): void;
  /** A commit of so many writes has ended, after so many milliseconds. */
  committed(count: number, milliseconds: number, outcome: 'success' | 'failure'): void;
}
