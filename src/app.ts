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
  /** Resolves if the handlers can do their work now, otherwise rejects. The response does not show the reason. */
  readonly ready: () => Promise<void>;
  readonly strategies: Strategies;
  /** True: every operation must have a handler, and no handler may be a stub. */
  readonly production: boolean;
  /** Called once for each request. */
  readonly report: (outcome: Outcome<OwnKind>) => void;
  /** Creates the logger of a handler. Default: the console. */
  readonly loggerFor?: LoggerFor;
  /** Receives failures outside a response. Default: standard error. */
  readonly reportFault?: ReportFault;
  /** Called once with the keywords of the document that the server does not enforce. */
  readonly onRemarks?: ((remarks: readonly Remark[]) => void) | undefined;
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
  /** Aborted when the server begins to stop. */
  readonly stopping: AbortSignal;
  /** Origins whose pages may call the service (CORS). Empty: none. */
  readonly corsOrigins: string[];
  /** The maximum size of a request body, in bytes. */
  readonly bodyLimit: number;
  /** The maximum number of handlers that run at the same time. */
  readonly maxRequests: number;
  /** Milliseconds from the head of a request to its response. */
  readonly deadline?: number;
  /** Limits the requests of each client. Default: no limit. */
  readonly rateLimit?: Pick<ServiceOptions<OwnKind>, 'afterAuthentication' | 'ownProblems'> | undefined;
  /** Whether this application serves probes and metrics. False: a separate application does. Default: true. */
  readonly operational?: boolean;
}

/** The path prefix that is reserved for the operation of the server. The contract cannot use it. */
export const RESERVED = '/-/';

/** Headers of every response: no content sniffing, no caching. */
export const HEADERS: Headers = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' };

/**
 * Creates the application. The order of the calls is the order in which a request passes them.
 *
 * @throws {InvalidContract} if the document is invalid, or a handler or strategy that it needs is missing
 */
export function createApp(dependencies: Dependencies): Express {
  const { document, handlers, strategies, report, corsOrigins, operational = true } = dependencies;
  const fault = safely(dependencies.reportFault ?? faultToStderr);
  const traces = createTraces(RESERVED);
  // First, because it proves that the document can be served.
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

/** Probes and metrics alone, for a listener that clients cannot reach and therefore cannot overload. */
export function createOperationalApp(
  dependencies: Pick<Dependencies, 'ready' | 'metrics' | 'stopping' | 'reportFault'>,
): Express {
  const fault = safely(dependencies.reportFault ?? faultToStderr);
  const app = express().disable('x-powered-by').disable('etag');
  app.use(withHeaders(HEADERS), operationalRoutes(dependencies));
  return app.use(...endOfRoutes(HEADERS, fault));
}

/**
 * Cross-origin requests (https://fetch.spec.whatwg.org/#http-cors-protocol). This middleware answers preflight requests
 * only. It exposes every response header that the document declares.
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
    else next(); // the service answers 405
  };
}
