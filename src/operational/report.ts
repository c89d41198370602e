import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Answer, Headers, Outcome, Problem, ReportFault } from '../contract';
import { ERRORS, errorNumberOf, type OwnKind, renderProblem } from '../errors';
import type { Metrics } from './metrics';

/** Records the outcome of each request in the log and the metrics. */
export interface Report {
  /** Records a request and its response. */
  readonly request: (outcome: Outcome<OwnKind>) => void;
  /** Records and answers bytes that are not a valid HTTP request. */
  readonly refuse: (problem: Problem) => Answer;
  /** Records a failure outside a response. */
  readonly fault: ReportFault;
}

/**
 * Writes one log line for each request. A well-formed request id is the only client data in it: no path, no header, no
 * body. Only a failure of the server is logged with its cause.
 *
 * @param headers the headers of responses to invalid HTTP
 */
export function createReport(log: Logger, metrics: Metrics, headers: Headers): Report {
  /** Loggers by the fields that many requests share. The document bounds their number. */
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
      log.error({ ...(requestId !== undefined && { requestId }), err: error }, 'failure outside a response');
    },
  };
}
