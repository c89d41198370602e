import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { type CharSet, charSetOf } from '../pattern/charset';

const parser = new RegExpParser();
const MODES = { ignoreCase: false, multiline: false, dotAll: false };
/** Preferred characters, in this order. */
const READABLE =
  'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_. @/:+#,;!?()=&%$*~\'"<>[]{}\\^`|';
/** How many different characters and alternatives are tried. */
const VARIANTS = 12;
/** UTF-16 code units of a candidate. */
const MAX_LENGTH = 20_000;

/**
 * Candidates for a text that a pattern matches, from its syntax tree: the caller tests them. Each variant chooses other
 * characters and alternatives. Assertions about the text before and after are not evaluated: a text that a lookahead demands
 * is written in its place.
 *
 * @param least the wanted length in code points
 */
export function* textsLike(source: string, least: number): Generator<string> {
  const tree = parser.parsePattern(source, 0, source.length, { unicode: true });
  const repeats = [1, 0, ...Array.from({ length: Math.min(Math.max(least, 8), 1_000) }, (_, i) => i + 2)];
  for (const repeat of repeats) {
    for (let variant = 0; variant < VARIANTS; variant++) {
      const text = new Writer(variant, repeat).alternatives(tree.alternatives);
      if (text === undefined) continue;
      yield text;
      const missing = Math.max(0, least - Array.from(text).length);
      if (missing > 0)
        yield* [text.padEnd(text.length + missing, 'x'), text.padStart(text.length + missing, 'x')];
    }
  }
}

/** Each method returns undefined if a part matches no text, or if the text becomes too long. */
class Writer {
  constructor(
    private readonly variant: number,
    /** How often a part is repeated that may be. */
    private readonly repeat: number,
  ) {}

  alternatives(all: readonly AST.Alternative[]): string | undefined {
    const chosen = all[this.variant % all.length];
    let text = '';
    for (const element of chosen?.elements ?? []) {
      const part = this.element(element);
      if (part === undefined || text.length + part.length > MAX_LENGTH) return undefined;
      text += part;
    }
    return text;
  }

  private element(element: AST.Element): string | undefined {
    switch (element.type) {
      case 'Group':
      case 'CapturingGroup':
        return this.alternatives(element.alternatives);
      case 'Assertion':
        return element.kind === 'lookahead' && !element.negate ? this.alternatives(element.alternatives) : '';
      case 'Quantifier': {
        const count = Math.min(element.max, Math.max(element.min, this.repeat));
        const part = this.element(element.element);
        return part === undefined || part.length * count > MAX_LENGTH ? undefined : part.repeat(count);
      }
      case 'Character':
      case 'CharacterSet':
        return this.character(charSetOf(element, MODES));
      case 'CharacterClass':
        return element.unicodeSets ? undefined : this.character(charSetOf(element, MODES));
      case 'ExpressionCharacterClass':
      case 'Backreference':
        return undefined;
    }
  }

  private character(set: CharSet): string | undefined {
    const readable = READABLE.split('').filter((character) => has(set, character.codePointAt(0) ?? 0));
    const [first] = set;
    return (
      readable[this.variant % readable.length] ??
      (first === undefined ? undefined : String.fromCodePoint(first))
    );
  }
}

const has = (set: CharSet, code: number): boolean =>
  set.some((first, i) => i % 2 === 0 && first <= code && code <= (set[i + 1] ?? first));
