import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IncomingBody } from '../http/body';
import { Conditions, type Preconditions } from '../http/conditional';
import type { Operation } from '../operations/operations';
import type { Headers, Problem, ProblemKind } from '../problem';
import { type Principals, type Scopes, scopesOf } from '../security/requirements';
import type { ValidRequest } from './read-request';
import type { Accepted } from './write-response';
import type { SecuredOperation } from './served-operation';

/**
 * The stages of a request, in order. A request ends in the first stage that rejects it. The HTTP server judges the
 * head, the service does the rest. Three stages are hooks, options of `createService`. CONTRIBUTING.md shows
 * this table.
 */
export const STAGES = {
  head: 'request line, header fields, `Host` and framing (400, 501, 505)',
  route: 'path (404), then method (405)',
  authenticate: 'credentials (401, 403)',
  afterAuthentication: 'hook, for a policy such as a rate limit (429)',
  negotiate: '`Accept` (406), then media type, charset and coding of the body (415)',
  receive: 'size of the body (413)',
  validate: 'well-formedness, then schema, of parameters and body (400)',
  beforeHandler: 'hook, for a policy that needs the valid request',
  handle: 'the handler of the service',
  respond: 'the response is written, validated (500) and sent',
  afterResponse: 'hook, for an observer such as a tracer',
} as const;

/** The name of a stage. */
export type Stage = keyof typeof STAGES;

/** A method of a logger. The fields are for machines, the message for people. */
interface Log {
  (message: string): void;
  (fields: object, message: string): void;
}

/** The logger of handlers and hooks. The loggers of pino and bunyan conform to it. */
export interface Logger {
  readonly debug: Log;
  readonly info: Log;
  readonly warn: Log;
  readonly error: Log;
}

/** Creates the logger of one request. */
export type LoggerFor = (requestId: string, operationId: string) => Logger;

/** The default logger: writes to the console. */
export const consoleLogger: LoggerFor = (requestId, operationId) => {
  const to = (level: keyof Logger) => (first: object | string, message?: string) => {
    const fields = { requestId, operationId, ...(typeof first === 'object' && first) };
    console[level](message ?? first, fields);
  };
  return { debug: to('debug'), info: to('info'), warn: to('warn'), error: to('error') };
};

/** Bodies that are held in memory. */
export interface Bodies {
  bytes: number;
  /** The requests whose bodies are being read, the oldest first. */
  readonly reading: Set<Exchange>;
}

/** The resources that anonymous, or authenticated, requests use. */
export interface Pool {
  handlers: number;
  /** The responses whose bodies are made while they are sent. */
  streams: number;
  readonly short: Bodies;
  readonly long: Bodies;
}

const NOTHING: readonly unknown[] = [];
const NOBODY: Principals = {};
const ANYTHING: Accepted = { ranges: [], best: undefined };

/** A request in progress, and its response. */
export class Exchange {
  readonly started = performance.now();
  /** When its deadline began: `started`, or the last progress of a long body. */
  since = this.started;
  stage: Stage = 'route';
  /** The name of the hook that runs, in the stages of hooks. */
  hook: string | undefined;
  /** Undefined before the stage `route` has found it. */
  served: SecuredOperation | undefined;
  /** The path template that the request matches. */
  route: string | undefined;
  /** Those of a deprecated operation, and the headers that the hooks afterAuthentication returned. */
  headers: Headers | undefined;
  principals = NOBODY;
  /** The media types that the client accepts. */
  accepted = ANYTHING;
  log: Logger | undefined;
  /** What the handler received; undefined before. */
  context: HandlerContext | undefined;
  /** What functions of the service have returned last: a promise within it must not stay unhandled. */
  returned: readonly unknown[] = NOTHING;
  /** The body that the handler returned. */
  body: unknown;
  /** The body of the request, if it is long. */
  received: IncomingBody | undefined;
  /** The bytes that the body of the request can have, if it is read as a whole; 0: it is read piece by piece. */
  whole = 0;
  /** The reason why the request was abandoned. */
  reason: Error | undefined;
  /** Undefined before the credentials are accepted. */
  pool: Pool | undefined;
  /** Bytes of the body that are buffered. */
  bytes = 0;
  handling = false;
  private controller: AbortController | undefined;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly requestId: string,
  ) {}

  /** Created at the first use: it costs some microseconds, and few handlers use it. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.reason) this.controller.abort(this.reason);
    return this.controller.signal;
  }

  /** Aborts the signal of a request that was given up. */
  abandon(reason: Error): void {
    this.reason = reason;
    this.controller?.abort(reason);
    this.received?.close(reason);
  }
}

/**
 * The context that hooks and handlers receive. Getters create the rarely used parts. They belong to the class because
 * accessors in an object literal double the time of garbage collection.
 */
class Context {
  readonly requestId: string;
  readonly #exchange: Exchange;
  readonly #operation: Operation;
  readonly #loggerFor: LoggerFor;

  constructor(exchange: Exchange, operation: Operation, loggerFor: LoggerFor) {
    this.#exchange = exchange;
    this.#operation = operation;
    this.#loggerFor = loggerFor;
    this.requestId = exchange.requestId;
  }

  /** Of what the server has given to a handler: undefined for any other object. */
  static exchangeOf(context: object): Exchange | undefined {
    return #exchange in context ? context.#exchange : undefined;
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }

  get log(): Logger {
    return (this.#exchange.log ??= this.#loggerFor(this.requestId, this.#operation.operationId));
  }

  get preconditions(): Preconditions {
    return new Conditions(this.#exchange.request);
  }

  protected scopesFor(principals: Principals): Scopes {
    return scopesOf(this.#operation.security, principals);
  }
}

/** The argument of a handler. handler-types.ts has its type for each operation. */
export class HandlerContext extends Context {
  declare readonly path: ValidRequest['path'];
  declare readonly query: unknown;
  declare readonly header: ValidRequest['header'];
  declare readonly cookie: ValidRequest['cookie'];
  declare readonly body: unknown;

  constructor(
    exchange: Exchange,
    operation: Operation,
    loggerFor: LoggerFor,
    readonly principal: Principals,
    readonly contentType: string | undefined,
    readonly accepts: string | undefined,
    valid: ValidRequest,
  ) {
    super(exchange, operation, loggerFor);
    // All of them, in one order: objects of one shape cost V8 less than Object.assign.
    this.path = valid.path;
    this.query = valid.query;
    this.header = valid.header;
    this.cookie = valid.cookie;
    this.body = valid.body;
  }

  get scopes(): Scopes {
    return this.scopesFor(this.principal);
  }
}

/** The argument of a hook. */
export class HookContext extends Context {
  /** Only the operation reads the body. */
  readonly request: Pick<IncomingMessage, 'method' | 'headers' | 'socket'>;

  constructor(
    exchange: Exchange,
    readonly operation: Operation,
    loggerFor: LoggerFor,
    /** By security scheme; empty for an anonymous request. */
    readonly principals: Principals,
  ) {
    super(exchange, operation, loggerFor);
    this.request = exchange.request;
  }
}

/** The outcome of one request, for logs, metrics and traces. */
export interface Outcome<Own extends string = never> {
  readonly method: string;
  /** Undefined if the document has no such operation. */
  readonly operationId: string | undefined;
  /** The path template that the request matches; undefined if it matches none. */
  readonly route: string | undefined;
  /** The stage in which the request ended. */
  readonly stage: Stage;
  /** The hook in which the request ended: `beforeHandler checkTenant`. Undefined: in none. */
  readonly hook: string | undefined;
  /** The status of the response; 499 if the client disconnected before it. A stream may break off after it. */
  readonly status: number;
  /** The problem in place of a response of the handler, or of the rest of its stream. Only logs may show its cause. */
  readonly problem: Problem<ProblemKind | Own> | undefined;
  /** If its stream broke off: the index of the item at which it did, from 0; -1 before the first. */
  readonly brokenAt: number | undefined;
  /** The body that the handler returned. */
  readonly body: unknown;
  /** The duration of the request. */
  readonly milliseconds: number;
  /** The X-Request-Id of the response. */
  readonly requestId: string;
}

/** Creates the outcome of a request that ends now. */
export function outcomeOf<Own extends string>(
  { served, started, body, requestId, request, route, stage, hook }: Exchange,
  problem: Outcome<Own>['problem'],
  status: number,
  brokenAt?: number,
): Outcome<Own> {
  return {
    method: request.method ?? '',
    operationId: served?.operation.operationId,
    route,
    stage,
    hook,
    status,
    problem,
    brokenAt,
    body,
    milliseconds: performance.now() - started,
    requestId,
  };
}
