import express, { type ErrorRequestHandler, type RequestHandler, type Router } from 'express';
import { type Answer, type Headers, Problem } from '../contract/problem';
import { renderProblem, toProblem } from '../errors';
import type { Metrics } from './metrics';

interface Operations {
  /** Resolves if the server would do its work now, rejects with an `Error` that says why not. */
  readonly ready: () => Promise<void>;
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
  /** Of every answer. */
  readonly headers: Headers;
}

/** What an operator asks the server about itself, under `/-/`: `live`, `ready` and `metrics`. Nothing of it is secret. */
export function operationalRoutes({ ready, metrics, headers }: Operations): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const get = (path: string, handler: RequestHandler) => {
    router
      .route(path)
      .get(handler)
      .all(() => {
        throw new Problem('noSuchMethod', 'this path has the methods GET, HEAD', { Allow: 'GET, HEAD' });
      });
  };
  router.use((_request, response, next) => {
    response.set(headers);
    next();
  });
  get('/-/live', (_request, response) => {
    response.json({ status: 'live' });
  });
  get('/-/ready', async (_request, response) => {
    await ready().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Problem('unavailable', reason, { 'Retry-After': '1' });
    });
    response.json({ status: 'ready' });
  });
  get('/-/metrics', async (_request, response) => {
    response.type(metrics.contentType).send(await metrics.text());
  });
  router.use(() => {
    throw new Problem('noSuchPath', 'there is no such path');
  });
  const onError: ErrorRequestHandler = (error: unknown, _request, response, next) => {
    if (response.headersSent) {
      next(error); // which closes the connection
      return;
    }
    const problem = toProblem(error);
    const answer: Answer = renderProblem(problem);
    response
      .status(answer.status)
      .set(problem.headers)
      .type(answer.contentType ?? 'application/json')
      .send(JSON.stringify(answer.body));
  };
  return router.use(onError);
}
