/** The parts of a JSONPath (RFC 9535) that match nothing: the names of a union, and the alternatives of a filter. */
import { parse, paths, stringify } from 'jsonpathly';
import { isObject, OBJECTS } from 'contract-first-server/tools';
import { type JsonObject } from 'contract-first-server';

/** What of a target matches nothing. */
export interface Idle {
  /** As it is written; undefined: the target as a whole. */
  readonly part?: string;
  /** The target without the part. */
  readonly without?: string;
  /** Whether it is an alternative of a filter, instead of a name. */
  readonly isAlternative: boolean;
}

/** The usual spelling of a target. The library that applies overlays knows filters in this one only. */
export const normalized = (target: string): string => stringify(parse(target));

type Path = ReturnType<typeof parse>;
type Node = JsonObject & { readonly type: string };

/** Nothing if each part of a target matches something. */
export function idleParts(data: JsonObject, target: string): Idle[] {
  const path = parse(target);
  const isIdle = (one: Path) => paths(data, stringify(one)).length === 0;
  if (isIdle(path)) return [{ isAlternative: false }];
  return [...nodesOf(path)].flatMap(({ node, steps }): Idle[] => {
    const put = (value: unknown) => replaced(path, steps, value);
    const { values } = node;
    if (node.type === 'unions' && Array.isArray(values))
      return values.flatMap((value: JsonObject, i) =>
        isIdle(put({ ...node, values: [value] }))
          ? [
              {
                part: JSON.stringify(value['value'] ?? '*'),
                without: stringify(put({ ...node, values: values.toSpliced(i, 1) })),
                isAlternative: false,
              },
            ]
          : [],
      );
    if (node.type !== 'filterExpression' || !isNode(node['value'])) return [];
    const filter = node['value'];
    const all = alternativesOf(filter);
    return (all.length > 1 ? all : [])
      .filter(({ only, leaf }) => isIdle(put({ ...node, value: only })) && !isGeneral(leaf))
      .map(({ leaf }) => ({
        part: filterText(leaf),
        without: stringify(put({ ...node, value: withoutLeaf(filter, leaf) })),
        isAlternative: true,
      }));
  });
}

const isNode = (value: unknown): value is Node => isObject(value) && typeof value['type'] === 'string';

/** The nodes of a path, but those below a negation: what it excludes need not be there. */
function* nodesOf(
  value: unknown,
  steps: readonly string[] = [],
): Generator<{ node: Node; steps: readonly string[] }> {
  if (isNode(value)) {
    if (value.type === 'notExpression') return;
    yield { node: value, steps };
  }
  for (const [key, member] of typeof value === 'object' && value !== null ? Object.entries(value) : [])
    yield* nodesOf(member, [...steps, key]);
}

function replaced(path: Path, steps: readonly string[], value: unknown): Path {
  const copy = structuredClone(path);
  let holder = copy as object;
  for (const step of steps.slice(0, -1)) holder = Reflect.get(holder, step) as object;
  Reflect.set(holder, steps.at(-1) ?? '', value);
  return copy;
}

/** An expression with one of its alternatives only, and that one. */
interface Alternative {
  readonly only: Node;
  readonly leaf: Node;
}

/** The alternatives of an expression: what `||` separates, also within `&&` and parentheses. */
function alternativesOf(node: Node): Alternative[] {
  const { left, right, value } = node;
  const within = (name: string, member: Node) =>
    alternativesOf(member).map(({ only, leaf }) => ({ only: { ...node, [name]: only }, leaf }));
  if (node.type === 'groupExpression' && isNode(value)) return within('value', value);
  if (node.type !== 'logicalExpression' || !isNode(left) || !isNode(right))
    return [{ only: node, leaf: node }];
  if (node['operator'] === 'or') return [...alternativesOf(left), ...alternativesOf(right)];
  const parts = [within('left', left), within('right', right)].filter((all) => all.length > 1).flat();
  return parts.length > 0 ? parts : [{ only: node, leaf: node }];
}

/** An expression without one of its alternatives; undefined if nothing of it is left. */
function withoutLeaf(node: unknown, leaf: Node): Node | undefined {
  if (!isNode(node) || node === leaf) return undefined;
  const { left, right, value } = node;
  if (node.type === 'groupExpression') {
    const rest = withoutLeaf(value, leaf);
    return rest && { ...node, value: rest };
  }
  if (node.type !== 'logicalExpression') return node;
  const [one, other] = [withoutLeaf(left, leaf), withoutLeaf(right, leaf)];
  if (one && other) return { ...node, left: one, right: other };
  return node['operator'] === 'or' ? (one ?? other) : undefined;
}

const KEYWORDS = new Set([...OBJECTS.values()].flatMap(({ keywords }) => [...keywords.keys()]));
/** A status of a response. */
const STATUS = /^[1-5](\d\d|XX)$/;

/** Whether an alternative asks what any document may have, such as `@.responses['404']`, and names nothing of this one. */
function isGeneral(leaf: Node): boolean {
  const texts: string[] = [];
  const visit = (value: unknown): void => {
    if (isNode(value) && value.type === 'value' && typeof value['value'] === 'string') texts.push('');
    else if (isNode(value) && typeof value['value'] === 'string') texts.push(value['value']);
    for (const member of typeof value === 'object' && value !== null ? Object.values(value) : [])
      visit(member);
  };
  visit(leaf);
  return texts.every((text) => KEYWORDS.has(text) || STATUS.test(text));
}

/** An expression of a filter as it is written. */
function filterText(leaf: Node): string {
  const path = parse('$[?@]');
  const text = stringify(replaced(path, ['next', 'value', 'value', 'value'], leaf));
  return text.replace(/^\$\[\?\(?/, '').replace(/\)?\]$/, '');
}
