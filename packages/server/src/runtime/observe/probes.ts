import express from 'express';
import type { ErrorRequestHandler, RequestHandler, Router } from 'express';
import type { Logger } from 'pino';
import { type Headers, Problem, type ReportFault } from '../../contract';
import { stringifyJson } from '../../contract/tools';
import type { Errors } from '../errors';
import type { Metrics } from './metrics';

/** Milliseconds within which a probe is answered: less than the timeouts of the probes in scripts/deploy/. */
const TIMEOUT = 4_000;

/** Settles as the promise does. Rejects after so many milliseconds. */
export async function inTime<T>(promise: Promise<T>, name: string, timeout = TIMEOUT): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`${name} did not answer within ${timeout} ms`));
    }, timeout);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Milliseconds for which an answer holds: the check writes, and anybody may ask. */
const HOLDS = 1_000;

/**
 * Checks whether the server can do its work, at most once a second; all who ask meanwhile share the check. The log gets
 * the reason when it changes, because the response of the probe does not show it.
 *
 * @param ready rejects with the reason
 */
export function watchReadiness(
  ready: () => Promise<void>,
  log: Pick<Logger, 'info' | 'warn'>,
): () => Promise<void> {
  let probing: Promise<void> | undefined;
  let isRunning = false;
  let began = 0;
  let reason = '';
  const probe = async () => {
    try {
      await inTime(ready(), 'the store');
      if (reason !== '') log.info('ready again');
      reason = '';
    } catch (error) {
      const now = error instanceof Error ? error.message : String(error);
      if (now !== reason) log.warn({ err: error }, `not ready: ${now}`);
      reason = now;
      throw error;
    } finally {
      isRunning = false;
    }
  };
  return () => {
    if (!probing || (!isRunning && performance.now() - began >= HOLDS)) {
      isRunning = true;
      began = performance.now();
      probing = probe();
    }
    return probing;
  };
}

/** What probes and metrics show. */
export interface Probed {
  /** Rejects if a part of the server does not run. Default: it runs if it answers. */
  readonly live?: (() => Promise<void>) | undefined;
  /** Resolves if the server can do its work now, otherwise rejects. The response does not show the reason. */
  readonly ready: () => Promise<void>;
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
  /** Aborted when the server begins to stop. */
  readonly stopping: AbortSignal;
  /** Aborted when the server is no longer ready, since it is going to stop. Default: `stopping`. */
  readonly draining?: AbortSignal | undefined;
}

const unavailable = (message: string, cause?: unknown) =>
  new Problem('unavailable', message, { 'Retry-After': '1' }, { cause });

/** The operational paths `/-/live`, `/-/ready` and `/-/metrics`. Their responses contain no secret. */
export function operationalRoutes({ live, ready, metrics, stopping, draining = stopping }: Probed): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const get = (path: string, handler: RequestHandler) => {
    router
      .route(path)
      .get(handler)
      .all(() => {
        throw new Problem('methodNotAllowed', 'this path has the methods GET, HEAD', { Allow: 'GET, HEAD' });
      });
  };
  get('/-/live', async (_request, response) => {
    await live?.().catch((error: unknown) => {
      throw unavailable('a worker does not answer', error);
    });
    response.json({ status: 'live' });
  });
  get('/-/ready', async (_request, response) => {
    if (draining.aborted) throw unavailable('the server is shutting down');
    await inTime(ready(), 'the store').catch((error: unknown) => {
      throw unavailable(`${live ? 'a worker or its' : 'the'} store is not available`, error);
    });
    response.json({ status: 'ready' });
  });
  get('/-/metrics', async (_request, response) => {
    response.type(metrics.contentType).send(await inTime(metrics.text(), 'the registry of metrics'));
  });
  return router;
}

/** Adds the headers to the response of every later route. */
export function withHeaders(headers: Headers): RequestHandler {
  return (_request, response, next) => {
    response.set(headers);
    next();
  };
}

/** The last handlers of an application: 404 for an unknown path, and an error body for any error. */
export function endOfRoutes<Own extends string>(
  { toProblem, render }: Pick<Errors<Own>, 'toProblem' | 'render'>,
  headers: Headers,
  fault: ReportFault,
): [RequestHandler, ErrorRequestHandler] {
  const refuse: ErrorRequestHandler = (error: unknown, _request, response, next) => {
    try {
      const problem = toProblem(error);
      if (problem.kind === 'unexpected') fault(problem.cause);
      const answer = render(problem);
      if (response.headersSent) {
        next(error); // closes the connection
        return;
      }
      response
        .status(answer.status)
        .set({ ...headers, ...problem.headers })
        .type(answer.contentType ?? 'application/json')
        .send(answer.body === undefined ? undefined : stringifyJson(answer.body));
    } catch (worse) {
      fault(worse);
      response.destroy();
    }
  };
  const notFound = () => {
    throw new Problem('notFound', 'there is no such path');
  };
  return [notFound, refuse];
}
