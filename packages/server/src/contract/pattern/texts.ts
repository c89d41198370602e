import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { UnsupportedPattern } from './automaton';
import { charSetOf, has, NO_MODES } from './charset';
import { compilePattern } from './pattern';

const parser = new RegExpParser();
/** Preferred characters, in this order. */
const READABLE =
  'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_. @/:+#,;!?()=&%$*~\'"<>[]{}\\^`|';
/** The attempts with one choice for all places of a pattern, for each number of repetitions; then those with random ones. */
const [VARIANTS, RANDOM] = [12, 1_000];
/** The greatest number of repetitions that is tried, and the UTF-16 code units of a text. */
const [MAX_REPEATS, MAX_LENGTH] = [1_000, 20_000];
/** The parts of patterns that all attempts write, and the UTF-16 code units that are tested. */
const MAX_WORK = 1_000_000;

/** The bounds of a length, in code points. */
export interface Lengths {
  readonly least: number;
  readonly most: number;
}

/**
 * Different texts that match all patterns, the same ones on each call, simple ones first. They are candidates from the syntax
 * of the patterns: so few or none may be found although there are some. A pattern that cannot be matched in linear
 * time, as one with a backreference, is not tested: its texts may not match.
 *
 * @param count the greatest number of texts
 * @param seed makes random choices only, others for another seed; by default the first choices are systematic
 * @throws {SyntaxError} if a pattern is not one of ECMA-262 with the u flag
 */
export function textsMatching(
  patterns: readonly string[],
  { least, most }: Lengths,
  count: number,
  seed?: number,
): readonly string[] {
  const tests = patterns.map(testOf);
  const found = new Set<string>();
  const work: Work = { left: MAX_WORK };
  for (const pattern of patterns) {
    for (const text of candidates(pattern, least, work, seed)) {
      work.left -= text.length;
      if (found.size >= count || work.left < 0) break;
      const length = text.length <= 2 * most ? Array.from(text).length : Infinity;
      if (length < least || length > most || !text.isWellFormed()) continue;
      if (tests.every((test) => test(text))) found.add(text);
    }
  }
  return [...found];
}

interface Work {
  left: number;
}

function testOf(pattern: string): (text: string) => boolean {
  try {
    const compiled = compilePattern(pattern);
    return (text) => compiled.test(text);
  } catch (error) {
    if (error instanceof UnsupportedPattern) return () => true;
    throw error;
  }
}

/** Texts like a pattern. Assertions about the text before and after are not evaluated. */
function* candidates(
  pattern: string,
  least: number,
  work: Work,
  seed: number | undefined,
): Generator<string> {
  const { alternatives } = parser.parsePattern(pattern, 0, pattern.length, { unicode: true });
  const counts = [...pattern.matchAll(/\d+/g)].map(Number).flatMap((n) => [n, n - 1]);
  const longer = Array.from({ length: Math.min(Math.max(least, 8), MAX_REPEATS) }, (_, i) => i + 2);
  const repeats = [...new Set([1, 0, ...counts.filter((n) => n >= 0 && n <= MAX_REPEATS), ...longer])];
  for (const repeat of seed === undefined ? repeats : []) {
    if (work.left < 0) return;
    for (let variant = 0; variant < VARIANTS; variant++) {
      for (const looks of [true, false]) {
        const text = new Writer(
          work,
          (n) => variant % n,
          () => repeat,
          looks,
        ).alternatives(alternatives);
        if (text === undefined) continue;
        yield text;
        const missing = Math.max(0, least - Array.from(text).length);
        if (missing > 0)
          yield* [text.padEnd(text.length + missing, 'x'), text.padStart(text.length + missing, 'x')];
      }
    }
  }
  let state = 1 + ((seed ?? 0) % 0x7ffffffe);
  const choose = (n: number) => {
    state = (state * 48_271) % 0x7fffffff; // the generator of Park and Miller
    return state % n;
  };
  for (let i = 0; i < RANDOM && work.left >= 0; i++) {
    const repeat = () => repeats[choose(Math.min(repeats.length, 12))] ?? 1;
    const text = new Writer(work, choose, repeat, i % 2 === 0).alternatives(alternatives);
    // With text around it: `\\B` demands some.
    if (text !== undefined) yield* [text, `x${text}x`];
  }
}

/** Each method returns undefined if a part matches no text, or if the text becomes too long. */
class Writer {
  private readonly captured = new Map<AST.CapturingGroup, string>();

  constructor(
    private readonly work: Work,
    /** Chooses one of a number of characters or alternatives. */
    private readonly choose: (count: number) => number,
    /** How often a part is repeated that may be. */
    private readonly repeats: () => number,
    /** Whether to write the text that a lookaround demands in its place. */
    private readonly looks: boolean,
  ) {}

  alternatives(all: readonly AST.Alternative[]): string | undefined {
    const chosen = all[this.choose(all.length)];
    return this.all((chosen?.elements ?? []).values());
  }

  private all(elements: Iterable<AST.Element>): string | undefined {
    let text = '';
    for (const element of elements) {
      const part = this.element(element);
      if (part === undefined || text.length + part.length > MAX_LENGTH) return undefined;
      text += part;
    }
    return text;
  }

  private element(element: AST.Element): string | undefined {
    if (this.work.left-- < 0) return undefined;
    switch (element.type) {
      case 'Group':
        return this.alternatives(element.alternatives);
      case 'CapturingGroup': {
        const text = this.alternatives(element.alternatives);
        if (text !== undefined) this.captured.set(element, text);
        return text;
      }
      case 'Assertion': {
        const looks = element.kind === 'lookahead' || element.kind === 'lookbehind';
        return looks && this.looks && !element.negate ? this.alternatives(element.alternatives) : '';
      }
      case 'Quantifier': {
        const count = Math.min(element.max, Math.max(element.min, this.repeats()));
        return count > MAX_LENGTH ? undefined : this.all(Array<AST.Element>(count).fill(element.element));
      }
      case 'Character':
      case 'CharacterSet':
      case 'CharacterClass': {
        const characters = charactersOf(element);
        return characters[this.choose(Math.max(characters.length, 1))];
      }
      case 'Backreference':
        return (
          [element.resolved]
            .flat()
            .map((group) => this.captured.get(group))
            .find((text) => text !== undefined) ?? ''
        );
      case 'ExpressionCharacterClass':
        return undefined;
    }
  }
}

const characters = new WeakMap<AST.Node, readonly string[]>();

/** The readable members of a set, else one of its members. */
function charactersOf(node: AST.Character | AST.CharacterSet | AST.CharacterClass): readonly string[] {
  const known = characters.get(node);
  if (known) return known;
  const set = node.type === 'CharacterClass' && node.unicodeSets ? [] : charSetOf(node, NO_MODES);
  const readable = READABLE.split('').filter((character) => has(set, character.codePointAt(0) ?? 0));
  const [first] = set;
  const found = readable.length > 0 || first === undefined ? readable : [String.fromCodePoint(first)];
  characters.set(node, found);
  return found;
}
