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

/** Is told by a store what its databases are busy with, for metrics. */
export interface StoreObserver {
  /** So many creations wait for their commit now. */
  waiting(count: number): void;
  /** A commit of so many creations has ended, after so many milliseconds. */
  committed(count: number, milliseconds: number, outcome: 'success' | 'failure'): void;
}
