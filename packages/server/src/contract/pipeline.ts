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
import type { BodyReader } from './exchange/read-request';
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
import { type Methods, pathParameters, type Router } from './operations/routes';
import { type Answer, Problem, RequestProblem } from './problem';
import { createStubResponses, STUB_HEADER } from './samples/example-response';
import type { RunStrategy } from './security/strategies';
import { compileSecurity, type Strategies } from './security/requirements';

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

  /** A request may be given up during each `await`. Then it ends there. */
  async function serve(exchange: Exchange, url: string): Promise<void> {
    const { request } = exchange;
    let encoded: Encoded;
    let returned: unknown[] = [];
    let context: HandlerContext | undefined;
    try {
      const at = url.indexOf('?');
      const found = findRoute(contract.router, served, request.method ?? '', at < 0 ? url : url.slice(0, at));
      if (found instanceof Problem) {
        reject(exchange, found);
        return;
      }
      const { operation, authenticate, requests, responses } = found.served;
      exchange.route = found.route.path;
      exchange.served = found.served;
      exchange.headers = operation.deprecation?.headers;
      const connection = Connection.of(request.socket);
      if (connection) connection.served = found.served;

      exchange.stage = 'authenticate';
      admission.verify(exchange);
      const verified = authenticate(request);
      // Most services have no such hook: they do not pay for the promise.
      const principals = await (afterRejection.length === 0
        ? verified
        : verified.catch(async (error: unknown) => {
            const hooks = isRejection(error) ? afterRejection : [];
            for (const { name, call } of hooks) {
              admission.rejected(exchange);
              exchange.hook = name;
              returned = [await call(new HookContext(exchange, operation, loggerFor, {}))];
              assertNothing(name, returned[0]);
              admission.assertUnderWay(exchange);
            }
            exchange.hook = undefined;
            throw error;
          }));
      admission.verified(exchange, principals);

      for (const { name, call } of afterAuthentication) {
        exchange.stage = 'afterAuthentication';
        exchange.hook = name;
        returned = [await call(new HookContext(exchange, operation, loggerFor, principals))];
        exchange.headers = headersOf(name, returned, exchange.headers);
        admission.assertUnderWay(exchange);
      }

      exchange.stage = 'negotiate';
      exchange.hook = undefined;
      const accepted = responses.accept(request.headers.accept);
      const types = fieldLines(request, 'content-type');
      if (types.length > 1) throw repeatedField('Content-Type');
      const reader = announcesBody(request)
        ? requests.accept(types[0], request.headers['content-encoding'])
        : undefined;

      exchange.stage = 'receive';
      const content = reader && (await requests.receive(reader, receivedBy(exchange, operation, reader)));
      admission.enter(exchange);

      exchange.stage = 'validate';
      const raw = {
        path: found.path,
        query: at < 0 ? '' : url.slice(at + 1),
        rawHeaders: request.rawHeaders,
      };
      const received = content instanceof Uint8Array && content.length === 0 ? undefined : reader;
      const valid = requests.tryRead(raw, received, content);
      if (valid instanceof Problem) {
        reject(exchange, valid);
        return;
      }

      for (const { name, call } of beforeHandler) {
        exchange.stage = 'beforeHandler';
        exchange.hook = name;
        returned = [await call(new HookContext(exchange, operation, loggerFor, principals), valid)];
        assertNothing(name, returned[0]);
        admission.assertUnderWay(exchange);
      }

      exchange.stage = 'handle';
      exchange.hook = undefined;
      const handler = handlers[operation.operationId] as (request: object) => Promise<Answer>;
      const contentType = received?.contentType;
      context = new HandlerContext(
        exchange,
        operation,
        loggerFor,
        principals,
        contentType,
        accepted.best,
        valid,
      );
      let given: Answer;
      try {
        given = await handler(context);
      } catch (error) {
        if (!stubResponse || !(error instanceof NotImplemented)) throw error;
        // Also if the document yields no response, so that the contract tests know why the stub fails.
        exchange.headers = { ...exchange.headers, [STUB_HEADER]: fieldText(operation.operationId) };
        const made = stubResponse(found.served, accepted.best);
        if (!made) throw error;
        given = made;
      }

      exchange.stage = 'respond';
      returned = [given];
      if (exchange.received?.failure) throw exchange.received.failure;
      // Read each property once: a getter may return another value the next time.
      const { status, headers, contentType: type, body } = given;
      exchange.body = body;
      returned.push(status, headers, type, body);
      const answer = { status, headers, contentType: type, body };
      encoded = responses.write(answer, exchange.headers, accepted);
      const coded = options.compression
        ? negotiateCoding(request, found.served, answer, encoded)
        : { answer, encoded, coding: undefined };
      encoded = found.served.select?.(request, coded.answer, coded.encoded) ?? coded.encoded;
      if (coded.coding && encoded === coded.encoded) encoded = await compress(encoded, coded.coding);
      if (encoded.body instanceof OutgoingBody && request.method !== 'HEAD') {
        if (streams.stopping?.aborted && encoded.body.ends.atStop) throw STOPPING;
        admission.assertPlace(exchange);
      }
    } catch (error) {
      settle(error, fault);
      settleWithin(returned, fault);
      if (isRejection(error)) admission.forget(exchange);
      reject(exchange, error, context);
      return;
    }
    if (!admission.close(exchange)) {
      responder.reportLate(exchange, undefined, encoded);
      return;
    }
    const stream = responder.respond(exchange, undefined, encoded);
    if (stream) await admission.during(exchange, stream);
    exchange.received?.close();
  }

  /** Ends a request with an error, unless it has ended already. */
  function reject(exchange: Exchange, error: unknown, context?: HandlerContext): void {
    if (!admission.close(exchange)) {
      responder.reportLate(exchange, error);
      return;
    }
    void responder.respond(
      exchange,
      ...errorResponse(error, exchange.served, exchange.headers, context, exchange.request),
    );
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
    try {
      const exchange = admission.open(request, response, identify(request));
      serve(exchange, url).catch((error: unknown) => {
        admission.close(exchange);
        responder.failed(error, response, exchange.requestId);
      });
    } catch (error) {
      responder.failed(error, response);
    }
  };
}

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

const NO_PATH = new RequestProblem('notFound', 'the document has no such path');

/**
 * Finds the operation of a request, and the values of its path parameters; otherwise returns the problem `notFound` or
 * `methodNotAllowed`. RequestReader.tryRead says why it throws none.
 */
function findRoute(
  router: Router<Methods>,
  operations: ReadonlyMap<Operation, SecuredOperation>,
  method: string,
  path: string,
) {
  const match = router.find(path);
  if (!match || match.target.size === 0) return NO_PATH;
  const route = match.target.get(method);
  const served = route && operations.get(route.operation);
  if (served) return { route, served, path: pathParameters(route, match.values) };
  const allow = [...match.target.keys()].join(', ');
  return new RequestProblem('methodNotAllowed', `this path has the methods ${allow}`, { Allow: allow });
}

/** Converts a request target to origin-form. Servers must accept the absolute-form too (RFC 9112 section 3.2). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = /^https?:\/\/[^/?#]+([^]*)/i.exec(target)?.[1];
  return rest === undefined ? target : rest.startsWith('/') ? rest : `/${rest}`;
}
