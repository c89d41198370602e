import { joinPointer, members, type OpenApiDocument } from '../document/document';
import { METHODS, readPathItem } from '../document/path-items';
import { basePathsOf } from '../document/servers';
import type { Operation } from './operations';
import { parsePathTemplate, Router } from './router';

/** An operation under one of its paths. */
export interface Route {
  readonly operation: Operation;
  readonly path: string;
  /** The names of the parameters in the path, in order. */
  readonly names: readonly string[];
}

/** The routes of one path, by method in upper case. */
export type Methods = Map<string, Route>;

/**
 * Adds every operation to a router. Two operations for the same requests become a finding. A path without operations is
 * added, too: without it, a template that matches its requests would answer them.
 */
export function compileRoutes(document: OpenApiDocument, operations: readonly Operation[]): Router<Methods> {
  const router = new Router<Methods>();
  for (const operation of operations) {
    for (const path of operation.paths) addRoute(document, router, operation, path);
  }
  for (const [path] of members(document.root['paths'])) {
    if (!path.startsWith('/')) continue;
    const item = readPathItem(document, joinPointer('/paths', path));
    if (METHODS.some((method) => item.has(method))) continue;
    for (const base of basePathsOf(document, [item.get('servers')])) router.add(base + path, new Map());
  }
  return router;
}

function addRoute(
  document: OpenApiDocument,
  router: Router<Methods>,
  operation: Operation,
  path: string,
): void {
  const { method, pointer } = operation;
  const { names } = parsePathTemplate(path);
  const key = pointer.slice(0, pointer.lastIndexOf('/'));
  if (/[?#]/.test(path)) {
    document.addFinding(key, 'a path has no "?" and no "#": describe a query by parameters');
  }
  const repeated = names.find((name, i) => names.indexOf(name) !== i);
  if (repeated !== undefined) document.addFinding(key, `has the template expression {${repeated}} twice`);
  const methods = router.add(path, new Map());
  for (const other of methods.values()) {
    // OpenAPI 3.1.1 section 4.8.8.2: paths that differ in the names of their template expressions are identical.
    if (other.path !== path) {
      document.addFinding(key, `${path} matches the same requests as ${other.path}: use one of the two`);
    }
  }
  const same = methods.get(method);
  if (same?.path === path && same.operation.method === method) {
    document.addFinding(pointer, `answers the same requests as #${same.operation.pointer}`);
  }
  const route = { operation, path, names };
  methods.set(method, route);
  // RFC 9110 section 9.3.2: the response to HEAD is that to GET without the body, which Node omits.
  if (method === 'GET' && !methods.has('HEAD')) methods.set('HEAD', route);
}

const NONE: ReadonlyMap<string, string> = new Map();

/** The path parameters of a request by name, percent-encoded. */
export function pathParameters({ names }: Route, values: readonly string[]): ReadonlyMap<string, string> {
  return names.length === 0 ? NONE : new Map(names.map((name, i) => [name, values[i] ?? '']));
}
