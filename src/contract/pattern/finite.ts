import type { AST } from '@eslint-community/regexpp';

/** The number of ways in which a backtracking engine can match a node at one position, and the total of their steps. */
interface Effort {
  readonly ways: number;
  readonly steps: number;
}

const EMPTY: Effort = { ways: 1, steps: 0 };

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
  const all = alternatives.map(({ elements }) => elements.map(effortOf).reduce(then, EMPTY));
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
  let [soFar, ways] = [EMPTY, min === 0 ? 1 : 0];
  for (let count = 1; count <= max; count++) {
    soFar = then(soFar, each);
    if (count >= min) ways += soFar.ways;
  }
  return { ways, steps: soFar.steps + max };
}
