import express, { type ErrorRequestHandler, type RequestHandler, type Router } from 'express';
import { type Answer, type Headers, Problem, type ReportFault } from '../contract';
import { renderProblem, toProblem } from '../errors';
import type { Metrics } from './metrics';
import { inTime } from './readiness';

interface Operations {
  /** Resolves if the server would do its work now, rejects if not. The reason is not shown. */
  readonly ready: () => Promise<void>;
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
  /** Aborted when the server begins to stop. */
  readonly stopping: AbortSignal;
}

const unavailable = (message: string, cause?: unknown) =>
  new Problem('unavailable', message, { 'Retry-After': '1' }, { cause });

/** What an operator asks the server about itself, under `/-/`: `live`, `ready` and `metrics`. Nothing of it is secret. */
export function operationalRoutes({ ready, metrics, stopping }: Operations): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const get = (path: string, handler: RequestHandler) => {
    router
      .route(path)
      .get(handler)
      .all(() => {
        throw new Problem('methodNotAllowed', 'this path has the methods GET, HEAD', { Allow: 'GET, HEAD' });
      });
  };
  get('/-/live', (_request, response) => {
    response.json({ status: 'live' });
  });
  get('/-/ready', async (_request, response) => {
    if (stopping.aborted) throw unavailable('the server is shutting down');
    await inTime(ready(), 'the store').catch((error: unknown) => {
      throw unavailable('the store is not available', error);
    });
    response.json({ status: 'ready' });
  });
  get('/-/metrics', async (_request, response) => {
    response.type(metrics.contentType).send(await inTime(metrics.text(), 'the registry of metrics'));
  });
  return router;
}

/** Goes with every answer of the routes behind it. */
export function withHeaders(headers: Headers): RequestHandler {
  return (_request, response, next) => {
    response.set(headers);
    next();
  };
}

/** The end of an application: what no route answers is 404, and what any middleware throws becomes an error body. */
export function endOfRoutes(headers: Headers, fault: ReportFault): [RequestHandler, ErrorRequestHandler] {
  const refuse: ErrorRequestHandler = (error: unknown, _request, response, next) => {
    try {
      const problem = toProblem(error);
      if (problem.kind === 'unexpected') fault(problem.cause);
      const answer: Answer = renderProblem(problem);
      if (response.headersSent) {
        next(error); // which closes the connection
        return;
      }
      response
        .status(answer.status)
        .set({ ...headers, ...problem.headers })
        .type(answer.contentType ?? 'application/json')
        .send(JSON.stringify(answer.body));
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
