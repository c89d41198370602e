import type { Plant } from '../../src/plants/plant-store';

/** A plant like any other, but for what the test cares about. */
export function buildPlant(overrides: Partial<Plant> = {}): Plant {
  return { id: 1n, name: 'Monstera', tag: 'tropical', ...overrides };
}
