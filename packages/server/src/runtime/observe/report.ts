import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Answer, Headers, Operation, Outcome, Problem, ReportFault, ReportUnread } from '../../contract';
import type { Errors, OperationalKind } from '../errors';
import type { Metrics } from './metrics';

/** Records the outcome of each request in the log and the metrics. */
export interface Report<Own extends string = never> {
  /** Records a request and its response. */
  readonly request: (outcome: Outcome<OperationalKind | Own>) => void;
  /** Records and answers bytes that are not a valid HTTP request. */
  readonly refuse: (problem: Problem, operation?: Operation) => Answer;
  /** Records a failure outside a response. */
  readonly fault: ReportFault;
  /** Records a connection that was closed because its client did not read its response: a log line a second at most. */
  readonly unread: ReportUnread;
}

/** Milliseconds. */
const SECOND = 1_000;

/** Requests with the same method, operation, status and error. */
interface Kind {
  readonly method: string;
  readonly operationId: string | undefined;
  readonly status: number;
  /** 0: none. */
  readonly error: number;
  /** A logger with these fields. */
  readonly logger: Logger;
  /** Counts a request of so many milliseconds. */
  readonly observe: (milliseconds: number) => void;
}

/**
 * Writes one log line for each request. A well-formed request id is the only client data in it: no path, no header, no
 * body. Only a failure of the server is logged with its cause.
 *
 * @param headers the headers of responses to invalid HTTP
 */
export function createReport<Own extends string = never>(
  { table, render, numberOf }: Errors<Own>,
  log: Logger,
  metrics: Metrics,
  headers: Headers,
): Report<Own> {
  /** What many requests share, by their kind. The document bounds the number of kinds. */
  const kinds = new Map<string, Kind>();
  /** The kind of the latest request: most are of the same kind as the one before. */
  let latest: Kind | undefined;
  function kindOf(method: string, operationId: string | undefined, status: number, error = 0): Kind {
    if (latest && latest.operationId === operationId && latest.status === status)
      if (latest.method === method && latest.error === error) return latest;
    const key = `${method} ${operationId ?? ''} ${status} ${error}`;
    let kind = kinds.get(key);
    if (!kind) {
      const logger = log.child({
        method,
        ...(operationId !== undefined && { operationId }),
        status,
        ...(error !== 0 && { error }),
      });
      kind = { method, operationId, status, error, logger, observe: metrics.requests(operationId, status) };
      kinds.set(key, kind);
    }
    latest = kind;
    return kind;
  }

  /** The connections that the next line counts. */
  let unread = 0;

  return {
    request({ method, operationId, status, problem, body, milliseconds, requestId, hook, brokenAt }) {
      const error = problem ? table[problem.kind].number : status < 400 ? undefined : numberOf(body);
      const { logger, observe } = kindOf(method, operationId, status, error);
      observe(milliseconds);
      if (error !== undefined && status >= 400) metrics.refusal(error);
      const fields = {
        ms: Math.round(milliseconds * 1000) / 1000,
        requestId,
        ...(hook !== undefined && { hook }),
        ...(brokenAt !== undefined && { item: brokenAt }),
      };
      if (brokenAt !== undefined) metrics.brokenStream(operationId ?? 'none');
      if (problem?.kind === 'unexpected') logger.error({ ...fields, err: problem.cause }, problem.message);
      else if (problem?.cause instanceof Error) logger.warn(fields, problem.cause.message);
      else logger.info(fields);
    },
    refuse(problem, operation) {
      const answer = render(problem, operation);
      const requestId = randomUUID();
      const error = table[problem.kind].number;
      metrics.refusal(error);
      log.info({ status: answer.status, error, requestId }, problem.message);
      return { ...answer, headers: { ...headers, 'X-Request-Id': requestId } };
    },
    fault(error, requestId, hook) {
      const place = { ...(requestId !== undefined && { requestId }), ...(hook !== undefined && { hook }) };
      log.error({ ...place, err: error }, 'failure outside a response');
    },
    unread(reason) {
      metrics.unreadConnection(reason);
      if (unread++ > 0) return;
      setTimeout(() => {
        log.warn({ connections: unread }, 'closed connections whose clients did not read their responses');
        unread = 0;
      }, SECOND);
    },
  };
}
