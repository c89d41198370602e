import { setImmediate as turn } from 'node:timers/promises';
import { StoreUnavailable, type StoreObserver } from './store';

/** Rows of one commit. More of them gain little and keep everybody waiting for longer. */
const MAX_BATCH = 128;
/** UTF-16 code units of one commit: with long strings it is they, not the rows, that take the time. */
const MAX_BATCH_LENGTH = 1 << 20;
/** Writes that may wait for their commit. Beyond it, waiting would only turn overload into timeouts. */
export const MAX_WAITING = 1024;

export interface Batch<Item, Outcome> {
  add(item: Item): Promise<Outcome>;
  /** Why it would take no item now. */
  refusal(): StoreUnavailable | undefined;
  /** Resolves when all that it has taken is written. */
  end(): Promise<void>;
}

interface Waiting<Item, Outcome> {
  readonly item: Item;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Writes that share a commit while they wait. A commit takes those of turns of the event loop that follow upon each
 * other, and those that came while the one before it ran; only one runs at a time.
 *
 * @param lengthOf the UTF-16 code units that an item brings
 */
export function createBatch<Item, Outcome>(
  write: (items: readonly Item[]) => Promise<readonly Outcome[]>,
  lengthOf: (item: Item) => number,
  observer?: StoreObserver,
): Batch<Item, Outcome> {
  const waiting: Waiting<Item, Outcome>[] = [];
  let flushing: Promise<void> | undefined;

  function nextBatch(): Waiting<Item, Outcome>[] {
    let rows = 0;
    let length = 0;
    for (const { item } of waiting) {
      length += lengthOf(item);
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
        const outcomes = await write(batch.map(({ item }) => item));
        if (outcomes.length !== batch.length)
          throw new Error(`expected an outcome for each of ${batch.length} writes, got ${outcomes.length}`);
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
    return waiting.length < MAX_WAITING ? undefined : overload();
  }

  return {
    add(item) {
      const refused = refusal();
      if (refused) return Promise.reject(refused);
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        observer?.waiting(waiting.length);
        flushing ??= flush();
      });
    },
    refusal,
    end: () => flushing ?? Promise.resolve(),
  };
}

export const overload = () => new StoreUnavailable(`${MAX_WAITING} writes wait already: try again later`);
