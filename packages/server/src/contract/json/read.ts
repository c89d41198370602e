/**
 * Parses JSON by `JSON.parse`, which is fast, where a linear scan of the bytes shows that it is exact: it rounds no number, drops
 * no repeated name, and accepts no lone surrogate. Other texts are for parse.ts.
 */
import { parseJson } from './parse';
import { type Holder, MAX_DEPTH } from './values';

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const [ZERO, FIVE, EIGHT, NINE] = [0x30, 0x35, 0x38, 0x39];
const POINT = 0x2e;
const [LOWER_D, LOWER_E, LOWER_U] = [0x64, 0x65, 0x75];
/** The bit that makes an ASCII letter lower case. */
const LOWER = 0x20;

/** Conversion to a double and back changes no literal of so many digits (IEEE 754, binary64). */
const MAX_DIGITS = 15;

const isDigit = (code: number) => code >= ZERO && code <= NINE;

/**
 * Parses UTF-8 bytes to `holder[key]`, as `parseJson` does.
 *
 * @param text the decoded bytes
 * @throws {MalformedJson} with what was expected, what was got, and the position
 */
export function readJson(bytes: Uint8Array, text: string, holder: Holder, key: string | number): void {
  const members = countMembers(bytes);
  if (members >= 0 && !text.includes('__proto__')) {
    const value = parseNatively(text);
    // The value has fewer members than the text if a name is repeated.
    if (value !== undefined && membersIn(value) === members) {
      holder[key] = value;
      return;
    }
  }
  parseJson(text, holder, key);
}

/** Returns undefined if the text is not JSON. */
function parseNatively(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Counts the members of all objects in a text. Returns -1 if `JSON.parse` may not read it exactly. */
function countMembers(bytes: Uint8Array): number {
  let members = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at];
    if (code === QUOTE) {
      at = endOfString(bytes, at);
      if (at < 0) return -1;
    } else if (code === COLON) {
      members++;
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (++depth > MAX_DEPTH) return -1;
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      depth--;
    } else if (code !== undefined && isDigit(code)) {
      at = endOfNumber(bytes, at);
      if (at < 0) return -1;
    }
  }
  return members;
}

/** The index of the closing quote of a string; -1 if there is none, or if an escape may be a surrogate or an underscore. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    const code = bytes[at];
    if (code === QUOTE) return at;
    if (code === BACKSLASH && bytes[++at] === LOWER_U) {
      const [first = 0, second = 0, third = 0] = [bytes[at + 1], bytes[at + 2], bytes[at + 3]];
      if ((first | LOWER) === LOWER_D && second >= EIGHT) return -1; // U+D800 to U+DFFF
      if (first === ZERO && second === ZERO && third === FIVE) return -1; // the underscore is U+005F
    }
  }
  return -1;
}

/** The index of the last digit of a literal; -1 if a double may not represent it, or if it has an exponent. */
function endOfNumber(bytes: Uint8Array, start: number): number {
  let at = start;
  let point = 0;
  for (let code = bytes[at] ?? 0; isDigit(code) || code === POINT; code = bytes[++at] ?? 0)
    if (code === POINT) point = 1;
  const digits = at - start - point;
  // Safe integers of one digit more begin with 1 to 9; those below 9 x 10^15 are all safe.
  const isSafe = digits === MAX_DIGITS + 1 && point === 0 && (bytes[start] ?? 0) < NINE;
  const hasExponent = ((bytes[at] ?? 0) | LOWER) === LOWER_E;
  return (digits <= MAX_DIGITS || isSafe) && !hasExponent ? at - 1 : -1;
}

/** Counts the members of all objects in a value that `JSON.parse` returned. */
function membersIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) members += membersIn(item);
    return members;
  }
  for (const name in value) members += 1 + membersIn((value as Holder)[name]);
  return members;
}
