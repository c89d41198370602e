import type { CreateOutcome, Plant, PlantStore } from '../plants/plant-store';

/** Keeps plants until the process ends: for tests, demonstrations and measurements. */
export function openMemoryStore(): PlantStore {
  const plants = new Map<bigint, Plant>();
  return {
    create({ id, name, tag }: Plant): Promise<CreateOutcome> {
      const known = plants.get(id);
      if (known) return Promise.resolve(known.name === name && known.tag === tag ? 'unchanged' : 'conflict');
      plants.set(id, { id, name, ...(tag !== undefined && { tag }) });
      return Promise.resolve('created');
    },
    ready: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
