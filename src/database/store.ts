/** The interface between the server and any store. */
export interface Store {
  /**
   * Resolves if the store can do its work now.
   *
   * @throws {StoreUnavailable} if it cannot; the message is the reason
   */
  ready(): Promise<void>;

  /** Finishes the accepted work, then releases every resource. A second call has no effect. */
  close(): Promise<void>;
}

/** The store cannot do its work now, but later: it is overloaded, disconnected or closing, or its disk is full. */
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

/** Receives measurements of a store, for metrics. */
export interface StoreObserver {
  /** The number of writes that wait for their commit. */
  waiting(count: number): void;
  /** A commit of `count` writes has ended. */
  committed(count: number, milliseconds: number, outcome: 'success' | 'failure'): void;
}
