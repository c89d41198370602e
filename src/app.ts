import express, { type Express } from 'express';
import type { JsonObject } from './contract/document';
import type { Strategies } from './contract/security';
import { createService } from './contract/serve';
import { renderProblem, toProblem } from './errors';
import { createHandlers } from './handlers';
import { docsRouter } from './operational/docs';
import type { PlantStore } from './plants/plant-store';

export interface Dependencies {
  /** The published contract, generated/openapi.json. */
  readonly document: JsonObject;
  readonly store: PlantStore;
  readonly strategies: Strategies;
  readonly log: Log;
  /** Whether operations may be left whose handlers are stubs. */
  readonly stubs: boolean;
  /** Bytes of a request body. */
  readonly bodyLimit: number;
}

/** As much of pino as is used here. */
export interface Log {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Paths that start so are for the operation of the server, and never for the contract. */
const RESERVED = '/-/';

/**
 * The application: what happens to a request, in order.
 *
 * @throws {InvalidContract} unless the document is valid and everything it asks for is there
 */
export function createApp({ document, store, strategies, log, stubs, bodyLimit }: Dependencies): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use(
    createService({
      document,
      handlers: createHandlers(store),
      strategies,
      toProblem,
      render: renderProblem,
      stubs,
      bodyLimit,
      reserved: RESERVED,
      report({ problem, ...outcome }) {
        if (problem?.kind === 'unexpected') log.error({ ...outcome, err: problem.cause }, problem.message);
        else log.info({ ...outcome, ...(problem && { problem: problem.message }) }, 'answered');
      },
    }),
  );
  app.use(RESERVED, docsRouter(document));
  return app;
}
