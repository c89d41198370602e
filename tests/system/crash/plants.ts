import type { Plant } from '../../../src/plants/plant-store';
import { bodyWith, exampleMessage } from '../../support/client';
import { STRANGE_STRINGS } from '../../support/strange-values';
import { bytesOf } from '../../support/wire';
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
  /** Responses that no crash explains. */
  readonly unexpected: string[];
}

const MESSAGE = exampleMessage(TOKEN);
const CLIENTS = 64;

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

/** Clients that send plants until they are stopped; what was not answered, or with 503, is sent again. */
export function sendPlants(port: number, ledger: Ledger, seed: number) {
  const again: Plant[] = [];
  let wanted = 0;
  let enough: (() => void) | undefined;
  function newPlant(): Plant {
    const plant = plantOf(seed, ledger.count++);
    const variants = ledger.sent.get(plant.id);
    if (variants) variants.push(plant);
    else ledger.sent.set(plant.id, [plant]);
    return plant;
  }
  const load = createLoad<Plant>({
    port,
    connections: CLIENTS,
    next() {
      const plant = again.shift() ?? newPlant();
      return { bytes: bytesOf(MESSAGE, bodyWith(MESSAGE, { tag: undefined, ...plant })), about: plant };
    },
    answered(plant, response) {
      const status = response && statusOf(response);
      if (status === 200) {
        ledger.acknowledged.push(plant);
        if (--wanted === 0) enough?.();
      } else if (response === undefined || status === 503)
        again.push(plant); // nothing is known of it
      else if (!bodyOf(response).includes('40002')) ledger.unexpected.push(response.toString());
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
    async stop() {
      await load.pause();
      load.close();
    },
  };
}
