import express from 'express';
import { HEADERS } from '../../../../dist/app.js';
import { createStrategies, tokenVerifier } from '../../../../dist/auth.js';
import { createHttpServer } from '../../../../dist/contract/index.js';
import { createService } from '../../../../dist/contract/index.js';
import { renderProblem, toProblem } from '../../../../dist/errors.js';
import { createPlant } from '../../../../dist/handlers/create-plant.js';
import { requestIdOf } from '../../../../dist/operational/request-id.js';
import { openStore } from '../../../../dist/storage/open.js';
import { BODY_LIMIT, forEachOperation, readDocument } from './work.mjs';

// What src/main.ts and src/app.ts compose, for a document of any number of operations.

const document = readDocument();
const app = express();
app.disable('x-powered-by');
app.use(
  createService({
    document,
    handlers: forEachOperation(document, createPlant(await openStore('memory:'))),
    strategies: createStrategies(tokenVerifier([process.env.API_TOKENS]).verify),
    toProblem,
    render: renderProblem,
    bodyLimit: BODY_LIMIT,
    maxRequests: 512,
    headers: HEADERS,
    requestIdOf,
    reserved: '/-/',
    report: () => undefined,
  }),
);
createHttpServer(app, renderProblem, {}).listen(0, '127.0.0.1');
