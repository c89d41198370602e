/**
 * A service of any document, whose handlers return the principal: `node any-service.mjs DOCUMENT VERIFIERS`, with the
 * verifiers of its security schemes as JSON. It runs the built files.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const operational = require('../../dist/operational');
const { OpenApiDocument, readOperations } = require('../../dist/contract');

const [, , document, verifiers] = process.argv;
const store = { ready: () => Promise.resolve(), close: () => Promise.resolve() };
const answer = ({ principal }) => Promise.resolve({ status: 200, body: principal });

operational.runService({
  readConfig: () =>
    operational.readEnvironment(process.env, (variables) => ({
      ...operational.readServerConfig(variables),
      credentials: operational.readCredentials(JSON.parse(verifiers), variables),
    })),
  document,
  errors: operational.PLAIN_ERRORS,
  openStore: () => Promise.resolve(store),
  createApp: (_store, surroundings) => {
    const operations = readOperations(new OpenApiDocument(surroundings.document));
    const handlers = Object.fromEntries(operations.map(({ operationId }) => [operationId, answer]));
    return operational.createApp({ handlers, errors: operational.PLAIN_ERRORS }, surroundings);
  },
});
