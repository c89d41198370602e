import type { CreateOutcome, Plant, PlantStore } from '../plants/plant-store';
import { StoreUnavailable } from 'contract-first-database';

/** Keeps plants until the process ends: for tests, demonstrations and measurements. */
export function openMemoryStore(): PlantStore {
  const plants = new Map<bigint, Omit<Plant, 'id'>>();
  let closed = false;
  const refuse = () => Promise.reject(new StoreUnavailable('the store is closed'));
  return {
    create({ id, name, tag }: Plant): Promise<CreateOutcome> {
      if (closed) return refuse();
      const known = plants.get(id);
      if (known) return Promise.resolve(known.name === name && known.tag === tag ? 'unchanged' : 'conflict');
      plants.set(id, tag === undefined ? { name } : { name, tag });
      return Promise.resolve('created');
    },
    ready: () => (closed ? refuse() : Promise.resolve()),
    close() {
      closed = true;
      return Promise.resolve();
    },
  };
}
