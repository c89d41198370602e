import { setImmediate as turn } from 'node:timers/promises';
import { StoreUnavailable, type StoreObserver } from './store';

/** Rows of one commit. More of them gain little and keep everybody waiting for longer. */
const MAX_BATCH = 128;
/** UTF-16 code units of one commit: with long strings it is they, not the rows, that take the time. */
const MAX_BATCH_LENGTH = 1 << 20;
/** Writes that may wait for their commit. Beyond it, waiting would only turn overload into timeouts. */
export const MAX_WAITING = 1024;
/** All in milliseconds. A database that answers within it is near: its time is work, which more batches would only add to. */
const NEAR = 2;
/** After the begin of a batch until another pays that is not full; near, only if something holds up the one before. */
const [FAR_INTERVAL, NEAR_INTERVAL] = [2, 20];
/** By so much for each batch, the fastest of the last ones is forgotten. */
const FORGETTING = 1.05;

export interface Batch<Item, Outcome> {
  add(item: Item): Promise<Outcome>;
  /** Why it would take no item now. */
  refusal(): StoreUnavailable | undefined;
  /** Resolves when all that it has taken is written. */
  end(): Promise<void>;
}

interface Waiting<Item, Outcome> {
  readonly item: Item;
  readonly length: number;
  readonly key: unknown;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (reason: unknown) => void;
}

interface Options<Item> {
  /** What an item writes: those of one key are written one after the other. Without it, batches are too. */
  readonly keyOf?: ((item: Item) => unknown) | undefined;
  /** How many batches may be under way now. */
  readonly concurrency: () => number;
  readonly observer?: StoreObserver | undefined;
}

/**
 * Writes that share a commit while they wait. A commit takes those of turns of the event loop that follow upon each
 * other, and those that came while the one before it ran.
 *
 * @param lengthOf the UTF-16 code units that an item brings
 */
export function createBatch<Item, Outcome>(
  write: (items: readonly Item[]) => Promise<readonly Outcome[]>,
  lengthOf: (item: Item) => number,
  { keyOf, concurrency, observer }: Options<Item>,
): Batch<Item, Outcome> {
  const waiting: Waiting<Item, Outcome>[] = [];
  /** The keys of batches under way. */
  const busy = new Set<unknown>();
  let running = 0;
  let begun = 0;
  /** Milliseconds of the fastest of the last batches: the round trip, and little work. */
  let fastest = Infinity;
  let gathering = false;
  let timer: NodeJS.Timeout | undefined;
  const idle: (() => void)[] = [];

  /** The next that no batch under way stands before. */
  function nextBatch(): Waiting<Item, Outcome>[] {
    const batch: Waiting<Item, Outcome>[] = [];
    const held: Waiting<Item, Outcome>[] = [];
    let length = 0;
    for (const each of waiting) {
      if (busy.size > 0 && busy.has(each.key)) {
        held.push(each);
        continue;
      }
      length += each.length;
      if (batch.length === MAX_BATCH || (batch.length > 0 && length > MAX_BATCH_LENGTH)) break;
      batch.push(each);
    }
    waiting.splice(0, batch.length + held.length, ...held);
    return batch;
  }

  /** Milliseconds until another batch pays; undefined: not before one has ended. */
  function delay(): number | undefined {
    if (running === 0) return 0;
    if (!keyOf || running >= concurrency()) return undefined;
    if (waiting.length >= MAX_BATCH) return 0;
    const interval = fastest < NEAR ? NEAR_INTERVAL : FAR_INTERVAL;
    return Math.max(0, begun + interval - performance.now());
  }

  /** Begins a batch if one pays now. Called whenever something has changed. */
  function advance(): void {
    if (gathering || waiting.length === 0) return;
    const milliseconds = delay();
    if (milliseconds === 0) {
      gathering = true;
      void gather().then(() => {
        gathering = false;
        const batch = nextBatch();
        if (batch.length === 0) return;
        void commit(batch);
        advance();
      });
    } else if (milliseconds !== undefined)
      timer ??= setTimeout(() => {
        timer = undefined;
        advance();
      }, milliseconds);
  }

  /**
   * Others get their turn between two commits, and whoever has a request on its way comes along: as long as each turn of
   * the event loop brings more of them, to wait is cheaper than another commit.
   */
  async function gather(): Promise<void> {
    let before: number;
    do {
      before = waiting.length;
      await turn();
    } while (waiting.length > before && waiting.length < MAX_BATCH);
  }

  async function commit(batch: readonly Waiting<Item, Outcome>[]): Promise<void> {
    if (keyOf) for (const { key } of batch) busy.add(key);
    running++;
    const begin = (begun = performance.now());
    const committed = (outcome: 'success' | 'failure') => {
      const milliseconds = performance.now() - begin;
      if (outcome === 'success') fastest = Math.min(milliseconds, fastest * FORGETTING);
      if (keyOf) for (const { key } of batch) busy.delete(key);
      running--;
      observer?.waiting(waiting.length);
      observer?.committed(batch.length, milliseconds, outcome);
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
    advance();
    if (running === 0 && waiting.length === 0) for (const resolve of idle.splice(0)) resolve();
  }

  function refusal(): StoreUnavailable | undefined {
    return waiting.length < MAX_WAITING ? undefined : overload();
  }

  return {
    add(item) {
      const refused = refusal();
      if (refused) return Promise.reject(refused);
      return new Promise((resolve, reject) => {
        waiting.push({ item, length: lengthOf(item), key: keyOf?.(item), resolve, reject });
        observer?.waiting(waiting.length);
        advance();
      });
    },
    refusal,
    end: () =>
      new Promise((resolve) => {
        if (running === 0 && waiting.length === 0) resolve();
        else idle.push(resolve);
      }),
  };
}

export const overload = () =>
  new StoreUnavailable(`${MAX_WAITING} writes are already waiting: try again later`);
