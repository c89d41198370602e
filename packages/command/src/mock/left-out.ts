import type { JsonObject, Middleware } from 'contract-first-server';
import {
  basePathsOf,
  joinPointer,
  OpenApiDocument,
  operationPlaces,
  Router,
  STUB_HEADER,
  titleOf,
} from 'contract-first-server/tools';

/**
 * Answers 501 for the operations that a mock leaves out, with the header of stubs, by which the contract tests know them. A path
 * that is more concrete comes first, as in a service.
 *
 * @param served the pointers of the served operations
 * @param removed the reasons, by the pointers of what is left out
 */
export function answerLeftOut(
  given: JsonObject,
  served: ReadonlySet<string>,
  removed: ReadonlyMap<string, string>,
): Middleware {
  const document = new OpenApiDocument(given);
  const router = new Router<Map<string, { readonly title: string; readonly reason: string } | undefined>>();
  for (const place of operationPlaces(document)) {
    const { method, path, pointer, item } = place;
    const reason = removed.get(pointer) ?? 'a part that it needs is left out';
    const leftOut = served.has(pointer) ? undefined : { title: titleOf(place), reason };
    for (const base of basePathsOf(document, [joinPointer(pointer, 'servers'), item.get('servers')])) {
      const methods = router.add(base + path, new Map());
      if (leftOut || !methods.has(method)) methods.set(method, leftOut);
    }
  }
  return ({ method = '', url = '' }, response, next) => {
    const found = router.find(url.split('?', 1)[0] ?? '')?.target;
    const leftOut =
      found?.get(method) ?? (method === 'HEAD' && !found?.has(method) ? found?.get('GET') : undefined);
    if (!leftOut) {
      next();
      return;
    }
    const { title, reason } = leftOut;
    const text = JSON.stringify({ error: 50100, message: `the mock leaves out ${title}: ${reason}` });
    response
      .writeHead(501, { [STUB_HEADER]: encodeURI(title), 'Content-Type': 'application/json' })
      .end(text);
  };
}
