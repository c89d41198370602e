import { type AST, RegExpParser } from '@eslint-community/regexpp';

const parser = new RegExpParser();

/** Escapes of the u flag too, which stay as they are written. `\0` does not: a digit may follow it. */
const PLAIN_ESCAPE = /^\\(?:[tnvfr]|c[A-Za-z]|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4})$/;
/** What the u flag alone gives a meaning: as an Annex B pattern, `\p{L}` is the text `p{L}`. */
const UNICODE_ESCAPE = /(?<!\\)(?:\\\\)*\\(?:p\{|P\{|u\{)/;

/**
 * Writes a pattern of ECMA-262 Annex B (section B.1.2), such as `\_` or `a{`, as one with the u flag. OpenAPI 3.0 does not
 * ask for the flag, and JSON Schema 2020-12 only recommends it (core, section 6.4). Characters are code points all the same.
 *
 * @returns the pattern itself if it has the syntax of the u flag; undefined if it has neither, or mixes both
 */
export function unicodePattern(source: string): string | undefined {
  if (parses(source, true)) return source;
  if (UNICODE_ESCAPE.test(source)) return undefined;
  const tree = parses(source, false);
  const written = tree && alternatives(tree.alternatives);
  return written !== undefined && parses(written, true) ? written : undefined;
}

function parses(source: string, unicode: boolean): AST.Pattern | undefined {
  try {
    return parser.parsePattern(source, 0, source.length, { unicode });
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const alternatives = (all: readonly AST.Alternative[]): string =>
  all.map(({ elements }) => elements.map(element).join('')).join('|');

function element(node: AST.Element): string {
  switch (node.type) {
    case 'Character':
      return character(node, /[$()*+./?[\\\]^{|}]/);
    case 'CharacterClass':
      return node.unicodeSets ? node.raw : `[${node.negate ? '^' : ''}${node.elements.map(member).join('')}]`;
    case 'CapturingGroup':
      return `(${node.name === null ? '' : `?<${node.name}>`}${alternatives(node.alternatives)})`;
    case 'Group':
      return `(?${node.modifiers?.raw ?? ''}:${alternatives(node.alternatives)})`;
    case 'Quantifier': {
      const quantifier = node.raw.slice(node.element.end - node.start);
      // The u flag repeats no lookahead.
      const repeated = element(node.element);
      return (node.element.type === 'Assertion' ? `(?:${repeated})` : repeated) + quantifier;
    }
    case 'Assertion':
      return node.kind === 'lookahead' || node.kind === 'lookbehind'
        ? `(?${node.kind === 'lookbehind' ? '<' : ''}${node.negate ? '!' : '='}${alternatives(node.alternatives)})`
        : node.raw;
    case 'Backreference':
      return `(?:${node.raw})`; // a digit may follow
    case 'CharacterSet':
    case 'ExpressionCharacterClass':
      return node.raw;
  }
}

function member(node: AST.ClassRangesCharacterClassElement): string {
  switch (node.type) {
    case 'Character':
      return character(node, /[-\\\]^]/);
    case 'CharacterClassRange':
      return `${member(node.min)}-${member(node.max)}`;
    case 'CharacterSet':
      return node.raw;
  }
}

function character({ raw, value }: AST.Character, syntax: RegExp): string {
  if (PLAIN_ESCAPE.test(raw)) return raw;
  const text = String.fromCodePoint(value);
  if (value < 0x20) return `\\x${value.toString(16).padStart(2, '0')}`;
  return syntax.test(text) ? `\\${text}` : text;
}
