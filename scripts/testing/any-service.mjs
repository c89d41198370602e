/**
 * A service of any document, whose handlers return the principal: `node any-service.mjs DOCUMENT VERIFIERS`, with the
 * verifiers of its security schemes as JSON. It runs the built files.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const runtime = require('contract-first-server/runtime');
const { PLAIN_ERRORS, readOperations } = require('contract-first-server/tools');

const [document, verifiers] = process.argv.slice(2);
const store = { ready: () => Promise.resolve(), close: () => Promise.resolve() };
const answer = ({ principal }) => Promise.resolve({ status: 200, body: principal });

const parts = {
  readConfig: () =>
    runtime.readEnvironment(process.env, (variables) => ({
      ...runtime.readServerConfig(variables),
      credentials: runtime.readCredentials(JSON.parse(verifiers), variables),
    })),
  document,
  errors: PLAIN_ERRORS,
  open: () => Promise.resolve(store),
  createApp: (_store, options) => {
    const operations = readOperations(options.document);
    const handlers = Object.fromEntries(operations.map(({ operationId }) => [operationId, answer]));
    return runtime.createApp({ handlers, errors: PLAIN_ERRORS }, options);
  },
};
runtime.runService(parts, []);
