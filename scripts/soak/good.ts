import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { bodyWith, exampleMessage } from '../testing/client';
import { bytesOf } from '../testing/wire';
import { bodyOf, createLoad, statusOf } from '../load';

/** What the good clients have sent and received. */
export interface Good {
  /** The plants sent have the ids from 1 to this. */
  lastId: number;
  /** Ids of plants that were not answered 200, each with what came instead. */
  readonly refused: Map<number, string>;
  /** Microseconds from a request to its response. */
  latency: RecordableHistogram;
}

export const nameOf = (id: number) => `plant ${id}`;

/** Well-behaved clients, as fast as the server answers. */
export function startGood(port: number, token: string, connections: number) {
  const good: Good = { lastId: 0, refused: new Map(), latency: createHistogram() };
  const message = exampleMessage(token);
  const load = createLoad<number>({
    port,
    connections,
    next() {
      const id = ++good.lastId;
      return {
        bytes: bytesOf(message, bodyWith(message, { id, name: nameOf(id), tag: undefined })),
        about: id,
      };
    },
    answered(id, response, milliseconds) {
      good.latency.record(Math.max(1, Math.round(milliseconds * 1000)));
      if (!response) good.refused.set(id, 'the connection was closed');
      else if (statusOf(response) !== 200 || bodyOf(response) !== `{"name":"${nameOf(id)}"}`)
        good.refused.set(id, response.toString());
    },
  });
  load.start();
  return {
    good,
    async stop() {
      await load.pause();
      load.close();
    },
  };
}
