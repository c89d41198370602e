/** Decides which patterns V8, which backtracks, matches in time linear in the text. */
import type { AST } from '@eslint-community/regexpp';
import {
  ASSERT,
  compileOutline,
  MATCH,
  type Node,
  type Program,
  READ,
  SPLIT,
  UnsupportedPattern,
} from './automaton';
import { type CharSet, intersects, union } from './charset';

/**
 * Whether V8 matches a pattern, which has no modifiers, in linear time because it never has a choice. Each alternative is
 * anchored at the start, and the next character always decides the next step. (These are the one-unambiguous expressions of
 * Brüggemann-Klein and Wood, 1998.) Returns false if that is not proven.
 */
export function isDeterministic(pattern: AST.Pattern): boolean {
  try {
    return neverChooses(compileOutline(pattern));
  } catch (error) {
    if (error instanceof UnsupportedPattern) return false;
    throw error;
  }
}

function neverChooses({ nodes, start, assertions, sets }: Program): boolean {
  /** The nodes that one leads to before a character is read; undefined if two ways lead to the same. */
  const reached = (first: number): Node[] | undefined => {
    const visited = new Set<number>();
    const found: Node[] = [];
    for (const pending = [first]; pending.length > 0;) {
      const at = pending.pop() ?? first;
      const node = nodes[at];
      if (!node || visited.has(at)) return undefined;
      visited.add(at);
      if (node.operation === SPLIT) pending.push(node.next, node.operand);
      else found.push(node);
    }
    return found;
  };
  const isAssertion = (kind: 'start' | 'end', { operation, operand }: Node) =>
    operation === ASSERT && assertions[operand]?.kind === kind;

  const anchors = reached(start);
  if (!anchors?.every((node) => isAssertion('start', node))) return false;
  const places = new Set(anchors.map(({ next }) => next));
  for (const place of places) {
    const choices = reached(place);
    let others: CharSet = [];
    const decided = choices?.every((node) => {
      if (node.operation === MATCH) return true;
      if (isAssertion('end', node)) return nodes[node.next]?.operation === MATCH;
      const set = sets[node.operand] ?? [];
      if (node.operation !== READ || intersects(set, others)) return false;
      others = union(others, set);
      places.add(node.next);
      return true;
    });
    if (decided !== true) return false;
  }
  return true;
}

/** The number of ways in which a backtracking engine can match a node at one position, and the total of their steps. */
interface Effort {
  readonly ways: number;
  readonly steps: number;
}

const NOTHING: Effort = { ways: 1, steps: 0 };

/** The maximum number of steps at one position. */
const MAX_STEPS = 30;
const MAX_STEPS_ANCHORED = 10_000;
/** Assertions that V8 also tests between the halves of a surrogate pair: `\B` matches in `a😀a`. */
const POSITIONS = /\\b|\(\?<?[=!]/i;

/**
 * Whether a backtracking engine matches a pattern in linear time because it is finite: at each position of a text, all ways
 * to match take a bounded number of steps. Lists of words are finite.
 */
export function isFinite({ alternatives, raw }: AST.Pattern): boolean {
  const { steps } = effortOfAny(alternatives);
  const anchored = alternatives.every(
    ({ elements: [first] }) => first?.type === 'Assertion' && first.kind === 'start',
  );
  return anchored ? steps <= MAX_STEPS_ANCHORED : steps <= MAX_STEPS && !POSITIONS.test(raw);
}

function effortOfAny(alternatives: readonly AST.Alternative[]): Effort {
  const all = alternatives.map(({ elements }) => elements.map(effortOf).reduce(then, NOTHING));
  return all.reduce((a, b) => ({ ways: a.ways + b.ways, steps: a.steps + b.steps }));
}

/** The effort of a sequence: `b` is tried after each way of `a`. */
const then = (a: Effort, b: Effort): Effort => ({
  ways: a.ways * b.ways,
  steps: a.steps + (b.steps === 0 ? 0 : a.ways * b.steps),
});

function effortOf(node: AST.Element): Effort {
  switch (node.type) {
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
      return { ways: 1, steps: 1 };
    case 'Group':
    case 'CapturingGroup':
      return effortOfAny(node.alternatives);
    case 'Assertion':
      if (node.kind !== 'lookahead' && node.kind !== 'lookbehind') return { ways: 1, steps: 1 };
      return { ways: 1, steps: effortOfAny(node.alternatives).steps + 1 };
    case 'Quantifier':
      return effortOfQuantifier(node);
    case 'Backreference':
    case 'ExpressionCharacterClass':
      return { ways: Infinity, steps: Infinity };
  }
}

function effortOfQuantifier({ element, min, max }: AST.Quantifier): Effort {
  const each = effortOf(element);
  if (max > MAX_STEPS_ANCHORED) return { ways: Infinity, steps: Infinity };
  let [soFar, ways] = [NOTHING, min === 0 ? 1 : 0];
  for (let count = 1; count <= max; count++) {
    soFar = then(soFar, each);
    if (count >= min) ways += soFar.ways;
  }
  return { ways, steps: soFar.steps + max };
}
