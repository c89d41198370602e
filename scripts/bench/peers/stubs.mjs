import { readFileSync } from 'node:fs';
import express from 'express';
import contract from 'contract-first-server';
import tools from 'contract-first-server/tools';
import { errors } from '../../../dist/errors.js';

// The contract core with a stub for each operation: it compiles and proves the whole document before it listens.

const { createHttpServer, createService, listen, readDocument, stub } = contract;
const { OpenApiDocument, readOperations } = tools;

const document = readDocument(readFileSync(process.env.BENCH_DOCUMENT, 'utf8'));
const operations = readOperations(new OpenApiDocument(document));
const service = createService({
  document,
  handlers: Object.fromEntries(operations.map(({ operationId }) => [operationId, stub(operationId)])),
  strategies: {},
  toProblem: errors.toProblem,
  render: errors.render,
  bodyLimit: 100_000,
  maxRequests: 512,
  headers: {},
  requestIdOf: () => 'one',
  stubs: true,
  reserved: '/-/',
  report: () => undefined,
});
const app = express().disable('x-powered-by').disable('etag').use(service);
await listen(createHttpServer(app, errors.render, {}), '127.0.0.1', 0);
