/** A service that does what alerts are for: it fails, blocks, breaks a stream off, and has long answers. It runs the built files. */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const runtime = require('contract-first-server/runtime');
const { PLAIN_ERRORS } = require('contract-first-server/tools');

const ok = (content) => ({
  200: { description: 'it', content },
  default: { description: 'an error', content: { 'application/json': {} } },
});
const get = (operationId, content) => ({ get: { operationId, responses: ok(content) } });
const document = {
  openapi: '3.2.0',
  info: { title: 'alerts', version: '1.0.0' },
  paths: {
    '/fail': get('fail', { 'application/json': {} }),
    '/block': get('block', { 'application/json': {} }),
    '/long': get('long', { 'text/plain': { schema: { type: 'string' } } }),
    '/items': get('items', { 'application/jsonl': { itemSchema: { type: 'integer' } } }),
  },
};
const long = 'x'.repeat(16_000_000);
async function* items() {
  yield 1;
  throw new Error('on purpose');
}
const handlers = {
  fail: () => Promise.reject(new Error('on purpose')),
  block() {
    for (const end = performance.now() + 400; performance.now() < end;);
    return Promise.resolve({ status: 200, body: {} });
  },
  long: () => Promise.resolve({ status: 200, body: long }),
  items: () => Promise.resolve({ status: 200, body: items() }),
};

const [folder] = process.argv.slice(2);
const file = join(folder, 'alerts.json');
writeFileSync(file, JSON.stringify(document));
const nothing = () => Promise.resolve();
const parts = {
  readConfig: () =>
    runtime.readEnvironment(process.env, (variables) => ({
      ...runtime.readServerConfig(variables),
      credentials: runtime.readCredentials({}, variables),
    })),
  document: file,
  errors: PLAIN_ERRORS,
  open: () => Promise.resolve({ ready: nothing, close: nothing }),
  createApp: (_, options) => runtime.createApp({ handlers, errors: PLAIN_ERRORS }, options),
};
runtime.runService(parts, []);
