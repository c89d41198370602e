import type { IncomingMessage, ServerResponse } from 'node:http';
import { Admission, type Exchange } from './exchange/admission';
import { announcesBody, isUnread, readBody } from './http/body';
import { compileContract } from './compile';
import { attempt, faultToStderr, safely, settle, settleWithin } from './http/fault';
import { fieldLines, fieldText, fieldValue, isFieldValue, repeatedField } from './http/header-field';
import { type Answer, Problem, type ProblemKind } from './problem';
import { createRefuse } from './exchange/refusal';
import { HandlerContext, HookContext } from './exchange/context';
import { assertNothing, headersOf, hookLists } from './exchange/hooks';
import { consoleLogger, type LoggerFor } from './exchange/logger';
import { type Outcome, outcomeOf } from './exchange/outcome';
import type { ServiceOptions } from './exchange/service-options';
import type { Encoded } from './exchange/response';
import type { Contract, SecuredOperation } from './exchange/served-operation';
import type { Stage } from './exchange/stages';
import { findRoute, originForm } from './exchange/find-route';
import { fieldsOf, send } from './exchange/send';
import { checkWiring } from './exchange/wiring';
import type { Operation } from './operations/operations';
import { compileSecurity, type Strategies } from './security/requirements';
import type { RunStrategy } from './security/passport';
import { createStubAnswers, STUB_HEADER } from './samples/answers';

/** An Express middleware. It calls `next` for requests to reserved paths only. */
export type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** Milliseconds. */
const DEADLINE = 40_000;
/** The stages that run functions of the service. Their late failures are reported. */
const SERVICE_STAGES: ReadonlySet<Stage> = new Set([
  'afterAuthentication',
  'beforeHandler',
  'handle',
  'respond',
]);
/** The status that nginx logs if the client closes the connection before the answer. */
const CLIENT_LEFT = 499;

/**
 * Creates the middleware that serves a document. Handlers receive only requests that conform to the document, and clients
 * only responses that conform. A request passes the stages of `STAGES`, and ends in the first that refuses it.
 *
 * If a function of the options throws, the client gets an error body or a closed connection. `report` or `reportFault`
 * receives the cause.
 *
 * @throws {InvalidContract} with all findings of the document and of the wiring
 */
export function createService<Own extends string = never>(options: ServiceOptions<Own>): Middleware {
  const { document: given, handlers, bodyLimit, maxRequests, deadline = DEADLINE, reserved } = options;
  const contract = compileContract(given, options);
  checkWiring(contract, options);
  const served = withAuthentication(contract, options.strategies);
  options.onRemarks?.(contract.remarks);
  const { afterAuthentication, beforeHandler, afterResponse } = hookLists(options);
  const answerStub = options.stubs ? createStubAnswers(contract.document) : undefined;
  // Untyped code may return values here.
  const report: (outcome: Outcome<Own>) => unknown = options.report;
  const fault = safely(options.reportFault ?? faultToStderr);
  const loggerFor: LoggerFor = (...request) => {
    const log = (options.loggerFor ?? consoleLogger)(...request);
    settle(log, fault);
    return log;
  };
  type ServiceProblem = Problem<ProblemKind | Own>;
  const refuse = createRefuse(options, served.values(), fault);
  const always = Object.entries(options.headers).map(([name, value]) => ({
    name,
    lower: name.toLowerCase(),
    value: fieldValue(name, value),
  }));
  const admission = new Admission({ maxRequests, bodyLimit, deadline }, giveUp);

  /** A request may be given up during each `await`. Then it ends there. */
  async function serve(exchange: Exchange, url: string): Promise<void> {
    const { request } = exchange;
    let encoded: Encoded;
    let returned: unknown[] = [];
    let context: HandlerContext | undefined;
    try {
      const at = url.indexOf('?');
      const found = findRoute(contract.router, served, request.method ?? '', at < 0 ? url : url.slice(0, at));
      const { operation, authenticate, requests, responses } = found.served;
      exchange.route = found.route.path;
      exchange.served = found.served;

      exchange.stage = 'authenticate';
      admission.verify(exchange);
      const principals = await authenticate(request);
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
      const bytes = reader && (await receive(exchange));
      admission.enter(exchange);

      exchange.stage = 'validate';
      const raw = {
        path: found.path,
        query: at < 0 ? '' : url.slice(at + 1),
        rawHeaders: request.rawHeaders,
      };
      const received = reader && bytes && bytes.length > 0 ? { reader, bytes } : undefined;
      const valid = requests.read(raw, received);

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
      const contentType = received?.reader.contentType;
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
        const made = answerStub?.(error, found.served, accepted.best);
        if (!made) throw error;
        exchange.headers = { ...exchange.headers, [STUB_HEADER]: fieldText(operation.operationId) };
        given = made;
      }

      exchange.stage = 'respond';
      returned = [given];
      // Read each property once: a getter may return another value the next time.
      const { status, headers, contentType: type, body } = given;
      exchange.body = body;
      returned.push(status, headers, type, body);
      encoded = responses.write({ status, headers, contentType: type, body }, exchange.headers, accepted);
    } catch (error) {
      settle(error, fault);
      settleWithin(returned, fault);
      if (admission.close(exchange))
        answer(exchange, ...refuse(error, exchange.served, exchange.headers, context));
      else reportLate(exchange, error);
      return;
    }
    if (admission.close(exchange)) answer(exchange, undefined, encoded);
    else reportLate(exchange, undefined);
  }

  function receive(exchange: Exchange): Promise<Buffer> {
    const { request, response } = exchange;
    return readBody(request, response, bodyLimit, (length) => admission.hold(exchange, length));
  }

  /** Ends a request before its handler has. */
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

  function answer(exchange: Exchange, problem: ServiceProblem | undefined, encoded: Encoded): void {
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
      const every = [{ name: 'X-Request-Id', lower: 'x-request-id', value: requestId }, ...always];
      const fields = fieldsOf(encoded, every, vary === undefined ? undefined : String(vary));
      send(request, response, encoded, fields, bodyLimit, onFailure);
    } catch (error) {
      onFailure(error);
    }
    reportOutcome(exchange, problem, encoded.status);
  }

  /** Reports a failure to answer, and closes the connection. */
  function failed(error: unknown, response: ServerResponse, requestId?: string): void {
    fault(error, requestId);
    attempt(() => response.destroy(), faultToStderr);
  }

  function reportOutcome(exchange: Exchange, problem: ServiceProblem | undefined, status: number): void {
    const outcome = outcomeOf(exchange, problem, status);
    const { requestId, request } = exchange;
    const failed = (error: unknown) => {
      fault(error, requestId);
    };
    attempt(() => report(outcome), failed);
    observe(outcome, request);
  }

  /** Calls the hook for a request that the HTTP server has already refused as malformed, and reported. */
  function observeRefused(exchange: Exchange): void {
    observe(outcomeOf(exchange, undefined, exchange.response.statusCode), exchange.request);
  }

  function observe(outcome: Outcome<Own>, request: IncomingMessage): void {
    for (const { name, call } of afterResponse) {
      attempt(
        () => call(outcome, request),
        (error) => {
          fault(error, outcome.requestId, name);
        },
      );
    }
  }

  /** Reports that a request ended after it was given up. Its result is discarded. */
  function reportLate({ served, stage, hook, started, reason, requestId }: Exchange, error: unknown): void {
    if (!SERVICE_STAGES.has(stage) || isAbort(error, reason)) return;
    const milliseconds = Math.round(performance.now() - started);
    const message = `${hook === undefined ? '' : `${hook} of `}${String(served?.operation.operationId)} ended after ${milliseconds} ms, when its request had been given up`;
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

function withAuthentication({ document, served }: Contract, strategies: Strategies) {
  const runners = new Map<string, RunStrategy>();
  const secured = new Map<Operation, SecuredOperation>();
  for (const [operation, one] of served) {
    secured.set(operation, {
      ...one,
      authenticate: compileSecurity(document, operation, strategies, runners),
    });
  }
  return secured;
}

/** Whether an error results from the abort of the signal (https://nodejs.org/api/errors.html#class-aborterror). */
function isAbort(error: unknown, reason: Error | undefined): boolean {
  return (error !== undefined && error === reason) || (error instanceof Error && error.name === 'AbortError');
}
