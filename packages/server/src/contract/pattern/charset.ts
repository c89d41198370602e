import type { AST } from '@eslint-community/regexpp';

/** A set of code points: its ranges as `[first, last, first, last, ...]`, ascending, with gaps between them. */
export type CharSet = readonly number[];

/** The flags that a pattern can change for a part of itself, as in `(?i:...)` (ECMA-262 section 22.2.1). */
export interface Modes {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
}

export const NO_MODES: Modes = { ignoreCase: false, multiline: false, dotAll: false };
const LAST_CODE_POINT = 0x10ffff;
const DIGIT: CharSet = [0x30, 0x39];
const WORD: CharSet = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];
/** WhiteSpace and LineTerminator of ECMA-262 sections 12.2 and 12.3. */
const SPACE: CharSet = [
  ...[0x9, 0xd, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029],
  ...[0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff],
];
export const LINE_TERMINATOR: CharSet = [0xa, 0xa, 0xd, 0xd, 0x2028, 0x2029];

export function union(...sets: readonly CharSet[]): CharSet {
  const ranges = sets
    .flatMap((set) =>
      Array.from({ length: set.length / 2 }, (_, i) => [set[2 * i] ?? 0, set[2 * i + 1] ?? 0]),
    )
    .sort(([a = 0], [b = 0]) => a - b);
  const merged: number[] = [];
  for (const [first = 0, last = 0] of ranges) {
    const end = merged.at(-1);
    if (end === undefined || first > end + 1) merged.push(first, last);
    else merged[merged.length - 1] = Math.max(end, last);
  }
  return merged;
}

export function complement(set: CharSet): CharSet {
  const edges = [0, ...set.map((edge, i) => (i % 2 === 0 ? edge - 1 : edge + 1)), LAST_CODE_POINT];
  const ranges: number[] = [];
  for (let i = 0; i < edges.length; i += 2) {
    const [first = 0, last = -1] = [edges[i], edges[i + 1]];
    if (first <= last) ranges.push(first, last);
  }
  return ranges;
}

export function intersects(a: CharSet, b: CharSet): boolean {
  for (let [i, j] = [0, 0]; i < a.length && j < b.length;) {
    const [firstA = 0, lastA = 0, firstB = 0, lastB = 0] = [a[i], a[i + 1], b[j], b[j + 1]];
    if (firstA <= lastB && firstB <= lastA) return true;
    if (lastA < lastB) i += 2;
    else j += 2;
  }
  return false;
}

/** WordCharacters of ECMA-262 section 22.2.2.9.3. */
export const wordSet = ({ ignoreCase }: Modes): CharSet => (ignoreCase ? withCases(WORD) : WORD);

/** The code points that one character, class or escape of a pattern matches (ECMA-262 section 22.2.2.7.1). */
export function charSetOf(
  node: AST.Character | AST.CharacterSet | AST.ClassRangesCharacterClass,
  modes: Modes,
): CharSet {
  const listed = listedIn(node, modes);
  const set = modes.ignoreCase ? withCases(listed) : listed;
  return node.type === 'CharacterClass' && node.negate ? complement(set) : set;
}

/** The code points that a node lists, before the case is ignored and a class is negated. */
function listedIn(
  node: AST.Character | AST.CharacterSet | AST.ClassRangesCharacterClass,
  modes: Modes,
): CharSet {
  if (node.type === 'Character') return [node.value, node.value];
  if (node.type === 'CharacterClass') {
    const members = node.elements.map((element) =>
      element.type === 'CharacterClassRange'
        ? [element.min.value, element.max.value]
        : listedIn(element, modes),
    );
    return union(...members);
  }
  if (node.kind === 'any') return modes.dotAll ? [0, LAST_CODE_POINT] : complement(LINE_TERMINATOR);
  if (node.kind === 'property') return propertySet(node.raw);
  const set = { digit: DIGIT, word: wordSet(modes), space: SPACE }[node.kind];
  return node.negate ? complement(set) : set;
}

/** Whether a code point is a member of a set. */
export function has(set: CharSet, code: number): boolean {
  let low = 0;
  for (let high = set.length / 2; low < high;) {
    const middle = (low + high) >> 1;
    if ((set[2 * middle + 1] ?? 0) < code) low = middle + 1;
    else high = middle;
  }
  return (set[2 * low] ?? Infinity) <= code;
}

let cases: readonly (readonly number[])[] | undefined;

/** Adds the characters that differ from a member in case only. */
function withCases(set: CharSet): CharSet {
  cases ??= charactersByCase();
  const others = cases.filter((codes) => codes.some((code) => has(set, code)));
  return union(set, ...others.flat().map((code) => [code, code]));
}

/**
 * The characters with the same Canonicalize (ECMA-262 section 22.2.2.7.3): only those with the same letters can have it,
 * and the native engine tells which do, one pair at a time. It reads a pair right; it mistakes the scope of a modifier.
 */
function charactersByCase(): number[][] {
  const groups = new Map<string, number[][]>();
  for (let code = 0; code <= LAST_CODE_POINT; code++) {
    const character = String.fromCodePoint(code);
    const lower = character.toLowerCase();
    if (character.toUpperCase() === lower) continue;
    const letters = lower.toUpperCase();
    const classes = groups.get(letters) ?? [];
    const known = classes.find(([first = 0]) => isSameLetter(first, code));
    if (known) known.push(code);
    else groups.set(letters, [...classes, [code]]);
  }
  return [...groups.values()].flat().filter(({ length }) => length > 1);
}

const isSameLetter = (one: number, other: number): boolean =>
  new RegExp(`^\\u{${one.toString(16)}}$`, 'iu').test(String.fromCodePoint(other));

/** Cached property sets. */
const scanned = new Map<string, CharSet>();
const MAX_SCANNED = 500;

/** The characters of `\p{...}` or `\P{...}`, by the Unicode tables of the native engine. Takes about 0.1 s. */
function propertySet(raw: string): CharSet {
  const known = scanned.get(raw);
  if (known) return known;
  const expression = new RegExp(`^${raw}$`, 'u');
  const ranges: number[] = [];
  let inside = false;
  for (let code = 0; code <= LAST_CODE_POINT + 1; code++) {
    const matches = code <= LAST_CODE_POINT && expression.test(String.fromCodePoint(code));
    if (matches !== inside) ranges.push(matches ? code : code - 1);
    inside = matches;
  }
  if (scanned.size >= MAX_SCANNED) scanned.clear();
  scanned.set(raw, ranges);
  return ranges;
}
