import type { AST } from '@eslint-community/regexpp';
import { type CharSet, charSetOf, intersects, union } from './charset';

/** The first characters of the matches of a node, and whether a match may be empty. */
interface Part {
  readonly first: CharSet;
  readonly nullable: boolean;
}

const MODES = { ignoreCase: false, multiline: false, dotAll: false };
const EMPTY: Part = { first: [], nullable: true };

/**
 * Whether a backtracking engine matches a pattern, which has no modifiers, in linear time because it never has a choice. Each
 * alternative is anchored at the start, the next character always decides the next step, and no repeated part matches the
 * empty text. (These are the one-unambiguous expressions of Brüggemann-Klein and Wood, 1998.) Returns false if that is not
 * proven.
 */
export function isDeterministic({ alternatives }: AST.Pattern): boolean {
  return alternatives.every(({ elements }) => {
    const [start, ...rest] = elements;
    if (start?.type !== 'Assertion' || start.kind !== 'start') return false;
    const end = rest.at(-1);
    if (end?.type === 'Assertion' && end.kind === 'end') rest.pop();
    return isSequenceDeterministic(rest, []);
  });
}

/** @param follow the characters that can follow the elements */
function isSequenceDeterministic(elements: readonly AST.Element[], follow: CharSet): boolean {
  let after = follow;
  return elements.toReversed().every((element) => {
    if (!isElementDeterministic(element, after)) return false;
    after = before(partOf(element), after);
    return true;
  });
}

function isElementDeterministic(node: AST.Element, follow: CharSet): boolean {
  switch (node.type) {
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
      return true;
    case 'Group':
    case 'CapturingGroup':
      return areAlternativesDeterministic(node.alternatives, follow);
    case 'Quantifier':
      return isQuantifierDeterministic(node, follow);
    case 'Assertion':
    case 'Backreference':
    case 'ExpressionCharacterClass':
      return false;
  }
}

function areAlternativesDeterministic(alternatives: readonly AST.Alternative[], follow: CharSet): boolean {
  const parts = alternatives.map(({ elements }) => sequenceOf(elements));
  if (parts.filter(({ nullable }) => nullable).length > 1) return false;
  let others: CharSet = [];
  return alternatives.every(({ elements }, i) => {
    const first = before(parts[i] ?? EMPTY, follow);
    if (intersects(first, others)) return false;
    others = union(others, first);
    return isSequenceDeterministic(elements, follow);
  });
}

function isQuantifierDeterministic({ element, min, max }: AST.Quantifier, follow: CharSet): boolean {
  if (max === 0) return true;
  const { first, nullable } = partOf(element);
  if (nullable) return false;
  if (min !== max && intersects(first, follow)) return false;
  return isElementDeterministic(element, max === 1 ? follow : union(first, follow));
}

/** The first characters of a node, and those that can follow it if its match may be empty. */
const before = ({ first, nullable }: Part, follow: CharSet) => (nullable ? union(first, follow) : first);

function partOf(node: AST.Element): Part {
  switch (node.type) {
    case 'Character':
    case 'CharacterSet':
      return { first: charSetOf(node, MODES), nullable: false };
    case 'CharacterClass':
      return node.unicodeSets ? EMPTY : { first: charSetOf(node, MODES), nullable: false };
    case 'Group':
    case 'CapturingGroup': {
      const parts = node.alternatives.map(({ elements }) => sequenceOf(elements));
      return {
        first: union(...parts.map(({ first }) => first)),
        nullable: parts.some(({ nullable }) => nullable),
      };
    }
    case 'Quantifier': {
      if (node.max === 0) return EMPTY;
      const { first, nullable } = partOf(node.element);
      return { first, nullable: nullable || node.min === 0 };
    }
    case 'Assertion':
    case 'Backreference':
    case 'ExpressionCharacterClass':
      return EMPTY;
  }
}

function sequenceOf(elements: readonly AST.Element[]): Part {
  const parts = elements.map(partOf);
  const end = parts.findIndex(({ nullable }) => !nullable);
  const leading = end < 0 ? parts : parts.slice(0, end + 1);
  return { first: union(...leading.map(({ first }) => first)), nullable: end < 0 };
}
