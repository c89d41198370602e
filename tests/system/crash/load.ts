import { createHash } from 'node:crypto';
import { Agent, request } from 'node:http';
import type { Plant } from '../../../src/plants/plant-store';
import { STRANGE_STRINGS } from '../../support/strange-values';
import { bodyWith, exampleMessage } from '../../support/example';
import { type Server, TOKEN } from './server';

/** What the clients have sent and what they were told, over all rounds. */
export interface Ledger {
  /** Every plant sent, by id; rivals for one id are sent now and then. */
  readonly sent: Map<bigint, Plant[]>;
  /** How many plants that is. */
  count: number;
  /** Every plant that was answered 200: those that must never be lost. */
  readonly acknowledged: Plant[];
  /** Answers that no crash explains. */
  readonly unexpected: string[];
}

const MESSAGE = exampleMessage(TOKEN);
/** Connections that are kept alive, each with one request at a time. */
const CLIENTS = 64;
/** Milliseconds. */
const ANSWER_TIMEOUT = 15_000;

/** The same number from 0 to 1 for the same words, whatever was asked for before. */
export function randomOf(...words: readonly (string | number)[]): number {
  return createHash('sha256').update(words.join(' ')).digest().readUInt32BE() / 2 ** 32;
}

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

/** @returns the status and the body of the answer, or undefined when there was none */
function post(
  server: Server,
  agent: Agent,
  plant: Plant,
): Promise<{ status: number; text: string } | undefined> {
  const { method, path, headers } = MESSAGE;
  return new Promise((resolve) => {
    const none = () => {
      resolve(undefined);
    };
    const outgoing = request(
      new URL(path, server.address),
      { agent, method, headers, timeout: ANSWER_TIMEOUT },
      (incoming) => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        incoming.on('error', none).on('end', () => {
          resolve({ status: incoming.statusCode ?? 0, text });
        });
      },
    );
    outgoing
      .on('error', none)
      .on('timeout', () => outgoing.destroy())
      .end(bodyWith(MESSAGE, { tag: undefined, ...plant }));
  });
}

/** Clients that send plants until they are stopped. */
export interface Load {
  /** Resolves when `count` more plants have been acknowledged. */
  acknowledged(count: number): Promise<void>;
  stop(): Promise<void>;
}

export function startLoad(server: Server, ledger: Ledger, seed: number): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  let running = true;
  let wanted = 0;
  let enough: (() => void) | undefined;

  async function client(): Promise<void> {
    while (running) {
      const plant = plantOf(seed, ledger.count++);
      const variants = ledger.sent.get(plant.id);
      if (variants) variants.push(plant);
      else ledger.sent.set(plant.id, [plant]);
      const answer = await post(server, agent, plant);
      if (answer?.status === 200) {
        ledger.acknowledged.push(plant);
        if (--wanted === 0) enough?.();
      } else if (answer === undefined || answer.status === 503) {
        // Nothing is known of this plant. While the server or its database is down there is nothing to gain by haste.
        await new Promise((resolve) => setTimeout(resolve, 5));
      } else if (!answer.text.includes('40002')) ledger.unexpected.push(`${answer.status} ${answer.text}`);
    }
  }

  const clients = Array.from({ length: CLIENTS }, client);
  return {
    acknowledged: (count) =>
      new Promise((resolve) => {
        wanted = count;
        enough = resolve;
      }),
    async stop() {
      running = false;
      await Promise.all(clients);
      agent.destroy();
    },
  };
}
