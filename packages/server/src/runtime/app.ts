import express, { type Express } from 'express';
import {
  compileContract,
  type Contract,
  isKeyed,
  KEY_KINDS,
  lackingColumns,
  type OpenApiDocument,
  undocumentedFinding,
  undocumentedResponses,
} from '../contract/tools';
import {
  createService,
  type Extensions,
  faultToStderr,
  type Finding,
  type Headers,
  type Hooks,
  InvalidContract,
  type JsonObject,
  safely,
  type ServiceOptions,
} from '../contract';
import { InvalidValue } from 'contract-first-database';
import { DOCUMENT_THEM, withAdvice } from './advice';
import type { Login } from './credentials/issuers';
import { allowOrigins } from './cors';
import { resource } from './credentials/audience';
import { loadMcp } from './mcp';
import type { McpOptions } from '../mcp/access';
import { docsRouter } from './page/docs';
import { type Errors, type OperationalKind, refusalOf } from './errors';
import { endOfRoutes, operationalRoutes, type Probed, withHeaders } from './observe/probes';
import { createDurations } from './observe/durations';
import { createTraces } from './observe/traces';

/** The options of a service that the runtime fills in. The others are handed on. */
type FilledIn =
  'document' | 'toProblem' | 'render' | 'onlyDocumented' | 'stubs' | 'reserved' | 'headers' | 'requestIdOf';

/** All that is outside of a service: its configuration, credentials, logs and metrics. `runService` creates it. */
export interface RuntimeOptions<Own extends string = never>
  extends Omit<ServiceOptions<OperationalKind | Own>, FilledIn | keyof Application>, Probed {
  /** The published contract, generated/openapi.json: as JSON, or as it was read. */
  readonly document: JsonObject | OpenApiDocument;
  /** True: every operation must have a handler, and no handler may be a stub. */
  readonly production: boolean;
  /** Origins whose pages may call the service (CORS). Empty: none. */
  readonly corsOrigins: readonly string[];
  /** Limits the requests of each client. Default: no limit. */
  readonly rateLimit?:
    | Pick<ServiceOptions<OperationalKind>, 'afterAuthentication' | 'afterRejection' | 'ownProblems'>
    | undefined;
  /** Sees the accepted requests to deprecated operations. Default: nobody does. */
  readonly deprecated?: Hooks['afterAuthentication'];
  /** How people log in on the docs page, by security scheme: that of `openCredentials`. Default: as the document says. */
  readonly logins?: ReadonlyMap<string, Login>;
  /** What serves the operations as tools at `/mcp`. Default: nothing does, and the document may have that path. */
  readonly mcp?: Pick<McpOptions, 'mode' | 'url' | 'host' | 'issuers' | 'onLeftOut'> | undefined;
  /** Whether this application serves probes and metrics. False: a separate application does. Default: true. */
  readonly operational?: boolean;
}

/** The policies and observers of a service. */
export type OwnHooks<Own extends string = never> = Hooks<OperationalKind | Own>;

/** A service: what its team writes. */
export interface Application<Own extends string = never>
  extends Extensions, OwnHooks<Own>, Pick<ServiceOptions<Own>, 'handlers' | 'ownProblems'> {
  readonly errors: Errors<Own>;
  /** The tables of bodies, by operationId, as `StoredBodies` has them: each property of a body must have a column. */
  readonly stored?: Readonly<Record<string, object>>;
}

/** The path prefix that is reserved for the operation of the server. The contract cannot use it. */
export const RESERVED = '/-/';

/** Headers of every response: no content sniffing, no caching. */
export const HEADERS: Headers = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' };

/**
 * Creates the application. The order of the calls is the order in which a request passes them.
 *
 * @throws {InvalidContract} if the document is invalid, a handler or strategy that it needs is missing, a property of a stored
 *   body has no column, or an operation lacks a refusal that can happen to it. The message has the actions of an overlay that
 *   document it.
 */
export function createApp<Own extends string = never>(
  { errors, stored = {}, ...application }: Application<Own>,
  {
    document,
    production,
    corsOrigins,
    rateLimit,
    deprecated,
    logins,
    mcp,
    operational = true,
    ...runtime
  }: RuntimeOptions<Own>,
): Express {
  const fault = safely(runtime.reportFault ?? faultToStderr);
  const traces = createTraces(RESERVED);
  // First, because it proves that the document can be served.
  const contract = compileContract(document, application);
  const lacking = undocumentedResponses(
    contract.served.values(),
    errors.render,
    rateLimit?.ownProblems,
    ({ operationId }) => (isKeyed(application.handlers[operationId]) ? KEY_KINDS : []),
  );
  const finding = undocumentedFinding(
    contract.document,
    [...contract.served.values()],
    lacking,
    DOCUMENT_THEM,
  );
  const columns = withoutColumn(contract, stored);
  if (finding || columns.length > 0) throw new InvalidContract([...(finding ? [finding] : []), ...columns]);
  const isDeprecated = [...contract.served.keys()].some(({ deprecation }) => deprecation);
  const service = withAdvice(createService<OperationalKind | Own>, {
    ...application,
    ...runtime,
    document: contract.document,
    toProblem: (error, received, operation) =>
      errors.toProblem(
        error instanceof InvalidValue && received ? (refusalOf(error, received, operation) ?? error) : error,
      ),
    onlyDocumented: true,
    render: errors.render,
    stubs: !production,
    reserved: RESERVED,
    headers: HEADERS,
    streams: { ...runtime.streams, stopping: runtime.stopping },
    reportFault: fault,
    ownProblems: [...(rateLimit?.ownProblems ?? []), ...(application.ownProblems ?? [])],
    afterAuthentication: [
      rateLimit?.afterAuthentication ?? [],
      (isDeprecated ? deprecated : undefined) ?? [],
      application.afterAuthentication ?? [],
    ].flat(),
    afterRejection: [rateLimit?.afterRejection ?? [], application.afterRejection ?? []].flat(),
    afterResponse: [
      traces?.afterResponse ?? [],
      createDurations() ?? [],
      application.afterResponse ?? [],
    ].flat(),
  });
  const app = express().disable('x-powered-by').disable('etag');
  const traced = traces ? traces.around(service) : service;
  if (mcp) {
    const around = {
      contract,
      extensions: application,
      service: traced,
      corsOrigins,
      headers: HEADERS,
      fault,
    };
    const within = resource.run.bind(resource);
    app.use(loadMcp().createMcp({ ...runtime, ...mcp, ...around, within }));
  }
  if (corsOrigins.length > 0) app.use(allowOrigins(corsOrigins, contract.document));
  app.use(traced);
  app.use(RESERVED, docsRouter(contract.document, logins));
  app.use(withHeaders(HEADERS));
  if (operational) app.use(operationalRoutes(runtime));
  return app.use(...endOfRoutes(errors, HEADERS, fault));
}

/** The properties of stored bodies that would get no further than the handler, because no column holds them. */
const withoutColumn = ({ document, served }: Contract, stored: Readonly<Record<string, object>>): Finding[] =>
  [...served.keys()].flatMap((operation) => {
    const places = Object.hasOwn(stored, operation.operationId) ? stored[operation.operationId] : undefined;
    if (!places) return [];
    return lackingColumns(document, operation, places).map(({ name, schemas }) => ({
      pointer: schemas[0] ?? '',
      message: `no column holds the property ${name}: \`npx contract-first todo\` prints the column and the migration to add`,
      operations: [`${operation.method} ${operation.paths[0] ?? ''}`],
    }));
  });

/** Probes and metrics alone, for a listener that clients cannot reach and therefore cannot overload. */
export function createOperationalApp<Own extends string = never>(
  errors: Pick<Errors<Own>, 'toProblem' | 'render'>,
  runtime: Pick<RuntimeOptions, keyof Probed | 'reportFault'>,
): Express {
  const fault = safely(runtime.reportFault ?? faultToStderr);
  const app = express().disable('x-powered-by').disable('etag');
  app.use(withHeaders(HEADERS), operationalRoutes(runtime));
  return app.use(...endOfRoutes(errors, HEADERS, fault));
}
