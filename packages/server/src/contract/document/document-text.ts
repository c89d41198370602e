import { joinPointer, type JsonObject } from './json-pointer';

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const LARGE = /^-?\d{16,}$/;

/** Whether a literal is an integer that a double may not represent: 16 digits or more. */
export const isLargeInteger = (literal: string): boolean => LARGE.test(literal);

/** The number literals of a JSON text, each with its offset. */
export function* numberLiterals(text: string): Generator<readonly [literal: string, offset: number]> {
  for (const { 0: literal, index } of text.matchAll(STRING_OR_NUMBER)) {
    if (!literal.startsWith('"')) yield [literal, index];
  }
}

/**
 * Parses the JSON text of a document. Integers beyond 2^53 become bigints, so that bounds and constants of schemas stay
 * exact.
 *
 * @throws {SyntaxError} if the text is not JSON
 */
export function readDocument(text: string): JsonObject {
  const mark = markFor(text);
  const marked = text.replace(STRING_OR_NUMBER, (literal) =>
    isLargeInteger(literal) && !Number.isSafeInteger(Number(literal)) ? `"${mark}${literal}"` : literal,
  );
  if (marked === text) return JSON.parse(text) as JsonObject;
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  ) as JsonObject;
}

/**
 * Writes a document as JSON text, with bigints in full.
 *
 * @param indent spaces per level; by default the text is one line
 */
export function writeDocument(document: unknown, indent?: number): string {
  const asMarked = (mark: string) => (_: string, value: unknown) =>
    typeof value === 'bigint' ? `${mark}${value}` : value;
  const mark = markFor(JSON.stringify(document, asMarked('')));
  const marked = JSON.stringify(document, asMarked(mark), indent);
  return marked.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
}

/** Returns a prefix that does not occur in a text. */
function markFor(text: string): string {
  let mark = 'integer:';
  while (text.includes(mark)) mark += ':';
  return mark;
}

const INHERITED = new Set(Object.getOwnPropertyNames(Object.prototype));

/** What the names and texts of a document are. */
export interface Texts {
  /** JSON pointers to those that have half of a surrogate pair: no UTF-8 is one of them. */
  readonly illFormed: readonly string[];
  /**
   * Whether one is a name that every object inherits, such as `constructor`. Only then must validators check that a property
   * is an own one, which costs a quarter of the verdict on a list.
   */
  readonly inherited: boolean;
  /** A JSON pointer to what is nested more than `MAX_DOCUMENT_DEPTH` deep. */
  readonly tooDeep: string | undefined;
}

/** The maximum depth of nesting in a document, so that recursion over it, and validators of it, do not exhaust the stack. */
export const MAX_DOCUMENT_DEPTH = 512;
/** Steps of the pointer to what is nested too deep. */
const MAX_STEPS = 12;

export function readTexts(root: unknown): Texts {
  const illFormed: string[] = [];
  let inherited = false;
  let tooDeep: string | undefined;
  const places: [pointer: string, value: unknown, depth: number][] = [['', root, 0]];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const [pointer, value, depth] = place;
    if (depth > MAX_DOCUMENT_DEPTH) {
      tooDeep ??= pointer
        .split('/')
        .slice(0, MAX_STEPS + 1)
        .join('/');
      continue;
    }
    if (typeof value === 'string') {
      if (!value.isWellFormed()) illFormed.push(pointer);
      inherited ||= INHERITED.has(value);
    }
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, item] of Object.entries(value)) {
      const here = joinPointer(pointer, name);
      inherited ||= INHERITED.has(name);
      if (name.isWellFormed()) places.push([here, item, depth + 1]);
      else illFormed.push(here.toWellFormed());
    }
  }
  return { illFormed, inherited, tooDeep };
}
