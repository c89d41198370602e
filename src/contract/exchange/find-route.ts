import type { Operation } from '../operations/operations';
import type { Router } from '../operations/router';
import { type Methods, pathParameters } from '../operations/routes';
import { Problem } from '../problem';
import type { SecuredOperation } from './served-operation';

/**
 * Finds the operation of a request, and the values of its path parameters.
 *
 * @throws {Problem} `notFound` or `methodNotAllowed`
 */
export function findRoute(
  router: Router<Methods>,
  operations: ReadonlyMap<Operation, SecuredOperation>,
  method: string,
  path: string,
) {
  const match = router.find(path);
  if (!match || match.target.size === 0) throw new Problem('notFound', 'the document has no such path');
  const route = match.target.get(method);
  const served = route && operations.get(route.operation);
  if (served) return { route, served, path: pathParameters(route, match.values) };
  const allow = [...match.target.keys()].join(', ');
  throw new Problem('methodNotAllowed', `this path has the methods ${allow}`, { Allow: allow });
}

/** Converts a request target to origin-form. Servers must accept the absolute-form too (RFC 9112 section 3.2). */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = /^https?:\/\/[^/?#]+([^]*)/i.exec(target)?.[1];
  return rest === undefined ? target : rest.startsWith('/') ? rest : `/${rest}`;
}
