import express, { type Express } from 'express';
import {
  createService,
  type Extensions,
  faultToStderr,
  type Headers,
  type Hooks,
  isObject,
  type JsonObject,
  type LoggerFor,
  type Outcome,
  type Remark,
  type ReportFault,
  safely,
  type ServiceOptions,
  type Strategies,
} from '../contract';
import { InvalidValue } from '../database';
import { allowOrigins } from './cors';
import { docsRouter } from './docs';
import type { Errors, OperationalKind } from './errors';
import type { Metrics } from './metrics';
import { refusalOf } from './refused-value';
import { requestIdOf } from './request-id';
import { endOfRoutes, operationalRoutes, withHeaders } from './routes';
import { createTraces } from './traces';

/** All that is outside of a service: its configuration, credentials, logs and metrics. `runService` creates it. */
export interface RuntimeOptions<Own extends string = never> {
  /** The published contract, generated/openapi.json. */
  readonly document: JsonObject;
  /** Resolves if the handlers can do their work now, otherwise rejects. The response does not show the reason. */
  readonly ready: () => Promise<void>;
  readonly strategies: Strategies;
  /** True: every operation must have a handler, and no handler may be a stub. */
  readonly production: boolean;
  /** Called once for each request. */
  readonly report: (outcome: Outcome<OperationalKind | Own>) => void;
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
  readonly corsOrigins: readonly string[];
  /** The maximum size of a request body, in bytes. */
  readonly bodyLimit: number;
  /** The maximum number of handlers that run at the same time. */
  readonly maxRequests: number;
  /** Milliseconds from the head of a request to its response. */
  readonly deadline?: number;
  /** Limits the requests of each client. Default: no limit. */
  readonly rateLimit?:
    Pick<ServiceOptions<OperationalKind>, 'afterAuthentication' | 'ownProblems'> | undefined;
  /** Whether this application serves probes and metrics. False: a separate application does. Default: true. */
  readonly operational?: boolean;
}

/** A service: what its team writes. */
export interface Application<Own extends string = never>
  extends Extensions, Hooks<OperationalKind | Own>, Pick<ServiceOptions<Own>, 'handlers' | 'ownProblems'> {
  readonly errors: Errors<Own>;
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
export function createApp<Own extends string = never>(
  { errors, ...application }: Application<Own>,
  surroundings: RuntimeOptions<Own>,
): Express {
  const { document, corsOrigins, rateLimit, operational = true } = surroundings;
  const fault = safely(surroundings.reportFault ?? faultToStderr);
  const traces = createTraces(RESERVED);
  // First, because it proves that the document can be served.
  const service = createService<OperationalKind | Own>({
    ...application,
    document,
    strategies: surroundings.strategies,
    toProblem: (error, received) =>
      errors.toProblem(
        error instanceof InvalidValue && received ? (refusalOf(error, received) ?? error) : error,
      ),
    render: errors.render,
    stubs: !surroundings.production,
    bodyLimit: surroundings.bodyLimit,
    maxRequests: surroundings.maxRequests,
    deadline: surroundings.deadline,
    reserved: RESERVED,
    headers: HEADERS,
    requestIdOf,
    report: surroundings.report,
    loggerFor: surroundings.loggerFor,
    reportFault: fault,
    onRemarks: surroundings.onRemarks,
    ownProblems: [...(rateLimit?.ownProblems ?? []), ...(application.ownProblems ?? [])],
    afterAuthentication: inTurn(rateLimit?.afterAuthentication, application.afterAuthentication),
    ...(traces && {
      afterResponse: (outcome, request) => {
        traces.afterResponse(outcome, request);
        return application.afterResponse?.(outcome, request);
      },
    }),
  });
  const app = express().disable('x-powered-by').disable('etag');
  if (corsOrigins.length > 0) app.use(allowOrigins(corsOrigins, document));
  app.use(traces ? traces.around(service) : service);
  app.use(RESERVED, docsRouter(document));
  app.use(withHeaders(HEADERS));
  if (operational) app.use(operationalRoutes(surroundings));
  return app.use(...endOfRoutes(errors, HEADERS, fault));
}

type AfterAuthentication = ServiceOptions['afterAuthentication'];

/** One hook that calls both in turn, and returns the headers of both. */
function inTurn(limit: AfterAuthentication, own: AfterAuthentication): AfterAuthentication {
  if (!limit || !own) return limit ?? own;
  return async (context) => {
    const quota = await limit(context);
    const headers = await own(context);
    if (headers === undefined) return quota;
    return isObject(headers) ? { ...quota, ...headers } : headers; // the service refuses any other value
  };
}

/** Probes and metrics alone, for a listener that clients cannot reach and therefore cannot overload. */
export function createOperationalApp<Own extends string = never>(
  errors: Pick<Errors<Own>, 'toProblem' | 'render'>,
  surroundings: Pick<RuntimeOptions, 'ready' | 'metrics' | 'stopping' | 'reportFault'>,
): Express {
  const fault = safely(surroundings.reportFault ?? faultToStderr);
  const app = express().disable('x-powered-by').disable('etag');
  app.use(withHeaders(HEADERS), operationalRoutes(surroundings));
  return app.use(...endOfRoutes(errors, HEADERS, fault));
}
