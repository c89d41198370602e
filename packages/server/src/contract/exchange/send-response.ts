import type { IncomingMessage, ServerResponse } from 'node:http';
import { isUnread } from '../http/body';
import { attempt, faultToStderr, type ReportFault } from '../http/fault';
import { type Fields, fieldsOf, fieldValue, hasField } from '../http/header-field';
import { breakOff, endStream, OutgoingBody, send, sendStream } from '../http/send';
import { Problem, type ProblemKind } from '../problem';
import { type Exchange, type Outcome, outcomeOf, type Stage } from './exchange';
import type { HookLists } from './hooks';
import type { Encoded } from './write-response';
import type { ServiceOptions, Streams } from './service-options';

/** The stages that run functions of the service. Their late failures are reported. */
const SERVICE_STAGES: ReadonlySet<Stage> = new Set([
  'afterAuthentication',
  'beforeHandler',
  'handle',
  'respond',
]);
/** The status that nginx logs if the client closes the connection before the response. */
const CLIENT_LEFT = 499;

/** The reason for which streams of items end, or do not begin, when the server stops. */
export const STOPPING = new Problem('unavailable', 'the server is stopping: try again later', {
  'Retry-After': '1',
});

/** The place of a failure in a stream. */
const placeOf = (index: number): string => (index < 0 ? 'before its first item' : `at its item ${index}`);

interface Options<Own extends string> extends Pick<ServiceOptions<Own>, 'headers' | 'bodyLimit'> {
  /** Untyped code may return values. */
  readonly report: (outcome: Outcome<Own>) => unknown;
}

/**
 * Creates the functions that end an exchange: they send its response and report its outcome, or report how else it ended.
 *
 */
export function createResponder<Own extends string>(
  { report, headers, bodyLimit }: Options<Own>,
  afterResponse: HookLists<Own>['afterResponse'],
  streams: Streams,
  fault: ReportFault,
) {
  type ServiceProblem = Problem<ProblemKind | Own>;
  const always = Object.entries(headers).map(([name, value]) => ({
    name,
    lower: name.toLowerCase(),
    value: fieldValue(name, value),
  }));

  // A response with an entity tag may be kept, if each use asks whether it is still the same (RFC 9111 section 5.2.2.4).
  const ofTagged = always.map((field) =>
    field.lower === 'cache-control' && field.value === 'no-store' ? { ...field, value: 'no-cache' } : field,
  );
  /** Ends each stream of items that is open. */
  const open = new Set<() => void>();
  streams.stopping?.addEventListener('abort', () => {
    for (const stop of open) stop();
  });

  /** Sends a response. Returns a promise for a body that is a stream: it resolves when the stream has ended. */
  function respond(
    exchange: Exchange,
    problem: ServiceProblem | undefined,
    encoded: Encoded,
  ): Promise<void> | undefined {
    const { request, response, requestId } = exchange;
    const { status, body } = encoded;
    const onFailure = (error: unknown) => {
      failed(error, response, requestId);
    };
    if (response.headersSent) {
      release(encoded);
      observeRejected(exchange);
      return undefined;
    }
    if (body instanceof OutgoingBody) return stream(exchange, encoded, body);
    try {
      const limit = Math.min(exchange.served?.operation.bodyLimit ?? bodyLimit, bodyLimit);
      send(request, response, status, fieldsFor(exchange, encoded), body, limit, onFailure);
    } catch (error) {
      onFailure(error);
    }
    reportOutcome(exchange, problem, status);
    return undefined;
  }

  function release({ body }: Encoded): void {
    if (body instanceof OutgoingBody) body.release(fault);
  }

  function fieldsFor({ response, requestId }: Exchange, { headers }: Encoded): Fields {
    const vary = response.getHeader('Vary');
    const every = isTagged(headers) ? ofTagged : always;
    return fieldsOf(headers, requestId, every, vary === undefined ? undefined : String(vary));
  }

  /** Sends a body that is made meanwhile. The request ends with its last piece, or when the client leaves. */
  async function stream(exchange: Exchange, encoded: Encoded, body: OutgoingBody): Promise<void> {
    const { request, response, requestId, received, signal } = exchange;
    const { status } = encoded;
    const { atStop } = body.ends;
    const leave = () => {
      exchange.abandon(new Error('the client has left'));
    };
    const stop = () => {
      exchange.abandon(STOPPING);
    };
    let problem: ServiceProblem | undefined;
    let brokenAt: number | undefined;
    request.socket.once('close', leave);
    if (atStop !== undefined) open.add(stop);
    try {
      const fields = fieldsFor(exchange, encoded);
      received?.invite();
      await sendStream(request, response, status, fields, body, signal, streams);
      received?.close();
      await endStream(request, response);
    } catch (error) {
      if (exchange.reason === STOPPING && atStop === 'end') await endStream(request, response);
      else if (exchange.reason === STOPPING) {
        problem = STOPPING;
        breakOff(request);
      } else if (!exchange.reason) {
        brokenAt = body.index;
        problem =
          error instanceof Problem && error === received?.failure
            ? error
            : new Problem('unexpected', `the response broke off ${placeOf(brokenAt)}`, {}, { cause: error });
        exchange.abandon(problem);
        breakOff(request);
      }
    } finally {
      request.socket.off('close', leave);
      open.delete(stop);
      body.release((error) => {
        if (!isAbort(error, exchange.reason)) fault(error, requestId);
      });
    }
    reportOutcome(exchange, problem, status, brokenAt);
  }

  /** Reports a failure to answer, and closes the connection. */
  function failed(error: unknown, response: ServerResponse, requestId?: string): void {
    fault(error, requestId);
    attempt(() => response.destroy(), faultToStderr);
  }

  function reportOutcome(
    exchange: Exchange,
    problem: ServiceProblem | undefined,
    status: number,
    brokenAt?: number,
  ): void {
    const outcome = outcomeOf(exchange, problem, status, brokenAt);
    const { requestId, request } = exchange;
    const failed = (error: unknown) => {
      fault(error, requestId);
    };
    attempt(() => report(outcome), failed);
    observe(outcome, request);
  }

  /** Calls the hook for a request that the HTTP server has already rejected as malformed, and reported. */
  function observeRejected(exchange: Exchange): void {
    observe(outcomeOf(exchange, undefined, exchange.response.statusCode), exchange.request);
  }

  function observe(outcome: Outcome<Own>, request: IncomingMessage): void {
    for (const { name, call } of afterResponse) {
      const failed = (error: unknown) => {
        fault(error, outcome.requestId, name);
      };
      attempt(() => call(outcome, request), failed);
    }
  }

  /** Reports that a request ended after it was given up, with an error or with a result, which is discarded. */
  function reportLate(exchange: Exchange, error: unknown, encoded?: Encoded): void {
    const { served, stage, hook, started, reason, requestId } = exchange;
    if (encoded) release(encoded);
    if (!SERVICE_STAGES.has(stage) || isAbort(error, reason)) return;
    const milliseconds = Math.round(performance.now() - started);
    const message = `${hook === undefined ? '' : `${hook} of `}${String(served?.operation.operationId)} ended after ${milliseconds} ms, when its request had been abandoned`;
    fault(new Error(message, error === undefined ? undefined : { cause: error }), requestId);
  }

  function reportClientLeft(exchange: Exchange): void {
    if (isUnread(exchange.request))
      reportOutcome(exchange, new Problem('malformed', 'the body broke off'), 400);
    else reportOutcome(exchange, undefined, CLIENT_LEFT);
  }

  return { respond, failed, observeRejected, reportClientLeft, reportLate };
}

const isTagged = (headers: Encoded['headers']): boolean => hasField(Object.keys(headers), 'etag');

/** Whether an error results from the abort of the signal (https://nodejs.org/api/errors.html#class-aborterror). */
function isAbort(error: unknown, reason: Error | undefined): boolean {
  return (error !== undefined && error === reason) || (error instanceof Error && error.name === 'AbortError');
}
