import type { IncomingMessage, ServerResponse } from 'node:http';
import { Admission, type Exchange } from './exchange/admission';
import { announcesBody, isUnread, readBody } from './http/body';
import { compileContract, type Contract } from './compile';
import { attempt, faultToStderr, safely, settle, settleWithin } from './http/fault';
import { countLines, fieldValue, isFieldValue } from './http/header-field';
import { type Answer, Problem } from './problem';
import { createRefuse } from './exchange/refusal';
import type { Outcome, ServiceOptions } from './exchange/service-options';
import type { Encoded } from './exchange/response';
import type { ServedOperation } from './exchange/served-operation';
import { pathParameters } from './operations/routes';
import type { Principals } from './security/requirements';
import { fieldsOf, send } from './exchange/send';
import { checkWiring } from './exchange/wiring';

/** A middleware of Express; only requests to reserved paths are passed on. */
export type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

const DEADLINE = 40_000;
/** As nginx logs it: the client closed the connection before it was answered. */
const CLIENT_LEFT = 499;

/**
 * Serves a document: nothing reaches a handler and nothing leaves the server unless the document allows it. The order
 * of refusal is path, method, credentials, media type, size, well-formedness, schema.
 *
 * Whatever the functions of the options throw, the client gets an error body or a closed connection, and `report` or
 * `reportFault` the cause.
 *
 * @throws {InvalidContract} with all that is wrong
 */
export function createService(options: ServiceOptions): Middleware {
  const { document, handlers, strategies, bodyLimit, maxRequests, deadline = DEADLINE, reserved } = options;
  const contract = compileContract(document, strategies, options);
  const served = [...contract.served.values()];
  checkWiring(served, options);
  options.onRemarks?.(contract.remarks);
  const report: (outcome: Outcome) => unknown = options.report; // async against its type, perhaps
  const fault = safely(options.reportFault ?? faultToStderr);
  const refuse = createRefuse(options, served, fault);
  const always = Object.entries(options.headers).map(
    ([name, value]) => [name, fieldValue(name, value)] as const,
  );
  const admission = new Admission({ maxRequests, bodyLimit, deadline }, giveUp);

  /** The stages of a request. After each wait it may have been given up; then it goes no further. */
  async function serve(exchange: Exchange, url: string): Promise<void> {
    const { request } = exchange;
    let encoded: Encoded;
    let returned: unknown[] = [];
    try {
      const at = url.indexOf('?');
      const found = findOperation(contract, request, at < 0 ? url : url.slice(0, at));
      const { operation, authenticate, requests, responses } = (exchange.served = found.served);

      admission.verify(exchange);
      const principal = await authenticate(request);
      admission.verified(exchange, principal);

      const accepted = responses.accept(request.headers.accept);
      const received = announcesBody(request) ? await receive(exchange, found.served) : undefined;
      admission.enter(exchange);

      const raw = { path: found.path, query: at < 0 ? '' : url.slice(at + 1), headers: request.headers };
      const valid = requests.read(raw, received);

      const handler = handlers[operation.operationId] as (request: object) => Promise<Answer>;
      exchange.entered = true;
      const given = await handler(new Given(exchange, principal, valid, accepted.told));
      returned = [given];
      // Read once: what is judged is what is sent, whatever getters would return the next time.
      const { status, headers, contentType, body } = given;
      exchange.body = body;
      returned.push(status, headers, contentType, body);
      encoded = responses.write({ status, headers, contentType, body }, {}, accepted);
    } catch (error) {
      settle(error, fault);
      settleWithin(returned, fault);
      if (admission.close(exchange)) answer(exchange, ...refuse(error, exchange.served));
      else late(exchange, error);
      return;
    }
    if (admission.close(exchange)) answer(exchange, undefined, encoded);
    else late(exchange, undefined);
  }

  async function receive(exchange: Exchange, { requests }: ServedOperation) {
    const { request, response } = exchange;
    if (countLines(request, 'content-type') > 1) {
      throw new Problem('unsupportedMediaType', 'expected one Content-Type, got more');
    }
    const reader = requests.accept(request.headers['content-type'], request.headers['content-encoding']);
    const bytes = await readBody(request, response, bodyLimit, (length) => admission.hold(exchange, length));
    return bytes.length > 0 ? { reader, bytes } : undefined;
  }

  /** Ends a request before its time. */
  function giveUp(exchange: Exchange, problem: Problem | undefined): void {
    if (!admission.close(exchange)) return;
    if (problem) answer(exchange, ...refuse(problem, exchange.served));
    else if (!exchange.response.headersSent) tellLeft(exchange);
    exchange.abandon(problem ?? new Error('the client has left'));
  }

  function tellLeft(exchange: Exchange): void {
    if (isUnread(exchange.request)) tell(exchange, new Problem('malformed', 'the body broke off'), 400);
    else tell(exchange, undefined, CLIENT_LEFT);
  }

  function answer(exchange: Exchange, problem: Problem | undefined, encoded: Encoded): void {
    const { request, response, requestId } = exchange;
    const onFailure = (error: unknown) => {
      failed(error, response, requestId);
    };
    try {
      if (response.headersSent) return; // the server has refused the rest of the request, and reported that
      const vary = response.getHeader('Vary');
      const fields = fieldsOf(encoded, always, vary === undefined ? undefined : String(vary));
      send(request, response, encoded, ['X-Request-Id', requestId, ...fields], bodyLimit, onFailure);
    } catch (error) {
      onFailure(error);
    }
    tell(exchange, problem, encoded.status);
  }

  /** Where no answer can be sent, the connection is closed. */
  function failed(error: unknown, response: ServerResponse, requestId?: string): void {
    fault(error, requestId);
    attempt(() => response.destroy(), faultToStderr);
  }

  function tell(exchange: Exchange, problem: Problem | undefined, status: number): void {
    const { served, started, body, requestId, request } = exchange;
    const outcome: Outcome = {
      method: request.method ?? '',
      operationId: served?.operation.operationId,
      status,
      problem,
      body,
      milliseconds: performance.now() - started,
      requestId,
    };
    attempt(
      () => report(outcome),
      (error) => {
        fault(error, requestId);
      },
    );
  }

  /** A request that was given up has come to its end all the same: nobody waits for what it came to. */
  function late({ entered, served, started, reason, requestId }: Exchange, error: unknown): void {
    if (!entered || isAbort(error, reason)) return;
    const milliseconds = Math.round(performance.now() - started);
    const message = `${String(served?.operation.operationId)} ended after ${milliseconds} ms, when its request had been given up`;
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

/**
 * What a handler is given. The signal is a getter of the class: as a property it would have to be made for each request,
 * and an accessor in an object literal doubles the time of the garbage collector.
 */
class Given {
  readonly requestId: string;
  readonly #exchange: Exchange;

  constructor(
    exchange: Exchange,
    readonly principal: Principals,
    ...described: object[]
  ) {
    this.#exchange = exchange;
    this.requestId = exchange.requestId;
    Object.assign(this, ...described);
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }
}

/** The operation that a request is for, and what stands for the templates of its path. */
function findOperation({ router, served: operations }: Contract, request: IncomingMessage, path: string) {
  const { method = '', headers, httpVersion } = request;
  if (headers.host === undefined && httpVersion === '1.1') {
    throw new Problem('malformed', 'the request has no Host'); // RFC 9112 section 3.2
  }
  if (countLines(request, 'host') > 1) throw new Problem('malformed', 'the request has more than one Host');
  const match = router.find(path);
  if (!match) throw new Problem('noSuchPath', 'the document has no such path');
  const route = match.target.get(method);
  const served = route && operations.get(route.operation);
  if (served) return { served, path: pathParameters(route, match.values) };
  const allow = [...match.target.keys()].join(', ');
  throw new Problem('noSuchMethod', `this path has the methods ${allow}`, { Allow: allow });
}

/** The origin-form of a request target; a server must accept the absolute-form too (RFC 9112 section 3.2). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = /^https?:\/\/[^/?#]+([^]*)/i.exec(target)?.[1];
  return rest === undefined ? target : rest.startsWith('/') ? rest : `/${rest}`;
}
