import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { headOf } from '../../support/wire';
import { bodyWith, exampleMessage } from '../../support/example';

/** What the good clients were told. */
export interface Good {
  /** The plants sent have the ids from 1 to this. */
  lastId: number;
  /** Ids of plants that were not answered 200, each with what was said instead. */
  readonly refused: Map<number, string>;
  /** Microseconds from a request to its answer. */
  latency: RecordableHistogram;
}

export const nameOf = (id: number) => `plant ${id}`;

/** Well-behaved clients, each on a connection of its own with one request at a time, as fast as the server answers. */
export async function startGood(port: number, token: string, clients: number) {
  const good: Good = { lastId: 0, refused: new Map(), latency: createHistogram() };
  let running = true;
  const message = exampleMessage(token);
  const head = headOf(message);

  function send(socket: Socket): void {
    const id = ++good.lastId;
    const body = bodyWith(message, { id, name: nameOf(id), tag: undefined });
    const begin = performance.now();
    let text = '';
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (!text.endsWith('}')) return; // every answer is one JSON object
      socket.off('data', onData).off('close', onClose);
      good.latency.record(Math.max(1, Math.round((performance.now() - begin) * 1000)));
      if (!text.startsWith('HTTP/1.1 200 ') || !text.endsWith(`{"name":"${nameOf(id)}"}`))
        good.refused.set(id, text);
      if (running) send(socket);
      else socket.end();
    };
    const onClose = () => good.refused.set(id, `the connection was closed: ${text}`);
    socket
      .on('data', onData)
      .on('close', onClose)
      .write(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  const sockets = Array.from({ length: clients }, () =>
    connect(port, '127.0.0.1').on('error', () => undefined),
  );
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  sockets.forEach(send);
  return {
    good,
    async stop() {
      running = false;
      const open = sockets.filter(({ closed }) => !closed);
      await Promise.all(open.map((socket) => once(socket, 'close')));
    },
  };
}
