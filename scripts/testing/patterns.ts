import fc from 'fast-check';

/** A pattern, and one without modifiers that matches the same texts: V8 extends modifiers beyond their group. */
export interface GeneratedPattern {
  readonly source: string;
  readonly plain: string;
}

type Mode = 'i' | 'm' | 's';
type Modes = Readonly<Record<Mode, boolean>>;
type Make = (modes: Modes) => GeneratedPattern;

/** Characters of different classes: cases, word characters, space, line terminators, outside the BMP, halves of pairs. */
const CHARACTERS = [
  ...[
    'a',
    'b',
    'B',
    'k',
    'K',
    '\u212a',
    's',
    'ſ',
    'σ',
    'ς',
    'Σ',
    'ß',
    'ẞ',
    'µ',
    'μ',
    'é',
    '\u0301',
    '𝔘',
    '😀',
  ],
  ...['1', '_', '-', ' ', '\n', '\r', '\u2028', '\ud83d', '\ude00'],
];
const ATOMS = [
  ...['a', 'b', 'k', 'K', 'ſ', 'σ', 'ß', 'µ', 'é', '😀', '\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\n'],
  ...['\\u{1F600}', '\\ud835\\udd18', '\\u212a', '\\ud83d', '\\ude00', '[ab]', '[^ab]', '[a-z1_]', '[^k]'],
  ...['[^\\w]', '[^\\W]', '[\\W_]', '[\\s\\S]', '[]', '[^]', '\\p{Lu}', '\\P{Lu}', '\\P{L}', '[\\p{L}-]'],
  ...['[^\\P{L}a]', '[^\\P{Lu}]', '[\\ud83d-\\ude00]', '\\p{Script=Greek}'],
];
const QUANTIFIERS = ['*', '+', '?', '*?', '+?', '??', '{0}', '{2}', '{1,}', '{0,2}', '{1,3}?'];
const GROUPS = ['(', '(?:', '(?<name>'];
const MODIFIERS = ['i', 'm', 's', '-i', '-m', '-s', 'im', 'i-s', 's-im', 'ims', '-ims'];
const LOOKAROUNDS = ['(?=', '(?!', '(?<=', '(?<!'];
const LINE = '[\\n\\r\\u2028\\u2029]';
/** WordCharacters with the flags u and i (ECMA-262 section 22.2.2.9.3). */
const WORD = '[\\w\\u017f\\u212a]';

const asIs =
  (source: string): Make =>
  () => ({ source, plain: source });

/** The characters of the texts that an atom matches without regard to case, as a class. */
const listed = new Map<string, string>();
function withoutCase(atom: string): string {
  const known = listed.get(atom);
  if (known !== undefined) return known;
  const matched = CHARACTERS.filter((character) => new RegExp(`^${atom}$`, 'iu').test(character));
  const codes = matched.map((character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
  listed.set(atom, `[${codes.join('')}]`);
  return `[${codes.join('')}]`;
}
const atom =
  (source: string): Make =>
  ({ i }) => ({ source, plain: i ? withoutCase(source) : source });
const any: Make = ({ s }) => ({ source: '.', plain: s ? '[^]' : '.' });
const single = fc.constantFrom(any, ...ATOMS.map(atom));
const ASSERTIONS: readonly Make[] = [
  ({ m }) => ({ source: '^', plain: m ? `(?<=^|${LINE})` : '^' }),
  ({ m }) => ({ source: '$', plain: m ? `(?=$|${LINE})` : '$' }),
  ({ i }) => ({ source: '\\b', plain: i ? `(?:(?<=${WORD})(?!${WORD})|(?<!${WORD})(?=${WORD}))` : '\\b' }),
  ({ i }) => ({ source: '\\B', plain: i ? `(?:(?<=${WORD})(?=${WORD})|(?<!${WORD})(?!${WORD}))` : '\\B' }),
];

function joined(parts: readonly Make[], separator = ''): Make {
  return (modes) => {
    const made = parts.map((part) => part(modes));
    const join = (form: keyof GeneratedPattern) => made.map((part) => part[form]).join(separator);
    return { source: join('source'), plain: join('plain') };
  };
}

function modified(modifiers: string, inner: Make): Make {
  const [on = '', off = ''] = modifiers.split('-');
  return (modes) => {
    const mode = (name: Mode) => (modes[name] || on.includes(name)) && !off.includes(name);
    const { source, plain } = inner({ i: mode('i'), m: mode('m'), s: mode('s') });
    return { source: `(?${modifiers}:${source})`, plain: `(?:${plain})` };
  };
}

/** Patterns of the whole grammar of ECMA-262 with the u flag, except backreferences. */
export const patterns = (withModifiers: boolean): fc.Arbitrary<GeneratedPattern> => {
  const { alternatives } = fc.letrec<{ alternatives: Make; term: Make; group: Make }>((tie) => {
    const group = (openings: readonly string[]) =>
      fc
        .tuple(fc.constantFrom(...openings), tie('alternatives'))
        .map(([opening, inner]) => joined([asIs(opening), inner, asIs(')')]));
    const quantifiable = fc.oneof({ weight: 3, arbitrary: single }, tie('group'));
    return {
      alternatives: fc
        .array(
          fc.array(tie('term'), { maxLength: 4 }).map((terms) => joined(terms)),
          { minLength: 1, maxLength: 3 },
        )
        .map((all) => joined(all, '|')),
      group: withModifiers
        ? fc.oneof(
            group(GROUPS),
            fc
              .tuple(fc.constantFrom(...MODIFIERS), tie('alternatives'))
              .map(([modifiers, inner]) => modified(modifiers, inner)),
          )
        : group(GROUPS),
      term: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        single,
        fc.constantFrom(...ASSERTIONS),
        fc
          .tuple(quantifiable, fc.constantFrom(...QUANTIFIERS))
          .map(([part, quantifier]) => joined([part, asIs(quantifier)])),
        tie('group'),
        group(LOOKAROUNDS),
      ),
    };
  });
  return alternatives.map((make) => {
    const made = make({ i: false, m: false, s: false });
    // The name of a group must be unique.
    const named = (text: string) => {
      let names = 0;
      return text.replace(/\?<name>/g, () => `?<name${++names}>`);
    };
    return { source: named(made.source), plain: named(made.plain) };
  });
};

export const texts = fc
  .array(fc.constantFrom(...CHARACTERS), { maxLength: 7 })
  .map((parts) => parts.join(''));

/**
 * Matches by V8 at each position of ECMA-262 section 22.2.7.2. V8 itself also searches between the halves of a surrogate
 * pair: there `\B` matches in `a😀a`, although that is no position between characters.
 */
export function nativePattern(source: string) {
  const native = new RegExp(source, 'uy');
  const test = (text: string): boolean => {
    let at = 0;
    return [...Array.from(text), ''].some((character) => {
      native.lastIndex = at;
      at += character.length;
      return native.test(text);
    });
  };
  return { test };
}
