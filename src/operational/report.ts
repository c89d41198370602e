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

/**
 * A line in the log for each request, with nothing in it that a client has written but a well-formed request id: no
 * path, no header, no body. Only a failure of the server itself is told with its cause.
 *
 * @param headers of the answers to what never became a request
 */
export function createReport(log: Logger, metrics: Metrics, headers: Headers): Report {
  /** Loggers with the fields that many requests have in common: there are as many as the document has answers. */
  const loggers = new Map<string, Logger>();
  function loggerFor(method: string, operationId = '', status: number, error = 0): Logger {
    const key = `${method} ${operationId} ${status} ${error}`;
    let logger = loggers.get(key);
    if (!logger) {
      logger = log.child({
        ...(method !== '' && { method }),
        ...(operationId !== '' && { operationId }),
        status,
        ...(error !== 0 && { error }),
      });
      loggers.set(key, logger);
    }
    return logger;
  }

  return {
    request({ method, operationId, status, problem, body, milliseconds, requestId }) {
      const error = problem ? ERRORS[problem.kind].number : status < 400 ? undefined : errorNumberOf(body);
      metrics.request(operationId, status, milliseconds);
      if (error !== undefined) metrics.refusal(error);
      const logger = loggerFor(method, operationId, status, error);
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
      loggerFor('', '', answer.status, error).info({ requestId }, problem.message);
      return { ...answer, headers: { ...headers, 'X-Request-Id': requestId } };
    },
    fault(error, requestId) {
      log.error({ ...(requestId !== undefined && { requestId }), err: error }, 'a failure beside an answer');
    },
  };
}
