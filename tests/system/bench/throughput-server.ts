import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import document from '../../../generated/openapi.json';
import { createApp } from '../../../src/app';
import { createStrategies, tokenVerifier } from '../../../src/auth';
import { createHttpServer } from '../../../src/contract';
import { renderProblem } from '../../../src/errors';
import { createHandlers } from '../../../src/handlers';
import type { CreateOutcome, PlantStore } from '../../../src/plants/plant-store';
import { openStore } from '../../../src/storage/open';

/*
 * The server as src/main.ts puts it together, but without a log and, if asked, with a commit for every request:
 * `throughput-server.ts DATABASE_URL TOKEN [one-by-one]`. Prints its port; ends when its standard input does.
 */

/** Creates one plant at a time, so that none ever shares a commit. */
function oneByOne(store: PlantStore): PlantStore {
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...store,
    create(plant) {
      const created: Promise<CreateOutcome> = last.then(() => store.create(plant));
      last = created.catch(() => undefined);
      return created;
    },
  };
}

async function main([url = '', token = '', mode]: readonly string[]): Promise<void> {
  const store = await openStore(url);
  const app = createApp({
    document,
    handlers: createHandlers(mode === 'one-by-one' ? oneByOne(store) : store),
    ready: () => store.ready(),
    strategies: createStrategies(tokenVerifier([token]).verify),
    report: () => undefined,
    metrics: { text: () => Promise.resolve(''), contentType: 'text/plain' },
    stopping: new AbortController().signal,
    corsOrigins: [],
    production: true,
    bodyLimit: 102_400,
    maxRequests: 512,
  });
  const limits = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 10_000 };
  const server = createHttpServer(app, renderProblem, limits).listen(0, '127.0.0.1');
  await once(server, 'listening');
  console.log((server.address() as AddressInfo).port);
  process.stdin.resume().on('end', () => process.exit());
}

void main(process.argv.slice(2));
