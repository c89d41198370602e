/** What a path leads to, and the text that stands for each of its templates, percent-encoded. */
export interface Match<T> {
  readonly target: T;
  readonly parameters: ReadonlyMap<string, string>;
}

const NO_PARAMETERS: ReadonlyMap<string, string> = new Map();

interface Template<T> {
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly node: Node<T>;
}

/** A node for what stands between two slashes. */
class Node<T> {
  readonly exact = new Map<string, Node<T>>();
  /** By their shape, with the names taken out; those that say more about the text come first. */
  readonly templates = new Map<string, Template<T>>();
  target: T | undefined;
}

/**
 * Finds the path of a request among those of a document (OpenAPI 3.1 section 4.8.8): exactly as they are written there,
 * those without templates first, in a time that does not depend on how many there are.
 */
export class Router<T> {
  private readonly literal = new Map<string, Match<T>>();
  private readonly root = new Node<T>();

  /** Adds a path and returns its target: that of an earlier path, if both match the same requests. */
  add(path: string, target: T): T {
    if (!path.includes('{')) {
      const match = this.literal.get(path) ?? { target, parameters: NO_PARAMETERS };
      this.literal.set(path, match);
      return match.target;
    }
    const node = path.split('/').reduce((parent, segment) => child(parent, segment), this.root);
    return (node.target ??= target);
  }

  /** @param path the path of a request, without its query, as it came */
  find(path: string): Match<T> | undefined {
    return this.literal.get(path) ?? findBelow(this.root, path.split('/'), 0, []);
  }
}

function child<T>(parent: Node<T>, segment: string): Node<T> {
  if (!segment.includes('{')) {
    const node = parent.exact.get(segment) ?? new Node<T>();
    parent.exact.set(segment, node);
    return node;
  }
  const names: string[] = [];
  const shape = segment.replace(
    /\{([^}]*)\}|([^{]+)/g,
    (_, name: string | undefined, text: string | undefined) => {
      if (text !== undefined) return text.replace(/[$()*+.?[\\\]^|}]/g, '\\$&');
      names.push(name ?? '');
      return '([^]+?)';
    },
  );
  const known = parent.templates.get(shape);
  if (known) return known.node;
  const node = new Node<T>();
  const all = [...parent.templates, [shape, { pattern: new RegExp(`^${shape}$`), names, node }] as const];
  parent.templates.clear();
  for (const [key, template] of all.sort(([a], [b]) => b.length - a.length))
    parent.templates.set(key, template);
  return node;
}

function findBelow<T>(
  node: Node<T>,
  segments: string[],
  at: number,
  found: [string, string][],
): Match<T> | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.target && { target: node.target, parameters: new Map(found) };
  const exact = node.exact.get(segment);
  const match = exact && findBelow(exact, segments, at + 1, found);
  if (match) return match;
  for (const { pattern, names, node: next } of node.templates.values()) {
    const texts = pattern.exec(segment)?.slice(1);
    if (!texts) continue;
    const pairs = names.map((name, i): [string, string] => [name, texts[i] ?? '']);
    const deeper = findBelow(next, segments, at + 1, [...found, ...pairs]);
    if (deeper) return deeper;
  }
  return undefined;
}
