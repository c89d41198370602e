import runtime from 'contract-first-server/runtime';
import { readConfig } from '../../../dist/config.js';
import { errors } from '../../../dist/errors.js';
import { handlersOf, items } from './work.mjs';

// A whole service for any document, as `runService` starts it; configuration and errors are those of the plants.

// A handler that returns int64 returns bigint.
for (const item of items) item.id = BigInt(item.id);

const handlers = handlersOf((work) => ({ query, body }) => ({ status: 200, body: work(query, body) }));
const done = () => Promise.resolve();

runtime.runService({
  readConfig,
  document: process.env.BENCH_DOCUMENT,
  errors,
  open: () => Promise.resolve({ ready: done, close: done }),
  createApp: (_, options) => runtime.createApp({ handlers, errors }, options),
});
