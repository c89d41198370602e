import cors from 'cors';
import type { RequestHandler } from 'express';
import { METHODS, type OpenApiDocument, readOperations } from '../contract/tools';

/**
 * Cross-origin requests (https://fetch.spec.whatwg.org/#http-cors-protocol). This middleware answers preflight requests
 * only. It exposes every response header that the document declares, and those that the server adds.
 *
 * @param origins the origins whose pages may call the service, or `*` for any
 */
export function allowOrigins(origins: readonly string[] | '*', document: OpenApiDocument): RequestHandler {
  const operations = readOperations(document);
  const documented = operations.flatMap(({ responses }) =>
    [...responses.values()].flatMap(({ headers }) => headers),
  );
  const always = ['X-Request-Id', 'Retry-After', 'WWW-Authenticate', 'Accept-Ranges', 'Content-Range'];
  const exposedHeaders = [...new Set([...always, ...documented.map(({ name }) => name)])];
  const allow = cors({
    origin: origins === '*' ? origins : [...origins],
    methods: [
      ...new Set([
        ...METHODS.map((method) => method.toUpperCase()),
        ...operations.map(({ method }) => method),
      ]),
    ],
    exposedHeaders,
    maxAge: 600,
  });
  return (request, response, next) => {
    const preflight = request.headers.origin && request.headers['access-control-request-method'];
    if (request.method !== 'OPTIONS' || preflight) allow(request, response, next);
    else next(); // the service answers 405
  };
}
