import type { AST } from '@eslint-community/regexpp';
import { type CharSet, charSetOf, LINE_TERMINATOR, type Modes, NO_MODES, wordSet } from './charset';

/** Operations of a nondeterministic automaton. */
export const READ = 0; // reads a character of the set `operand`, continues at `next`
export const SPLIT = 1; // continues at `next` and at `operand`
export const ASSERT = 2; // continues at `next` if the assertion `operand` holds
export const MATCH = 3;

export interface Node {
  readonly operation: typeof READ | typeof SPLIT | typeof ASSERT | typeof MATCH;
  next: number;
  readonly operand: number;
}

/** A condition on a position between two characters of a text. */
export type Assertion =
  /** At the edge of the text or, if `lines` is given, beside a character of that set. */
  | { readonly kind: 'start' | 'end'; readonly lines: number | undefined }
  | { readonly kind: 'word'; readonly negate: boolean; readonly word: number }
  /** At the begin of a match of the nodes from `start` (read backward), or at its end (read forward). */
  | { readonly kind: 'look'; readonly negate: boolean; readonly start: number; readonly backward: boolean };

/** A pattern as a nondeterministic automaton (Thompson's construction), with the automata of its lookarounds. */
export interface Program {
  readonly nodes: readonly Node[];
  readonly start: number;
  /** Each refers only to sets and to assertions before it. */
  readonly assertions: readonly Assertion[];
  readonly sets: readonly CharSet[];
}

/** A pattern that this server cannot match. The message has the reason. */
export class UnsupportedPattern extends Error {
  override name = 'UnsupportedPattern';
}

/** The maximum number of nodes. Each character takes time linear in it at worst. */
const MAX_NODES = 1_000;
const MAX_OUTLINE = 10_000;
/** A set of assertions is the bits of a 32-bit integer. */
const MAX_ASSERTIONS = 31;

/**
 * Compiles a pattern to an automaton.
 *
 * @throws {UnsupportedPattern} if the pattern has a backreference or is too large
 */
export const compileAutomaton = ({ alternatives }: AST.Pattern): Program =>
  build(alternatives.map(shortest), MAX_NODES);

/**
 * Compiles a pattern to an automaton in which a part is repeated at most twice where it must be, and twice more where it
 * may be. The same characters can follow each other in it, but not as often.
 *
 * @throws {UnsupportedPattern} if the pattern has a backreference or is too large
 */
export const compileOutline = ({ alternatives }: AST.Pattern): Program => build(alternatives, MAX_OUTLINE, 2);

function build(alternatives: readonly AST.Alternative[], size: number, repeats = Infinity): Program {
  const builder = new Builder(size, repeats);
  const start = builder.alternatives(alternatives, builder.match, NO_MODES, false);
  return { nodes: builder.nodes, start, assertions: builder.assertions, sets: builder.sets };
}

/**
 * Reduces the repetitions at both ends of an alternative of the whole pattern to their minimum: a text has a match of
 * `a{1,2000}b` exactly if it has one of `ab`.
 */
function shortest(alternative: AST.Alternative): AST.Alternative {
  const edges = [0, alternative.elements.length - 1];
  const elements = alternative.elements.map((element, i) =>
    element.type === 'Quantifier' && edges.includes(i) ? { ...element, max: element.min } : element,
  );
  return { ...alternative, elements };
}

/** Each method adds the nodes of a part of the pattern before the node `next`, and returns the first of them. */
class Builder {
  readonly nodes: Node[] = [{ operation: MATCH, next: 0, operand: 0 }];
  readonly match = 0;
  readonly assertions: Assertion[] = [];
  readonly sets: CharSet[] = [];
  /** Equal sets share an index, and so do equal assertions and the copies of a repeated part. */
  private readonly setsByRanges = new Map<string, number>();
  private readonly edges = new Map<string, number>();
  private readonly indices = new Map<AST.Node, number>();

  constructor(
    private readonly size: number,
    private readonly repeats: number,
  ) {}

  alternatives(all: readonly AST.Alternative[], next: number, modes: Modes, backward: boolean): number {
    const starts = all.map(({ elements }) => {
      const ordered = backward ? elements : elements.toReversed();
      return ordered.reduce((after, element) => this.element(element, after, modes, backward), next);
    });
    return starts.reduceRight((others, start) => this.add(SPLIT, start, others));
  }

  private add(operation: Node['operation'], next: number, operand: number): number {
    if (this.nodes.length >= this.size) {
      throw new UnsupportedPattern(
        'is too large to be matched in linear time: it repeats too much too often',
      );
    }
    return this.nodes.push({ operation, next, operand }) - 1;
  }

  private element(node: AST.Element, next: number, modes: Modes, backward: boolean): number {
    switch (node.type) {
      case 'Character':
      case 'CharacterSet':
        return this.read(node, next, modes);
      case 'CharacterClass':
        if (node.unicodeSets) throw new UnsupportedPattern('has a class of the v flag');
        return this.read(node, next, modes);
      case 'CapturingGroup':
        return this.alternatives(node.alternatives, next, modes, backward);
      case 'Group':
        return this.alternatives(node.alternatives, next, changed(modes, node.modifiers), backward);
      case 'Quantifier':
        return this.quantifier(node, next, modes, backward);
      case 'Assertion':
        return this.add(ASSERT, next, this.assertion(node, modes));
      case 'Backreference':
        throw new UnsupportedPattern(
          `has the backreference ${node.raw}, which cannot be matched in linear time: write the pattern without`,
        );
      case 'ExpressionCharacterClass':
        throw new UnsupportedPattern('has a class of the v flag');
    }
  }

  private read(node: Parameters<typeof charSetOf>[0], next: number, modes: Modes): number {
    const index = this.indices.get(node) ?? this.set(charSetOf(node, modes));
    this.indices.set(node, index);
    return this.add(READ, next, index);
  }

  private quantifier(
    { element, min, max }: AST.Quantifier,
    next: number,
    modes: Modes,
    backward: boolean,
  ): number {
    let start = next;
    if (max === Infinity) {
      start = this.add(SPLIT, next, next);
      const loop = this.nodes[start];
      if (loop) loop.next = this.element(element, start, modes, backward);
    } else {
      for (let i = 0; i < Math.min(max - min, this.repeats); i++) {
        start = this.add(SPLIT, this.element(element, start, modes, backward), next);
      }
    }
    for (let i = 0; i < Math.min(min, this.repeats); i++) {
      const before = this.element(element, start, modes, backward);
      if (before === start) break; // the element matches only the empty text
      start = before;
    }
    return start;
  }

  private assertion(node: AST.Assertion, modes: Modes): number {
    const known = this.indices.get(node);
    if (known !== undefined) return known;
    const assertion = this.describe(node, modes);
    const key = assertion.kind === 'look' ? undefined : JSON.stringify(assertion);
    const equal = key === undefined ? undefined : this.edges.get(key);
    const index = equal ?? this.assertions.push(assertion) - 1;
    if (index >= MAX_ASSERTIONS) throw new UnsupportedPattern(`has more than ${MAX_ASSERTIONS} assertions`);
    if (key !== undefined) this.edges.set(key, index);
    this.indices.set(node, index);
    return index;
  }

  private describe(node: AST.Assertion, modes: Modes): Assertion {
    switch (node.kind) {
      case 'start':
      case 'end':
        return { kind: node.kind, lines: modes.multiline ? this.set(LINE_TERMINATOR) : undefined };
      case 'word':
        return { kind: 'word', negate: node.negate, word: this.set(wordSet(modes)) };
      case 'lookahead':
      case 'lookbehind': {
        const backward = node.kind === 'lookahead';
        const start = this.alternatives(node.alternatives, this.match, modes, backward);
        return { kind: 'look', negate: node.negate, start, backward };
      }
    }
  }

  private set(set: CharSet): number {
    const key = set.join();
    const index = this.setsByRanges.get(key) ?? this.sets.push(set) - 1;
    this.setsByRanges.set(key, index);
    return index;
  }
}

function changed(modes: Modes, modifiers: AST.Modifiers | null): Modes {
  if (!modifiers) return modes;
  const { add, remove } = modifiers;
  const mode = (name: keyof Modes) => (modes[name] || add[name]) && remove?.[name] !== true;
  return { ignoreCase: mode('ignoreCase'), multiline: mode('multiline'), dotAll: mode('dotAll') };
}
