import type { Store } from 'contract-first-database';

/** A plant in the store. */
export interface Plant {
  /** Any signed 64-bit integer. */
  readonly id: bigint;
  /** Any well-formed Unicode string, including the empty string and U+0000. */
  readonly name: string;
  readonly tag?: string;
}

/**
 * The outcome of a creation:
 * - `created`: the plant is new and durable.
 * - `unchanged`: the same plant (id, name and tag) exists already; the store is unchanged.
 * - `conflict`: another plant has this id; the store is unchanged.
 */
export type CreateOutcome = 'created' | 'unchanged' | 'conflict';

export interface PlantStore extends Store {
  /**
   * Creates a plant atomically: of any number of concurrent creations with one id, in any number of processes, exactly
   * one wins. Resolves only when the plant survives the end of the process and a power failure.
   *
   * @throws {StoreUnavailable} if the store cannot guarantee that now. The plant may or may not exist; a retry is safe.
   */
  create(plant: Plant): Promise<CreateOutcome>;
}
