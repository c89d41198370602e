import type { Plant } from '../../src/plants/plant-store';

/** A plant with default values for all properties that the test does not set. */
export function buildPlant(overrides: Partial<Plant> = {}): Plant {
  return { id: 1n, name: 'Monstera', tag: 'tropical', ...overrides };
}
