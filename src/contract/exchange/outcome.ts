import type { Problem, ProblemKind } from '../problem';
import type { Exchange } from './admission';
import type { Stage } from './stages';

/** What one request came to, for logs, metrics and traces. */
export interface Outcome<Own extends string = never> {
  readonly method: string;
  /** Undefined where the document has no such operation. */
  readonly operationId: string | undefined;
  /** The path of the document that the request matches, templates in braces; undefined where it matches none. */
  readonly route: string | undefined;
  /** The stage in which the request ended. */
  readonly stage: Stage;
  /** Of the answer; 499 if the client left before there was one. */
  readonly status: number;
  /** Why the answer is not that of the handler. Its cause is for the log alone. */
  readonly problem: Problem<ProblemKind | Own> | undefined;
  /** The body that the handler has returned. */
  readonly body: unknown;
  readonly milliseconds: number;
  readonly requestId: string;
}

/** The outcome of a request that ends now. */
export function outcomeOf<Own extends string>(
  { served, started, body, requestId, request, route, stage }: Exchange,
  problem: Outcome<Own>['problem'],
  status: number,
): Outcome<Own> {
  return {
    method: request.method ?? '',
    operationId: served?.operation.operationId,
    route,
    stage,
    status,
    problem,
    body,
    milliseconds: performance.now() - started,
    requestId,
  };
}
