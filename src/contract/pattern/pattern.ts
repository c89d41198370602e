/**
 * Regular expressions of documents: `pattern` and the names of `patternProperties`. They mean what ECMA-262 with the u
 * flag says (JSON Schema 2020-12 section 6.4), and are matched in time linear in the text. V8 backtracks: it takes
 * quadratic time for `\s+$`, exponential time for `^(a+)+$`. So it is given only those patterns in which it never has a
 * choice, or few ways to go; an automaton matches the others. A pattern with a backreference is no regular expression, and
 * is refused.
 */
import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { compileAutomaton, UnsupportedPattern } from './automaton';
import { isDeterministic } from './deterministic';
import { isFinite } from './finite';
import { Matcher } from './matcher';

/** A compiled pattern. */
export interface Pattern {
  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean;
  /** The pattern as a literal, by which ajv tells patterns apart. */
  toString(): string;
}

const parser = new RegExpParser();
const compiled = new Map<string, Pattern>();
const MAX_COMPILED = 1_000;
/** Code units. V8 keeps each way not taken on a stack, which some million of them exhaust. */
const MAX_NATIVE = 2 ** 20;

/**
 * Compiles a pattern.
 *
 * @throws {SyntaxError} if it is no pattern of ECMA-262 with the u flag
 * @throws {UnsupportedPattern} if it cannot be matched in linear time
 */
export function compilePattern(source: string): Pattern {
  const known = compiled.get(source);
  if (known) return known;
  const pattern = compile(source);
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  compiled.set(source, pattern);
  return pattern;
}

function compile(source: string): Pattern {
  const native = new RegExp(source, 'u');
  const tree = parser.parsePattern(source, 0, source.length, { unicode: true });
  const toString = () => String(native);
  if (!isFinite(tree) && !isDeterministic(tree)) {
    const matcher = new Matcher(compileAutomaton(tree));
    return { test: (text) => matcher.test(text), toString };
  }
  native.test('\u{10ffff}'); // V8 compiles a pattern only now, and throws if it is too large
  let matcher: Pick<Pattern, 'test'> | undefined;
  return {
    test: (text) => {
      if (text.length <= MAX_NATIVE) return native.test(text);
      matcher ??= matcherOf(tree) ?? native;
      return matcher.test(text);
    },
    toString,
  };
}

/** Undefined if the automaton would be too large. */
function matcherOf(tree: AST.Pattern): Matcher | undefined {
  try {
    return new Matcher(compileAutomaton(tree));
  } catch (error) {
    if (error instanceof UnsupportedPattern) return undefined;
    throw error;
  }
}
