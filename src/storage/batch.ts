import { setImmediate as turn } from 'node:timers/promises';
import type { CreateOutcome, Plant, PlantStore } from '../plants/plant-store';
import { StoreUnavailable, type StoreObserver } from '../store';

/** What a database must do to become a `PlantStore`. */
export interface Database {
  /**
   * Creates the plants as if one after the other, in one durable commit: all or, when it throws, none that anybody may
   * be told of. Resolves to one outcome each, in their order. An empty list proves that a commit would succeed now.
   */
  write(plants: readonly Plant[]): Promise<CreateOutcome[]>;
  close(): Promise<void>;
}

/** Rows of one commit. More of them gain little and keep everybody waiting for longer. */
const MAX_BATCH = 128;
/** UTF-16 code units of one commit: with long strings it is they, not the rows, that take the time. */
const MAX_BATCH_LENGTH = 1 << 20;
/** Creations that may wait for their commit. Beyond it, waiting would only turn overload into timeouts. */
const MAX_WAITING = 1024;

interface Waiting {
  readonly plant: Plant;
  readonly resolve: (outcome: CreateOutcome) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * A store in which the creations that wait share a commit. A commit takes those of turns of the event loop that follow
 * upon each other, and those that came while the one before it ran; only one runs at a time.
 */
export function batching(database: Database, observer?: StoreObserver): PlantStore {
  const waiting: Waiting[] = [];
  let flushing: Promise<void> | undefined;
  let probing: Promise<unknown> | undefined;
  let closing: Promise<void> | undefined;

  function nextBatch(): Waiting[] {
    let rows = 0;
    let length = 0;
    for (const { plant } of waiting) {
      length += plant.name.length + (plant.tag?.length ?? 0);
      if (rows === MAX_BATCH || (rows > 0 && length > MAX_BATCH_LENGTH)) break;
      rows++;
    }
    return waiting.splice(0, rows);
  }

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      // Others get their turn between two commits, and whoever has a request on its way comes along: as long as each turn
      // of the event loop brings more of them, to wait is cheaper than another commit.
      let before: number;
      do {
        before = waiting.length;
        await turn();
      } while (waiting.length > before && waiting.length < MAX_BATCH);
      const batch = nextBatch();
      const begin = performance.now();
      const committed = (outcome: 'success' | 'failure') => {
        observer?.waiting(waiting.length);
        observer?.committed(batch.length, performance.now() - begin, outcome);
      };
      try {
        const outcomes = await database.write(batch.map(({ plant }) => plant));
        committed('success');
        outcomes.forEach((outcome, i) => batch[i]?.resolve(outcome));
      } catch (error) {
        committed('failure');
        for (const { reject } of batch) reject(error);
      }
    }
    flushing = undefined;
  }

  function refusal(): StoreUnavailable | undefined {
    if (closing) return new StoreUnavailable('the store is closed');
    if (waiting.length >= MAX_WAITING)
      return new StoreUnavailable(`${MAX_WAITING} creations wait already: try again later`);
    return undefined;
  }

  return {
    create(plant) {
      const refused = refusal();
      if (refused) return Promise.reject(refused);
      return new Promise((resolve, reject) => {
        waiting.push({ plant, resolve, reject });
        observer?.waiting(waiting.length);
        flushing ??= flush();
      });
    },
    async ready() {
      const refused = refusal();
      if (refused) throw refused;
      await (probing ??= database.write([]).finally(() => (probing = undefined)));
    },
    close() {
      return (closing ??= (async () => {
        await flushing;
        await probing?.catch(() => undefined);
        await database.close();
      })());
    },
  };
}
