import type { Plant } from '../../src/plants/plant-store';
import { bodyWith, exampleMessage } from '../testing/client';
import { STRANGE_STRINGS } from '../testing/strange-values';
import { bytesOf } from '../testing/wire';
import { bodyOf, createLoad, statusOf } from '../load';
import { randomOf } from '../program';

/** The only token that the server accepts. */
export const TOKEN = 'crash-test';

/** What the clients have sent and what was acknowledged, over all rounds. */
export interface Ledger {
  /** Every plant sent, by id; rivals for one id are sent now and then. */
  readonly sent: Map<bigint, Plant[]>;
  /** How many plants that is. */
  count: number;
  /** Every plant that was answered 200: those that must never be lost. */
  readonly acknowledged: Plant[];
  /** Every plant that was answered "another one has this id": that one must never be lost either. */
  readonly refused: Plant[];
  /** Responses that no crash explains. */
  readonly unexpected: string[];
  /** Requests without a response, or with 503: they were sent again. */
  failed: number;
}

export const newLedger = (): Ledger => ({
  sent: new Map(),
  count: 0,
  acknowledged: [],
  refused: [],
  unexpected: [],
  failed: 0,
});

export interface Result {
  readonly sent: number;
  readonly acknowledged: number;
  /** Answers that no longer hold: the plant is not there as it was acknowledged, or none is there that refuses another. */
  readonly lost: number;
  /** Plants that were never sent. */
  readonly foreign: number;
}

const same = (a: Plant | undefined, b: Plant) => a?.id === b.id && a.name === b.name && a.tag === b.tag;

/** Compares what was answered with what is stored. */
export function compare({ sent, count, acknowledged, refused }: Ledger, plants: readonly Plant[]): Result {
  const stored = new Map(plants.map((plant) => [plant.id, plant]));
  const wasSent = (plant: Plant) => sent.get(plant.id)?.some((variant) => same(variant, plant)) ?? false;
  const isRefuted = (plant: Plant) => !stored.has(plant.id) || same(stored.get(plant.id), plant);
  return {
    sent: count,
    acknowledged: acknowledged.length,
    lost:
      acknowledged.filter((plant) => !same(stored.get(plant.id), plant)).length +
      refused.filter(isRefuted).length,
    foreign: plants.filter((plant) => !wasSent(plant)).length,
  };
}

const MESSAGE = exampleMessage(TOKEN);

const strings = STRANGE_STRINGS.filter(({ length }) => length < 1000);

function stringOf(...words: readonly (string | number)[]): string {
  const strange = strings[Math.floor(randomOf(...words) * 2 * strings.length)];
  return strange ?? `plant ${words.join(' ')}`;
}

/** The nth plant of a run. One in ten has the id of the one before it; the ids lie all over int64. */
function plantOf(seed: number, n: number): Plant {
  const rival = n > 0 && randomOf(seed, n, 'rival') < 0.1;
  // An odd factor is a permutation of the 64-bit integers.
  const id = BigInt.asIntN(64, BigInt(rival ? n - 1 : n) * 0x9d3c_17b2_5ae4_f061n);
  const tagged = randomOf(seed, n, 'tagged') < 0.5;
  return { id, name: `${stringOf(seed, n)} ${n}`, ...(tagged && { tag: stringOf(seed, n, 'tag') }) };
}

/** How hard the clients work. */
interface Pace {
  readonly connections: number;
  /** Milliseconds between an answer and the next request of a client. */
  readonly rest?: number;
}

/** Clients that send plants until they are stopped; what was not answered, or with 503, is sent again. */
export function sendPlants(port: number, ledger: Ledger, seed: number, pace: Pace = { connections: 64 }) {
  const again: Plant[] = [];
  let wanted = 0;
  let enough: (() => void) | undefined;
  let last = performance.now();
  let longest = 0;
  function newPlant(): Plant {
    const plant = plantOf(seed, ledger.count++);
    const variants = ledger.sent.get(plant.id);
    if (variants) variants.push(plant);
    else ledger.sent.set(plant.id, [plant]);
    return plant;
  }
  const load = createLoad<Plant>({
    port,
    ...pace,
    next() {
      const plant = again.shift() ?? newPlant();
      return { bytes: bytesOf(MESSAGE, bodyWith(MESSAGE, { tag: undefined, ...plant })), about: plant };
    },
    answered(plant, response) {
      const status = response && statusOf(response);
      if (status === 200) {
        ledger.acknowledged.push(plant);
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
        if (--wanted === 0) enough?.();
      } else if (response === undefined || status === 503) {
        again.push(plant); // nothing is known of it
        ledger.failed++;
      } else if (status === 400 && bodyOf(response).includes('40002')) ledger.refused.push(plant);
      else ledger.unexpected.push(response.toString());
    },
  });
  load.start();
  return {
    /** Resolves when `count` more plants have been acknowledged. */
    acknowledged: (count: number): Promise<void> =>
      new Promise((resolve) => {
        wanted = count;
        enough = resolve;
      }),
    /** The longest time without an acknowledgement, in milliseconds. */
    silence: (): number => Math.max(longest, performance.now() - last),
    async stop() {
      await load.pause();
      load.close();
    },
  };
}
