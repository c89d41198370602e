import type { Problem, ProblemKind } from '../problem';
import type { Exchange } from './admission';
import type { Stage } from './stages';

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
  /** The status of the response; 499 if the client disconnected before it. */
  readonly status: number;
  /** The problem in place of a response of the handler. Only logs may show its cause. */
  readonly problem: Problem<ProblemKind | Own> | undefined;
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
): Outcome<Own> {
  return {
    method: request.method ?? '',
    operationId: served?.operation.operationId,
    route,
    stage,
    hook,
    status,
    problem,
    body,
    milliseconds: performance.now() - started,
    requestId,
  };
}
