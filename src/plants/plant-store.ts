/** A plant as the store keeps it. */
export interface Plant {
  /** Any signed 64-bit integer. */
  readonly id: bigint;
  /** Any well-formed Unicode string; the empty one and U+0000 too. */
  readonly name: string;
  readonly tag?: string;
}

/**
 * What became of a creation:
 * - `created`: the plant is new and durable.
 * - `unchanged`: the very same plant (id, name and tag) was there already; nothing changed.
 * - `conflict`: the id belongs to another plant, which is untouched.
 */
export type CreateOutcome = 'created' | 'unchanged' | 'conflict';

export interface PlantStore {
  /**
   * Creates a plant, atomically: of any number of concurrent creations of one id, from any number of processes, exactly
   * one wins. Resolves only once the plant would survive the process being killed and the machine losing power.
   *
   * @throws {StoreUnavailable} when the store cannot promise that now. The plant may then have been created or not; to
   * try again is safe.
   */
  create(plant: Plant): Promise<CreateOutcome>;

  /**
   * Resolves if the store would accept a creation now.
   *
   * @throws {StoreUnavailable} otherwise, with the reason.
   */
  ready(): Promise<void>;

  /** Finishes the creations already accepted, then lets go of every resource. Later calls change nothing. */
  close(): Promise<void>;
}

/** Is told by a store what its databases are busy with, for metrics. */
export interface StoreObserver {
  /** So many creations wait for their commit now. */
  waiting(count: number): void;
  /** A commit of so many plants has ended, after so many milliseconds. */
  committed(plants: number, milliseconds: number, outcome: 'success' | 'failure'): void;
}

/** The store cannot do its work now but is expected to later: overloaded, disconnected, disk full, closing. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}
