import cors from 'cors';
import express, { type Express } from 'express';
import {
  createService,
  faultToStderr,
  type Headers,
  type JsonObject,
  type LoggerFor,
  OpenApiDocument,
  type Outcome,
  readOperations,
  type Remark,
  type ReportFault,
  safely,
  type ServiceOptions,
  type Strategies,
} from './contract';
import { type OwnKind, renderProblem, toProblem } from './errors';
import { extensions } from './extensions';
import type { Handlers } from './handlers/types';
import { docsRouter } from './operational/docs';
import type { Metrics } from './operational/metrics';
import { requestIdOf } from './operational/request-id';
import { createTraces } from './operational/traces';
import { endOfRoutes, operationalRoutes, withHeaders } from './operational/routes';

export interface Dependencies {
  /** The published contract, generated/openapi.json. */
  readonly document: JsonObject;
  readonly handlers: Handlers;
  /** Resolves if the handlers could do their work now, rejects if not; the reason is not shown to who asks. */
  readonly ready: () => Promise<void>;
  readonly strategies: Strategies;
  /** Nothing may be left unfinished: every operation has a handler that is more than a stub. */
  readonly production: boolean;
  /** Told of every request, once. */
  readonly report: (outcome: Outcome<OwnKind>) => void;
  /** Makes what handlers log with; without it they log to the console. */
  readonly loggerFor?: LoggerFor;
  /** Receives failures that belong to no answer; without it they go to standard error. */
  readonly reportFault?: ReportFault;
  /** Receives what the document has and the server does not enforce, once. */
  readonly onRemarks?: ((remarks: readonly Remark[]) => void) | undefined;
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
  /** Aborted when the server begins to stop. */
  readonly stopping: AbortSignal;
  /** From which web pages of others may call; none if empty. */
  readonly corsOrigins: string[];
  /** Bytes of a request body. */
  readonly bodyLimit: number;
  /** Handlers at work at once. */
  readonly maxRequests: number;
  /** Milliseconds from the head of a request to its answer. */
  readonly deadline?: number;
  /** Limits the requests of each client; without it there is no limit. */
  readonly rateLimit?: Pick<ServiceOptions<OwnKind>, 'afterAuthentication' | 'ownProblems'> | undefined;
  /** Probes and metrics are served here too; false: only by an application of their own. True by default. */
  readonly operational?: boolean;
}

/** Paths that start so are for the operation of the server, and never for the contract. */
export const RESERVED = '/-/';

/** Of every answer: it is what its Content-Type says, and for nobody else. */
export const HEADERS: Headers = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' };

/**
 * The application: what happens to a request, in order.
 *
 * @throws {InvalidContract} unless the document is valid and everything it asks for is there
 */
export function createApp(dependencies: Dependencies): Express {
  const { document, handlers, strategies, report, corsOrigins, operational = true } = dependencies;
  const fault = safely(dependencies.reportFault ?? faultToStderr);
  const traces = createTraces(RESERVED);
  // The first of all, because it proves that the document can be served.
  const service = createService({
    document,
    handlers,
    strategies,
    toProblem,
    render: renderProblem,
    stubs: !dependencies.production,
    bodyLimit: dependencies.bodyLimit,
    maxRequests: dependencies.maxRequests,
    deadline: dependencies.deadline,
    reserved: RESERVED,
    headers: HEADERS,
    requestIdOf,
    report,
    loggerFor: dependencies.loggerFor,
    reportFault: fault,
    onRemarks: dependencies.onRemarks,
    ...dependencies.rateLimit,
    ...traces?.hooks,
    ...extensions,
  });
  const app = express().disable('x-powered-by').disable('etag');
  if (corsOrigins.length > 0) app.use(allowOrigins(corsOrigins, document));
  app.use(traces ? traces.around(service) : service);
  app.use(RESERVED, docsRouter(document));
  app.use(withHeaders(HEADERS));
  if (operational) app.use(operationalRoutes(dependencies));
  return app.use(...endOfRoutes(HEADERS, fault));
}

/** Probes and metrics alone: the application of a listener that clients cannot reach, and so cannot fill. */
export function createOperationalApp(
  dependencies: Pick<Dependencies, 'ready' | 'metrics' | 'stopping' | 'reportFault'>,
): Express {
  const fault = safely(dependencies.reportFault ?? faultToStderr);
  const app = express().disable('x-powered-by').disable('etag');
  app.use(withHeaders(HEADERS), operationalRoutes(dependencies));
  return app.use(...endOfRoutes(HEADERS, fault));
}

/**
 * Cross-origin requests (https://fetch.spec.whatwg.org/#http-cors-protocol). Only their preflight is answered here; the
 * page may read all headers of responses that the document has.
 */
function allowOrigins(origins: string[], document: JsonObject): express.RequestHandler {
  const operations = readOperations(new OpenApiDocument(document));
  const documented = operations.flatMap(({ responses }) =>
    [...responses.values()].flatMap(({ headers }) => headers),
  );
  const always = ['X-Request-Id', 'Retry-After', 'WWW-Authenticate'];
  const exposedHeaders = [...new Set([...always, ...documented.map(({ name }) => name)])];
  const allow = cors({ origin: origins, exposedHeaders, maxAge: 600 });
  return (request, response, next) => {
    const preflight = request.headers.origin && request.headers['access-control-request-method'];
    if (request.method !== 'OPTIONS' || preflight) allow(request, response, next);
    else next(); // and so 405
  };
}
