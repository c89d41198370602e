import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { type Answer, createHttpServer, type JsonObject, strategiesFor } from 'contract-first-server';
import { OpenApiDocument } from 'contract-first-server/tools';
import { renderPlain } from '../testing/plain-errors';
import { buildApp } from '../testing/plant-service';
import { buildService } from '../testing/service';
import { bytesOf } from '../testing/wire';
import type { Exchange, Subject } from './adversary';
import { PLANT_STORE } from './plants';
import { growing } from './documents';
import { subjects } from './subjects';
import type { Assignment, Cost, Report, Task } from './measure';

/*
 * A process of its own, since an adversary may hold it for good: it serves the document of one subject at a time, sends
 * itself the requests that it is asked for, and answers with what they cost.
 */

/** More than any adversary is long, so that its length alone refuses none. */
const MOST = 4_000_000;
const LIMITS = { headersTimeout: 0, requestTimeout: 0, keepAliveTimeout: 1_000, maxHeaderSize: MOST };

interface Served {
  readonly server: Server;
  /** How the handler answers from now on. */
  readonly answerWith: (reply: () => Answer) => void;
}

function handlersOf<T>(document: JsonObject, handler: T): Record<string, T> {
  const items = Object.values(document['paths'] as Record<string, Record<string, { operationId: string }>>);
  const operations = items.flatMap((item) => Object.values(item));
  return Object.fromEntries(operations.map(({ operationId }) => [operationId, handler]));
}

function serve({ about, document }: Subject): Served {
  if (about.startsWith(PLANT_STORE)) {
    const app = buildApp({ bodyLimit: MOST });
    return { server: createHttpServer(app, renderPlain, LIMITS), answerWith: () => undefined };
  }
  let reply = (): Answer => ({ status: 204, body: undefined });
  const handler = async ({ body }: { readonly body?: unknown }) => {
    if (typeof body === 'object' && body && Symbol.asyncIterator in body)
      await Readable.from(body as AsyncIterable<unknown>).toArray();
    return reply();
  };
  const strategies = strategiesFor(new OpenApiDocument(document), () => ({}));
  const handlers = handlersOf(document, handler);
  const { app } = buildService({ document, handlers, strategies, bodyLimit: MOST, compression: true });
  return {
    server: createHttpServer(app, renderPlain, LIMITS),
    answerWith: (given) => {
      reply = given;
    },
  };
}

const requestOf = ({ method = 'POST', target = '/things', headers = [], body }: Exchange): string =>
  bytesOf({ method, path: target, headers: { Connection: 'close', ...Object.fromEntries(headers) }, body });

/** CPU milliseconds of this process for one exchange, and the longest that its event loop stood still. */
async function cost(port: number, bytes: string): Promise<Cost> {
  let status = 0;
  let longest = 0;
  let last = performance.now();
  let running = true;
  const tick = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (running) setImmediate(tick);
  };
  const before = process.cpuUsage();
  const began = performance.now();
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('data', (chunk) => {
    if (status === 0) status = Number(chunk.toString('latin1', 9, 12));
  });
  socket.on('error', () => undefined); // a wrong item of an answer resets the connection
  const closed = new Promise((resolve) => socket.once('close', resolve));
  tick();
  socket.write(bytes);
  await closed;
  running = false;
  const { user, system } = process.cpuUsage(before);
  const elapsed = performance.now() - began;
  // The ticks themselves keep the processor busy while there is nothing to do: no more was spent than time has passed.
  return { cpu: Math.min((user + system) / 1000, elapsed), blocked: longest, status };
}

const all = subjects();
let served: (Served & { readonly document: JsonObject }) | undefined;

async function prepare(number: number): Promise<Served> {
  const subject = all[number];
  if (!subject) throw new Error(`expected the number of a subject, got ${number}`);
  const { document } = subject;
  if (served?.document === document) return served;
  served?.server.closeAllConnections();
  served?.server.close();
  served = { ...serve(subject), document };
  served.server.listen(0, '127.0.0.1');
  await once(served.server, 'listening');
  return served;
}

/** CPU milliseconds to start serving a document that has grown. */
function startCost(number: number, count: number): Cost {
  const document = growing[number]?.make(count);
  if (!document) throw new Error(`expected the number of a document, got ${number}`);
  const handlers = handlersOf(document, () => Promise.resolve({ status: 204 }));
  const before = process.cpuUsage();
  const began = performance.now();
  buildService({ document, handlers });
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1000, blocked: performance.now() - began, status: 0 };
}

/** @param limit CPU milliseconds for each run, or for the start; what a request needs before it is sent does not count */
async function perform(task: Task, limit: number): Promise<Cost> {
  if ('document' in task) {
    watchdog.postMessage(limit);
    return startCost(task.document, task.size);
  }
  const { subject, adversary, size, innocent, runs, enough } = task;
  const { server, answerWith } = await prepare(subject);
  const { port } = server.address() as AddressInfo;
  const made = all[subject]?.adversaries[adversary];
  if (!made) throw new Error(`expected the number of an adversary, got ${adversary}`);
  const exchange = innocent ? made.innocent(size) : made.hostile(size);
  const body: unknown = exchange.answer === undefined ? undefined : JSON.parse(exchange.answer);
  answerWith(exchange.reply ?? (() => ({ status: body === undefined ? 204 : 200, body })));
  const bytes = requestOf(exchange);
  const measured = (): Promise<Cost> => {
    watchdog.postMessage(limit);
    return cost(port, bytes);
  };
  let least = await measured();
  for (let run = 1; run < runs && least.cpu >= enough; run++) {
    const { cpu, blocked, status } = await measured();
    least = { cpu: Math.min(cpu, least.cpu), blocked: Math.min(blocked, least.blocked), status };
  }
  return least;
}

/** Ends the process when a run has used up its milliseconds of CPU time: the main thread may never come back to do so. */
const watchdog = new Worker(
  `const { parentPort } = require('node:worker_threads');
   const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
   let end = Infinity;
   parentPort.on('message', (limit) => { end = used() + limit; });
   setInterval(() => { if (used() > end) process.kill(process.pid, 'SIGKILL'); }, 20);`,
  { eval: true },
);

process.on('message', ({ task, limit }: Assignment) => {
  const reply = (report: Report): void => {
    watchdog.postMessage(Infinity);
    process.send?.(report);
  };
  perform(task, limit).then(
    (measured) => {
      reply({ cost: measured });
    },
    (error: unknown) => {
      reply({ refusal: error instanceof Error ? error.message : String(error) });
    },
  );
});
process.on('disconnect', () => process.exit());
process.send?.({ ready: true });
