import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Answer, Headers, Outcome, Problem, ReportFault } from '../contract';
import { ERRORS, errorNumberOf, type OwnKind, renderProblem } from '../errors';
import type { Metrics } from './metrics';

/** Where each request is told of, once. */
export interface Report {
  /** What became of a request. */
  readonly request: (outcome: Outcome<OwnKind>) => void;
  /** The answer to what never became a request; it is told of as well. */
  readonly refuse: (problem: Problem) => Answer;
  /** A failure that belongs to no answer. */
  readonly fault: ReportFault;
}

interface Kind {
  /** With the fields that all of this kind have. */
  readonly logger: Logger;
  /** Takes milliseconds. */
  readonly observe: (milliseconds: number) => void;
}

/**
 * A line in the log for each request, with nothing in it that a client has written but a well-formed request id: no
 * path, no header, no body. Only a failure of the server itself is told with its cause.
 *
 * @param headers of the answers to what never became a request
 */
export function createReport(log: Logger, metrics: Metrics, headers: Headers): Report {
  /** What many requests have in common: there are as many kinds as the document has answers. */
  const kinds = new Map<string, Kind>();
  function kindOf(method: string, operationId: string | undefined, status: number, error = 0): Kind {
    const key = `${method} ${operationId ?? ''} ${status} ${error}`;
    let kind = kinds.get(key);
    if (!kind) {
      const logger = log.child({
        method,
        ...(operationId !== undefined && { operationId }),
        status,
        ...(error !== 0 && { error }),
      });
      kind = { logger, observe: metrics.requests(operationId, status) };
      kinds.set(key, kind);
    }
    return kind;
  }

  return {
    request({ method, operationId, status, problem, body, milliseconds, requestId }) {
      const error = problem ? ERRORS[problem.kind].number : status < 400 ? undefined : errorNumberOf(body);
      const { logger, observe } = kindOf(method, operationId, status, error);
      observe(milliseconds);
      if (error !== undefined) metrics.refusal(error);
      const fields = { ms: Math.round(milliseconds * 1000) / 1000, requestId };
      if (problem?.kind === 'unexpected') logger.error({ ...fields, err: problem.cause }, problem.message);
      else if (problem?.cause instanceof Error) logger.warn(fields, problem.cause.message);
      else logger.info(fields);
    },
    refuse(problem) {
      const answer = renderProblem(problem);
      const requestId = randomUUID();
      const error = ERRORS[problem.kind].number;
      metrics.refusal(error);
      log.info({ status: answer.status, error, requestId }, problem.message);
      return { ...answer, headers: { ...headers, 'X-Request-Id': requestId } };
    },
    fault(error, requestId) {
      log.error({ ...(requestId !== undefined && { requestId }), err: error }, 'a failure beside an answer');
    },
  };
}
