import { randomUUID } from 'node:crypto';
import express from 'express';
import contract from 'contract-first-server';
import tools from 'contract-first-server/tools';
import { errors } from '../../../dist/errors.js';
import { accepts, BODY_LIMIT, document, handlersOf, items } from './work.mjs';

// The contract core by its public surface, for any document; the errors are those of the plants.

const { createHttpServer, createService, listen, strategiesFor } = contract;
const { OpenApiDocument } = tools;

// A handler that returns int64 returns bigint.
for (const item of items) item.id = BigInt(item.id);

const service = createService({
  document,
  handlers: handlersOf((work) => async ({ query, body }) => ({ status: 200, body: work(query, body) })),
  strategies: strategiesFor(
    new OpenApiDocument(document),
    (token, { scopes }) => accepts(token) && { id: 'client', scopes },
  ),
  toProblem: errors.toProblem,
  render: errors.render,
  bodyLimit: BODY_LIMIT,
  maxRequests: 512,
  headers: { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' },
  requestIdOf: () => randomUUID(),
  stubs: false,
  reserved: '/-/',
  report: () => undefined,
});
const app = express().disable('x-powered-by').disable('etag').use(service);
await listen(createHttpServer(app, errors.render, {}), '127.0.0.1', 0);
