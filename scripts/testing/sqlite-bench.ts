import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { PlantStore } from '../../src/plants/plant-store';
import type { ClosedDatabase, StoreObserver } from 'contract-first-database';
import { openPlantStore } from '../../src/storage/plants';
import { byProgram } from './sqlite-file';

/** A folder of its own for each test of a file. */
export interface Bench {
  /** Removed after the test. */
  readonly root: string;
  /** In the root; a store makes it. */
  readonly folder: string;
  /** In the folder. */
  readonly file: string;
  /** A store that is closed after the test. */
  open(path?: string): Promise<PlantStore>;
  /** What another program does with the file. */
  byProgram<T>(action: (db: DatabaseSync) => T, path?: string): T;
}

/** Call it once, at the top of a test file. The properties belong to the current test. */
export function useSqlite(): Bench {
  let root: string;
  const stores: PlantStore[] = [];
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'plant-store-'));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all(stores.splice(0).map((store) => store.close()));
    rmSync(root, { recursive: true });
  });
  const bench: Bench = {
    get root() {
      return root;
    },
    get folder() {
      return join(root, 'data');
    },
    get file() {
      return join(root, 'data', 'plants.db');
    },
    async open(path = bench.file) {
      const store = await openPlantStore(`sqlite:${path}`);
      stores.push(store);
      return store;
    },
    byProgram: (action, path = bench.file) => byProgram(path, action),
  };
  return bench;
}

/** The files of a database that is not opened. */
export const closed = (open: (observer: StoreObserver) => Promise<unknown>): Promise<ClosedDatabase> =>
  new Promise((found, failed) => {
    const opening = (database: ClosedDatabase) => {
      found(database);
      return new Promise<never>(() => undefined);
    };
    open({ waiting: jest.fn(), committed: jest.fn(), opening }).catch(failed);
  });
