import type { IncomingMessage, ServerResponse } from 'node:http';
import { Admission, type Exchange } from './exchange/admission';
import { announcesBody, isUnread, readBody } from './http/body';
import { compileContract } from './compile';
import { attempt, faultToStderr, safely, settle, settleWithin } from './http/fault';
import { countLines, fieldValue, isFieldValue } from './http/header-field';
import { type Answer, Problem, type ProblemKind } from './problem';
import { createRefuse } from './exchange/refusal';
import { HandlerContext, HookContext } from './exchange/context';
import { assertNothing, type BeforeHandler, headersOf } from './exchange/hooks';
import { consoleLogger, type LoggerFor } from './exchange/logger';
import type { BodyReader, RequestReader } from './exchange/request';
import { type Outcome, outcomeOf } from './exchange/outcome';
import type { ServiceOptions } from './exchange/service-options';
import type { Encoded } from './exchange/response';
import type { Stage } from './exchange/stages';
import { findRoute, originForm } from './exchange/find-route';
import { fieldsOf, send } from './exchange/send';
import { checkWiring } from './exchange/wiring';

/** A middleware of Express; only requests to reserved paths are passed on. */
export type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

const DEADLINE = 40_000;
/** Stages in which functions of the service are at work, whose late failures are reported. */
const OF_THE_SERVICE: ReadonlySet<Stage> = new Set([
  'afterAuthentication',
  'beforeHandler',
  'handle',
  'respond',
]);
/** As nginx logs it: the client closed the connection before it was answered. */
const CLIENT_LEFT = 499;

/**
 * Serves a document: nothing reaches a handler and nothing leaves the server unless the document allows it. A request
 * passes the stages of `STAGES`, and ends in the first that refuses it.
 *
 * Whatever the functions of the options throw, the client gets an error body or a closed connection, and `report` or
 * `reportFault` the cause.
 *
 * @throws {InvalidContract} with all that is wrong
 */
export function createService<Own extends string = never>(options: ServiceOptions<Own>): Middleware {
  const { document, handlers, strategies, bodyLimit, maxRequests, deadline = DEADLINE, reserved } = options;
  const contract = compileContract(document, strategies, options);
  const served = [...contract.served.values()];
  checkWiring(served, options);
  options.onRemarks?.(contract.remarks);
  const { afterAuthentication, afterResponse } = options;
  // These may return something against their types.
  const report: (outcome: Outcome<Own>) => unknown = options.report;
  const beforeHandler: ((...given: Parameters<BeforeHandler>) => unknown) | undefined = options.beforeHandler;
  const fault = safely(options.reportFault ?? faultToStderr);
  const loggerFor: LoggerFor = (...request) => {
    const log = (options.loggerFor ?? consoleLogger)(...request);
    settle(log, fault);
    return log;
  };
  type Refusal = Problem<ProblemKind | Own>;
  const refuse = createRefuse(options, served, fault);
  const always = Object.entries(options.headers).map(
    ([name, value]) => [name, fieldValue(name, value)] as const,
  );
  const admission = new Admission({ maxRequests, bodyLimit, deadline }, giveUp);

  /** After each wait the request may have been given up; then it goes no further. */
  async function serve(exchange: Exchange, url: string): Promise<void> {
    const { request } = exchange;
    let encoded: Encoded;
    let returned: unknown[] = [];
    try {
      const at = url.indexOf('?');
      const { route, served, path } = findRoute(contract, request, at < 0 ? url : url.slice(0, at));
      const { operation, authenticate, requests, responses } = served;
      exchange.route = route.path;
      exchange.served = served;

      exchange.stage = 'authenticate';
      admission.verify(exchange);
      const principals = await authenticate(request);
      admission.verified(exchange, principals);

      if (afterAuthentication) {
        exchange.stage = 'afterAuthentication';
        const context = new HookContext(exchange, operation, loggerFor, principals);
        returned = [await afterAuthentication(context)];
        exchange.headers = headersOf(returned);
        admission.assertUnderWay(exchange);
      }

      exchange.stage = 'negotiate';
      const accepted = responses.accept(request.headers.accept);
      const reader = announcesBody(request) ? readerFor(request, requests) : undefined;

      exchange.stage = 'receive';
      const bytes = reader && (await receive(exchange));
      admission.enter(exchange);

      exchange.stage = 'validate';
      const raw = { path, query: at < 0 ? '' : url.slice(at + 1), headers: request.headers };
      const received = reader && bytes && bytes.length > 0 ? { reader, bytes } : undefined;
      const valid = requests.read(raw, received);

      if (beforeHandler) {
        exchange.stage = 'beforeHandler';
        const context = new HookContext(exchange, operation, loggerFor, principals);
        returned = [await beforeHandler(context, valid)];
        assertNothing(returned[0]);
        admission.assertUnderWay(exchange);
      }

      exchange.stage = 'handle';
      const handler = handlers[operation.operationId] as (request: object) => Promise<Answer>;
      const contentType = received?.reader.contentType;
      const given = await handler(
        new HandlerContext(exchange, operation, loggerFor, principals, contentType, accepted.best, valid),
      );

      exchange.stage = 'respond';
      returned = [given];
      // Read once: what is judged is what is sent, whatever getters would return the next time.
      const { status, headers, contentType: type, body } = given;
      exchange.body = body;
      returned.push(status, headers, type, body);
      encoded = responses.write({ status, headers, contentType: type, body }, exchange.headers, accepted);
    } catch (error) {
      settle(error, fault);
      settleWithin(returned, fault);
      if (admission.close(exchange)) answer(exchange, ...refuse(error, exchange.served, exchange.headers));
      else late(exchange, error);
      return;
    }
    if (admission.close(exchange)) answer(exchange, undefined, encoded);
    else late(exchange, undefined);
  }

  function receive(exchange: Exchange): Promise<Buffer> {
    const { request, response } = exchange;
    return readBody(request, response, bodyLimit, (length) => admission.hold(exchange, length));
  }

  /** Ends a request before its time. */
  function giveUp(exchange: Exchange, problem: Problem | undefined): void {
    if (!admission.close(exchange)) return;
    if (problem) answer(exchange, ...refuse(problem, exchange.served, exchange.headers));
    else if (exchange.response.headersSent) observeRefused(exchange);
    else reportClientLeft(exchange);
    exchange.abandon(problem ?? new Error('the client has left'));
  }

  function reportClientLeft(exchange: Exchange): void {
    if (isUnread(exchange.request))
      reportOutcome(exchange, new Problem('malformed', 'the body broke off'), 400);
    else reportOutcome(exchange, undefined, CLIENT_LEFT);
  }

  function answer(exchange: Exchange, problem: Refusal | undefined, encoded: Encoded): void {
    const { request, response, requestId } = exchange;
    const onFailure = (error: unknown) => {
      failed(error, response, requestId);
    };
    try {
      if (response.headersSent) {
        observeRefused(exchange);
        return;
      }
      const vary = response.getHeader('Vary');
      const fields = fieldsOf(encoded, always, vary === undefined ? undefined : String(vary));
      send(request, response, encoded, ['X-Request-Id', requestId, ...fields], bodyLimit, onFailure);
    } catch (error) {
      onFailure(error);
    }
    reportOutcome(exchange, problem, encoded.status);
  }

  /** Where no answer can be sent, the connection is closed. */
  function failed(error: unknown, response: ServerResponse, requestId?: string): void {
    fault(error, requestId);
    attempt(() => response.destroy(), faultToStderr);
  }

  function reportOutcome(exchange: Exchange, problem: Refusal | undefined, status: number): void {
    const outcome = outcomeOf(exchange, problem, status);
    const { requestId, request } = exchange;
    const failed = (error: unknown) => {
      fault(error, requestId);
    };
    attempt(() => report(outcome), failed);
    if (afterResponse) attempt(() => afterResponse(outcome, request), failed);
  }

  /** The server has refused the rest of a request as malformed, and reported that: only the hook is left. */
  function observeRefused(exchange: Exchange): void {
    const outcome = outcomeOf<Own>(exchange, undefined, exchange.response.statusCode);
    const { requestId, request } = exchange;
    attempt(
      () => afterResponse?.(outcome, request),
      (error) => {
        fault(error, requestId);
      },
    );
  }

  /** A request that was given up has come to its end all the same: nobody waits for what it came to. */
  function late({ served, stage, started, reason, requestId }: Exchange, error: unknown): void {
    if (!OF_THE_SERVICE.has(stage) || isAbort(error, reason)) return;
    const milliseconds = Math.round(performance.now() - started);
    const hook = stage === 'afterAuthentication' || stage === 'beforeHandler' ? `${stage} of ` : '';
    const message = `${hook}${String(served?.operation.operationId)} ended after ${milliseconds} ms, when its request had been given up`;
    fault(new Error(message, error === undefined ? undefined : { cause: error }), requestId);
  }

  function identify(request: IncomingMessage): string {
    try {
      const id: unknown = options.requestIdOf(request);
      if (typeof id === 'string' && isFieldValue(id)) return id;
      settle(id, fault);
      throw new TypeError('requestIdOf: expected what a header can carry, got something else');
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
        failed(error, response, exchange.requestId);
      });
    } catch (error) {
      failed(error, response);
    }
  };
}

/** Whether a handler has ended as its signal asked it to (https://nodejs.org/api/errors.html#class-aborterror). */
function isAbort(error: unknown, reason: Error | undefined): boolean {
  return (error !== undefined && error === reason) || (error instanceof Error && error.name === 'AbortError');
}

/** The reader of the body that a request announces. */
function readerFor(request: IncomingMessage, requests: RequestReader): BodyReader {
  if (countLines(request, 'content-type') > 1) {
    throw new Problem('unsupportedMediaType', 'expected one Content-Type, got more');
  }
  return requests.accept(request.headers['content-type'], request.headers['content-encoding']);
}
