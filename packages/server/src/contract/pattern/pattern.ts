/**
 * Matches the regular expressions of documents (`pattern` and the names of `patternProperties`) in time linear in the text.
 * Their semantics are those of ECMA-262 with the u flag (JSON Schema 2020-12, core, section 6.4). V8 backtracks: it takes
 * quadratic time for `\s+$`, and exponential time for `^(a+)+$`. It also extends a modifier beyond its group: `^(?i:b)?\w$`
 * accepts U+212A. So V8 matches only deterministic and finite patterns without modifiers, and an automaton matches the
 * others. Patterns with backreferences are rejected.
 */
import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';
import { compileAutomaton, type Program, UnsupportedPattern } from './automaton';
import { Matcher } from './matcher';
import { isDeterministic, isFinite } from './native';

/** A compiled pattern. */
export interface Pattern {
  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean;
  /** The pattern as a literal. ajv compares patterns by it. */
  toString(): string;
}

const parser = new RegExpParser();
const compiled = new Map<string, Pattern>();
const MAX_COMPILED = 1_000;
/** UTF-16 code units. Longer texts may exhaust the backtracking stack of V8. */
const MAX_NATIVE = 2 ** 20;

/**
 * Compiles a pattern.
 *
 * @throws {SyntaxError} if it is not a pattern of ECMA-262 with the u flag
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
  const tree = parser.parsePattern(source, 0, source.length, { unicode: true });
  const toString = () => `/${source}/u`;
  const native = nativeOf(source, tree);
  if (!native) {
    const matcher = new Matcher(compileAutomaton(tree));
    return { test: (text) => matcher.test(text), toString };
  }
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

/**
 * What matches a pattern in linear time outside of this server: the pattern itself by a regular expression with the u flag, or
 * its automaton.
 *
 * @throws {SyntaxError} as `compilePattern` does
 * @throws {UnsupportedPattern} as `compilePattern` does
 */
export function linearPattern(source: string): string | Program {
  const tree = parser.parsePattern(source, 0, source.length, { unicode: true });
  return nativeOf(source, tree) ? source : compileAutomaton(tree);
}

/** Returns undefined if V8 would not match the pattern right and in linear time. */
function nativeOf(source: string, tree: AST.Pattern): RegExp | undefined {
  if (hasModifiers(tree) || (!isFinite(tree) && !isDeterministic(tree))) return undefined;
  try {
    const native = new RegExp(source, 'u');
    native.test('\u{10ffff}'); // V8 compiles a pattern at its first use, and throws if it is too large
    return native;
  } catch {
    return undefined; // too large, or newer than this V8
  }
}

function hasModifiers(tree: AST.Pattern): boolean {
  let found = false;
  visitRegExpAST(tree, { onModifiersEnter: () => (found = true) });
  return found;
}

/** Returns undefined if the automaton would be too large. */
function matcherOf(tree: AST.Pattern): Matcher | undefined {
  try {
    return new Matcher(compileAutomaton(tree));
  } catch (error) {
    if (error instanceof UnsupportedPattern) return undefined;
    throw error;
  }
}
