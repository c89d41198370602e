import type { IncomingMessage, ServerResponse } from 'node:http';
import { compileContract } from './compile';
import { Admission } from './exchange/admission';
import { createResponder, STOPPING } from './exchange/send-response';
import { compress, negotiateCoding } from './exchange/compression';
import { compileSelect } from './exchange/select-response';
import {
  consoleLogger,
  type Exchange,
  HandlerContext,
  HookContext,
  type LoggerFor,
} from './exchange/exchange';
import { assertNothing, headersOf, hookLists } from './exchange/hooks';
import { createErrorResponse } from './exchange/error-response';
import { type Found, findRoute, originForm } from './exchange/find-route';
import type { BodyReader, Content, ValidRequest } from './exchange/read-request';
import type { Encoded } from './exchange/write-response';
import type { Contract, SecuredOperation } from './exchange/served-operation';
import type { ServiceOptions, Streams } from './exchange/service-options';
import { checkWiring, NotImplemented } from './exchange/wiring';
import { announcesBody, IncomingBody } from './http/body';
import { Connection } from './http/connection';
import { faultToStderr, type ReportFault, safely, settle, settleWithin } from './http/fault';
import { OutgoingBody } from './http/send';
import { fieldLines, fieldText, isFieldValue, repeatedField, requestIdOf } from './http/header-field';
import { Uploads } from './http/uploads';
import type { Operation } from './operations/operations';
import { type Answer, Problem } from './problem';
import { createStubResponses, STUB_HEADER } from './samples/example-response';
import type { RunStrategy } from './security/strategies';
import { compileSecurity, type Principals, type Strategies } from './security/requirements';

/** An Express middleware. It calls `next` for requests to reserved paths only. */
export type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** Milliseconds. */
const DEADLINE = 40_000;
const UPLOAD_TIMEOUT = 30_000;
const STREAMS: Streams = { most: 1_000, itemTimeout: 600_000, heartbeat: 15_000 };

/**
 * Creates the middleware that serves a document. Handlers receive only requests that conform to the document, and clients
 * only responses that conform. A request passes the stages of `STAGES`, and ends in the first that rejects it.
 *
 * If a function of the options throws, the client gets an error body or a closed connection. `report` or `reportFault`
 * receives the cause.
 *
 * @throws {InvalidContract} with all findings of the document and of the wiring
 */
export function createService<Own extends string = never>(options: ServiceOptions<Own>): Middleware {
  const { document: given, handlers, bodyLimit, maxRequests, deadline = DEADLINE, reserved } = options;
  const { uploadTimeout = UPLOAD_TIMEOUT } = options;
  const streams = { ...STREAMS, ...options.streams };
  const contract = compileContract(given, options);
  checkWiring(contract, options);
  options.onRemarks?.(contract.remarks);
  const { afterAuthentication, afterRejection, beforeHandler, afterResponse } = hookLists(options);
  const stubResponse = options.stubs ? createStubResponses(contract.document) : undefined;
  const fault = safely(options.reportFault ?? faultToStderr);
  const served = secure(contract, options.strategies, fault);
  const loggerFor: LoggerFor = (...request) => {
    const log = (options.loggerFor ?? consoleLogger)(...request);
    settle(log, fault);
    return log;
  };
  const errorResponse = createErrorResponse(options, served.values(), fault);
  const responder = createResponder(options, afterResponse, streams, fault);
  const uploads = receivesUploads(contract) ? new Uploads(options.uploads, bodyLimit) : undefined;
  const admission = new Admission({ maxRequests, bodyLimit, deadline, streams: streams.most }, giveUp);

  // One function for each step from the route to the handler; each calls the next. Most requests wait for nothing before their body,
  // so only what waits is async: such a function costs a promise and a place for all of its variables. Whatever a step throws, or
  // rejects with, goes to `fail`. A request may be given up while it waits. Then it ends there.

  function serve(exchange: Exchange, url: string): Promise<void> | undefined {
    const { request } = exchange;
    const found = findRoute(contract.router, served, request.method ?? '', url);
    if (found instanceof Problem) {
      reject(exchange, found);
      return undefined;
    }
    const { operation, authenticate } = found.served;
    exchange.route = found.route.path;
    exchange.served = found.served;
    exchange.headers = operation.deprecation?.headers;
    const connection = Connection.of(request.socket);
    if (connection) connection.served = found.served;

    exchange.stage = 'authenticate';
    const principals = authenticate(request);
    return isPromise(principals)
      ? verify(exchange, found, principals)
      : authenticated(exchange, found, principals);
  }

  async function verify(exchange: Exchange, found: Found, pending: Promise<Principals>): Promise<void> {
    admission.verify(exchange);
    let principals: Principals;
    try {
      principals = await pending;
    } catch (error) {
      for (const { name, call } of isRejection(error) ? afterRejection : []) {
        admission.rejected(exchange);
        exchange.hook = name;
        exchange.returned = [await call(new HookContext(exchange, found.served.operation, loggerFor, {}))];
        assertNothing(name, exchange.returned[0]);
        admission.assertUnderWay(exchange);
      }
      exchange.hook = undefined;
      throw error;
    }
    await authenticated(exchange, found, principals);
  }

  function authenticated(exchange: Exchange, found: Found, principals: Principals) {
    admission.verified(exchange, principals);
    return afterAuthentication.length > 0 ? applyPolicies(exchange, found) : receive(exchange, found);
  }

  async function applyPolicies(exchange: Exchange, found: Found): Promise<void> {
    exchange.stage = 'afterAuthentication';
    for (const { name, call } of afterAuthentication) {
      exchange.hook = name;
      const context = new HookContext(exchange, found.served.operation, loggerFor, exchange.principals);
      const returned = [await call(context)];
      exchange.returned = returned;
      exchange.headers = headersOf(name, returned, exchange.headers);
      admission.assertUnderWay(exchange);
    }
    exchange.hook = undefined;
    await receive(exchange, found);
  }

  function receive(exchange: Exchange, found: Found): Promise<void> | undefined {
    const { request } = exchange;
    const { operation, requests, responses } = found.served;
    exchange.stage = 'negotiate';
    exchange.accepted = responses.accept(request.headers.accept);
    const types = fieldLines(request, 'content-type');
    if (types.length > 1) throw repeatedField('Content-Type');
    const reader = announcesBody(request)
      ? requests.accept(types[0], request.headers['content-encoding'])
      : undefined;

    exchange.stage = 'receive';
    if (!reader) return validate(exchange, found);
    const content = requests.receive(reader, receivedBy(exchange, operation, reader));
    return content.then((whole) => validate(exchange, found, reader, whole));
  }

  function validate(
    exchange: Exchange,
    found: Found,
    reader?: BodyReader,
    content?: Content,
  ): Promise<void> | undefined {
    admission.enter(exchange);
    exchange.stage = 'validate';
    const { requests } = found.served;
    const raw = { path: found.path, query: found.query, rawHeaders: exchange.request.rawHeaders };
    const received = content instanceof Uint8Array && content.length === 0 ? undefined : reader;
    const valid = requests.tryRead(raw, received, content);
    if (valid instanceof Problem) {
      reject(exchange, valid);
      return undefined;
    }
    return handle(exchange, found.served, received?.contentType, valid);
  }

  async function handle(
    exchange: Exchange,
    served: SecuredOperation,
    contentType: string | undefined,
    valid: ValidRequest,
  ): Promise<void> {
    const { operation } = served;
    if (beforeHandler.length > 0) await applyRules(exchange, operation, valid);
    exchange.stage = 'handle';
    const { principals, accepted } = exchange;
    const context = new HandlerContext(
      exchange,
      operation,
      loggerFor,
      principals,
      contentType,
      accepted.best,
      valid,
    );
    exchange.context = context;
    const handler = handlers[operation.operationId] as (request: object) => Promise<Answer>;
    let given: Answer;
    try {
      given = await handler(context);
    } catch (error) {
      given = stubOrThrow(exchange, served, error);
    }
    let encoded = write(exchange, served, given);
    if (isPromise(encoded)) encoded = await encoded;
    if (encoded.body instanceof OutgoingBody && exchange.request.method !== 'HEAD') {
      if (streams.stopping?.aborted && encoded.body.ends.atStop) throw STOPPING;
      admission.assertPlace(exchange);
    }
    const stream = respond(exchange, encoded);
    if (!stream) return;
    try {
      await admission.during(exchange, stream);
      exchange.received?.close();
    } catch (error) {
      broke(error, exchange);
    }
  }

  async function applyRules(exchange: Exchange, operation: Operation, valid: ValidRequest): Promise<void> {
    exchange.stage = 'beforeHandler';
    for (const { name, call } of beforeHandler) {
      exchange.hook = name;
      const context = new HookContext(exchange, operation, loggerFor, exchange.principals);
      exchange.returned = [await call(context, valid)];
      assertNothing(name, exchange.returned[0]);
      admission.assertUnderWay(exchange);
    }
    exchange.hook = undefined;
  }

  /** The response of a stub. Rethrows any other error of a handler. */
  function stubOrThrow(exchange: Exchange, served: SecuredOperation, error: unknown): Answer {
    if (!stubResponse || !(error instanceof NotImplemented)) throw error;
    // Also if the document yields no response, so that the contract tests know why the stub fails.
    exchange.headers = { ...exchange.headers, [STUB_HEADER]: fieldText(served.operation.operationId) };
    const made = stubResponse(served, exchange.accepted.best);
    if (!made) throw error;
    return made;
  }

  /** Encodes what a handler returned. Returns a promise if it is compressed. */
  function write(exchange: Exchange, served: SecuredOperation, given: Answer): Encoded | Promise<Encoded> {
    const { request, accepted } = exchange;
    exchange.stage = 'respond';
    exchange.returned = [given];
    if (exchange.received?.failure) throw exchange.received.failure;
    // Read each property once: a getter may return another value the next time.
    const { status, headers, contentType, body } = given;
    exchange.body = body;
    exchange.returned = [given, status, headers, contentType, body];
    const answer = { status, headers, contentType, body };
    const encoded = served.responses.write(answer, exchange.headers, accepted);
    const coded = options.compression
      ? negotiateCoding(request, served, answer, encoded)
      : { answer, encoded, coding: undefined };
    const selected = served.select?.(request, coded.answer, coded.encoded) ?? coded.encoded;
    return coded.coding && selected === coded.encoded ? compress(selected, coded.coding) : selected;
  }

  /** Sends a response, unless the request has ended already. Returns a promise for a stream. */
  function respond(exchange: Exchange, encoded: Encoded): Promise<void> | undefined {
    try {
      if (!admission.close(exchange)) {
        responder.reportLate(exchange, undefined, encoded);
        return undefined;
      }
      const stream = responder.respond(exchange, undefined, encoded);
      if (!stream) exchange.received?.close();
      return stream;
    } catch (error) {
      broke(error, exchange);
      return undefined;
    }
  }

  /** Ends a request for which a stage has thrown an error. */
  function fail(error: unknown, exchange: Exchange): void {
    try {
      settle(error, fault);
      settleWithin(exchange.returned, fault);
      if (isRejection(error)) admission.forget(exchange);
      reject(exchange, error);
    } catch (worse) {
      broke(worse, exchange);
    }
  }

  /** Ends a request that cannot be answered. */
  function broke(error: unknown, exchange: Exchange): void {
    admission.close(exchange);
    responder.failed(error, exchange.response, exchange.requestId);
  }

  /** Ends a request with an error, unless it has ended already. */
  function reject(exchange: Exchange, error: unknown): void {
    if (!admission.close(exchange)) {
      responder.reportLate(exchange, error);
      return;
    }
    const { served, headers, context, request } = exchange;
    void responder.respond(exchange, ...errorResponse(error, served, headers, context, request));
    exchange.received?.close();
  }

  /** The body of a request. */
  function receivedBy(exchange: Exchange, operation: Operation, { decode }: BodyReader): IncomingBody {
    const { request, response } = exchange;
    const isWhole = typeof decode === 'function';
    const isLong = !isWhole || operation.bodyLimit !== undefined;
    const limit = operation.bodyLimit ?? bodyLimit;
    const hold = (bytes: number) => admission.hold(exchange, bytes);
    const patience = isLong ? uploadTimeout : undefined;
    const body = new IncomingBody(
      request,
      response,
      { limit, itemLimit: bodyLimit, patience, hold },
      fault,
      uploads,
    );
    if (isLong) exchange.received = body;
    if (isWhole) exchange.whole = limit;
    return body;
  }

  /** Ends a request before its handler has. */
  function giveUp(exchange: Exchange, problem: Problem | undefined): void {
    if (!admission.close(exchange)) return;
    if (problem)
      void responder.respond(
        exchange,
        ...errorResponse(problem, exchange.served, exchange.headers, undefined, exchange.request),
      );
    else if (exchange.response.headersSent) responder.observeRejected(exchange);
    else responder.reportClientLeft(exchange);
    exchange.abandon(problem ?? new Error('the client has left'));
  }

  function identify(request: IncomingMessage): string {
    if (!options.requestIdOf) return requestIdOf(request);
    try {
      const id: unknown = options.requestIdOf(request);
      if (typeof id === 'string' && isFieldValue(id)) return id;
      settle(id, fault);
      throw new TypeError('requestIdOf: expected a value that a header can carry, got another');
    } catch (error) {
      const id = crypto.randomUUID();
      fault(error, id);
      return id;
    }
  }

  return (request, response, next) => {
    const url = originForm(request.url ?? '');
    if (url.startsWith(reserved)) {
      next();
      return;
    }
    let exchange: Exchange | undefined;
    try {
      const opened = (exchange = admission.open(request, response, identify(request)));
      serve(opened, url)?.catch((error: unknown) => {
        fail(error, opened);
      });
    } catch (error) {
      if (exchange) fail(error, exchange);
      else responder.failed(error, response);
    }
  };
}

/** Nothing is awaited that does not wait: each turn of the microtask queue takes time. */
const isPromise = <T>(value: T | Promise<T>): value is Promise<T> => value instanceof Promise;

const isRejection = (error: unknown): boolean => error instanceof Problem && error.kind === 'badCredentials';

/** Whether some operation receives multipart bodies. */
const receivesUploads = ({ served }: Contract): boolean =>
  [...served.keys()].some(({ requestBody }) =>
    requestBody?.content.some(({ type }) => type.essence.startsWith('multipart/')),
  );

function secure({ document, served }: Contract, strategies: Strategies, fault: ReportFault) {
  const runners = new Map<string, RunStrategy>();
  const secured = new Map<Operation, SecuredOperation>();
  for (const [operation, one] of served) {
    secured.set(operation, {
      ...one,
      ...compileSecurity(document, operation, strategies, runners),
      select: compileSelect(one, fault),
    });
  }
  return secured;
}
