import type { IncomingMessage } from 'node:http';
import type { Operation } from '../operations/operations';
import type { Principals } from '../security/requirements';
import { type Scopes, scopesOf } from '../security/scopes';
import type { Exchange } from './admission';
import type { Logger, LoggerFor } from './logger';
import type { ValidRequest } from './request';

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

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }

  get log(): Logger {
    return (this.#exchange.log ??= this.#loggerFor(this.requestId, this.#operation.operationId));
  }

  protected scopesFor(principals: Principals): Scopes {
    return scopesOf(this.#operation.security, principals);
  }
}

/** The argument of a handler. handler-types.ts has its type for each operation. */
export class HandlerContext extends Context {
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
    Object.assign(this, valid);
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
