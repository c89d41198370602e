import type { Store } from '../database';

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

export interface PlantStore extends Store {
  /**
   * Creates a plant, atomically: of any number of concurrent creations of one id, from any number of processes, exactly
   * one wins. Resolves only once the plant would survive the process being killed and the machine losing power.
   *
   * @throws {StoreUnavailable} when it cannot promise that now. The plant may then have been created or not; to
   * try again is safe.
   */
  create(plant: Plant): Promise<CreateOutcome>;
}
