import type { Operation } from '../operations/operations';
import { type Methods, pathParameters, type Route, type Router } from '../operations/routes';
import { type Problem, RequestProblem } from '../problem';
import type { SecuredOperation } from './served-operation';

/** The operation of a request, and its raw parameters. */
export interface Found {
  readonly route: Route;
  readonly served: SecuredOperation;
  readonly path: ReadonlyMap<string, string>;
  readonly query: string;
}

const NO_PATH = new RequestProblem('notFound', 'the document has no such path');

/**
 * Finds the operation of a request, and the values of its path parameters; otherwise returns the problem `notFound` or
 * `methodNotAllowed`. RequestReader.tryRead says why it throws none.
 */
export function findRoute(
  router: Router<Methods>,
  operations: ReadonlyMap<Operation, SecuredOperation>,
  method: string,
  url: string,
): Found | Problem {
  const at = url.indexOf('?');
  const match = router.find(at < 0 ? url : url.slice(0, at));
  if (!match || match.target.size === 0) return NO_PATH;
  const route = match.target.get(method);
  const served = route && operations.get(route.operation);
  if (served) {
    const query = at < 0 ? '' : url.slice(at + 1);
    return { route, served, path: pathParameters(route, match.values), query };
  }
  const allow = [...match.target.keys()].join(', ');
  return new RequestProblem('methodNotAllowed', `this path has the methods ${allow}`, { Allow: allow });
}

/** Converts a request target to origin-form. Servers must accept the absolute-form too (RFC 9112 section 3.2). */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = /^https?:\/\/[^/?#]+([^]*)/i.exec(target)?.[1];
  return rest === undefined ? target : rest.startsWith('/') ? rest : `/${rest}`;
}
