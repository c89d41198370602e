import { joinPointer, members, type OpenApiDocument } from '../document/document';
import { methodsOf, readPathItem } from '../document/path-items';
import { basePathsOf } from '../document/servers';
import type { Operation } from './operations';

/** A parsed key of the Paths Object (OpenAPI 3.1.1 sections 4.8.8.1 and 4.8.8.2). */
export interface PathTemplate {
  /** The path as clients send it, percent-encoded (RFC 3986), with `{}` for each template expression. */
  readonly shape: string;
  /** The names of its template expressions, in order. */
  readonly names: readonly string[];
}

export function parsePathTemplate(path: string): PathTemplate {
  const parts = path.split(/\{([^{}]*)\}/);
  return {
    shape: parts
      .filter((_, i) => i % 2 === 0)
      .map(encodeLiteral)
      .join('{}'),
    names: parts.filter((_, i) => i % 2 === 1),
  };
}

/** Characters that a URI cannot have (RFC 3986 section 2), and a `%` that begins no percent-encoded octet. */
const UNENCODED = /%(?![\da-f]{2})|[^!-~]+/gi;
/** A percent-encoded octet, in any case, and ASCII that only some clients encode. */
const EQUIVALENT = /%[\da-f]{2}|["<>[\\\]^`{|}]/gi;

function encodeLiteral(text: string): string {
  return normalizePath(text.toWellFormed().replace(UNENCODED, encodeURIComponent));
}

/** Normalizes paths that are equivalent by RFC 3986 section 6.2.2.1 or the URL Standard to one spelling. */
export function normalizePath(path: string): string {
  return path.replace(EQUIVALENT, (match) =>
    match.length > 1 ? match.toUpperCase() : encodeURIComponent(match),
  );
}

/** A matching path with the values of its template expressions, in order, percent-encoded. */
export interface Match<T> {
  readonly target: T;
  readonly values: readonly string[];
}

/** A segment with template expressions. */
interface Template<T> {
  /** The texts before, between and after the expressions. */
  readonly literals: readonly string[];
  readonly node: Node<T>;
}

/** The possible segments after a slash. */
class Node<T> {
  readonly concrete = new Map<string, Node<T>>();
  /** The most concrete first. */
  readonly templates: Template<T>[] = [];
  target: T | undefined;
}

/**
 * Finds the path template of a request (OpenAPI 3.1.1 section 4.8.8.2). If several match, the first segment in which they
 * differ decides: a concrete segment wins, then the one with more literal text, with fewer expressions, or earlier in the
 * document. The nodes are a tree, and a search visits each node at most once. So the time depends on the length of the path
 * and on the number of templates that match its beginning, not on the number of paths.
 */
export class Router<T> {
  private readonly root = new Node<T>();
  /** Paths without template expressions, as a request may spell them: no other that matches them comes before. */
  private readonly concrete = new Map<string, T>();

  /** Adds a path template. Returns its target, or that of an earlier path that matches the same requests. */
  add(path: string, target: T): T {
    const { shape } = parsePathTemplate(path);
    const node = shape.split('/').reduce((parent, segment) => child(parent, segment), this.root);
    node.target ??= target;
    if (!shape.includes('{}')) this.concrete.set(shape, node.target);
    return node.target;
  }

  /** @param path the path of a request without its query, percent-encoded */
  find(path: string): Match<T> | undefined {
    const concrete = this.concrete.get(path);
    if (concrete !== undefined) return { target: concrete, values: [] };
    const values: string[] = [];
    const target = search(this.root, normalizePath(path).split('/'), 0, values);
    return target === undefined ? undefined : { target, values };
  }
}

function child<T>(parent: Node<T>, segment: string): Node<T> {
  const literals = segment.split('{}');
  const known =
    literals.length === 1
      ? parent.concrete.get(segment)
      : parent.templates.find((template) => template.literals.join('{}') === segment)?.node;
  if (known) return known;
  const node = new Node<T>();
  if (literals.length === 1) parent.concrete.set(segment, node);
  else {
    parent.templates.push({ literals, node });
    parent.templates.sort(byConcreteness);
  }
  return node;
}

function byConcreteness({ literals: a }: Template<unknown>, { literals: b }: Template<unknown>): number {
  return b.join('').length - a.join('').length || a.length - b.length;
}

/** @param values receives the values of the match; unchanged if there is none */
function search<T>(node: Node<T>, segments: readonly string[], at: number, values: string[]): T | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.target;
  const concrete = node.concrete.get(segment);
  const target = concrete && search(concrete, segments, at + 1, values);
  if (target !== undefined) return target;
  const { length } = values;
  for (const template of node.templates) {
    if (matchSegment(template.literals, segment, values)) {
      const found = search(template.node, segments, at + 1, values);
      if (found !== undefined) return found;
    }
    values.length = length;
  }
  return undefined;
}

/**
 * Returns whether a segment matches, and adds the texts between the literals to `values`; none is empty. Each literal
 * matches where it first occurs. That leaves the most text to the next ones, so no backtracking is needed.
 */
function matchSegment(literals: readonly string[], segment: string, values: string[]): boolean {
  const first = literals[0] ?? '';
  const last = literals.at(-1) ?? '';
  const end = segment.length - last.length;
  if (!segment.startsWith(first) || !segment.endsWith(last)) return false;
  let start = first.length;
  for (let i = 1; i < literals.length - 1; i++) {
    const literal = literals[i] ?? '';
    const at = segment.indexOf(literal, start + 1);
    if (at < 0) return false;
    values.push(segment.slice(start, at));
    start = at + literal.length;
  }
  values.push(segment.slice(start, end));
  return start < end;
}

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
    if (methodsOf(item).length > 0) continue;
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
  const key = pointer.replace(/(?:\/additionalOperations)?\/[^/]*$/, '');
  if (/[?#]/.test(path)) {
    document.addFinding(key, 'a path cannot contain "?" or "#": describe a query by parameters');
  }
  const repeated = names.find((name, i) => names.indexOf(name) !== i);
  if (repeated !== undefined) document.addFinding(key, `has the template expression {${repeated}} twice`);
  const methods = router.add(path, new Map());
  const same = methods.get(method);
  if (same?.operation.method === method) {
    if (same.path === path)
      document.addFinding(pointer, `answers the same requests as #${same.operation.pointer}`);
    else document.addFinding(key, `${path} matches the same requests as ${same.path}: use one of the two`);
  }
  // OpenAPI 3.1.1 section 4.8.8.2 forbids paths that differ only in the names of their template expressions.
  const other = [...methods.values()].find((one) => one.path !== path);
  if (other) {
    const message = `${path} is the same path as ${other.path}: the methods of both are served under it`;
    document.addRemark({ pointer: key, message, keyword: 'Paths path' });
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
