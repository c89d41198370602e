/**
 * Finds where `JSON.parse` and `JSON.stringify`, which are fast, are exact. A text is parsed by `JSON.parse` if the result
 * equals that of parse.ts: it rounds no number, drops no repeated name, and accepts no lone surrogate. A linear scan of the
 * bytes checks this. A value is written by `JSON.stringify` if that writes the text of stringify.ts, which a parser reads
 * back unchanged. The validator judges a copy of the value, and the server sends its text.
 */
import { types } from 'node:util';
import { type Holder, MAX_DEPTH, parseJson, setExactNumber } from './parse';

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

/** The value has no plain copy. */
class NotPlain extends Error {}

/**
 * Copies `value` to `holder[key]` if it consists of plain objects, arrays, well-formed strings, finite numbers, bigints,
 * booleans and null. A bigint becomes a double; its exact value is stored apart.
 *
 * @returns how to write the copy: `native` if JSON.stringify writes it exactly, `exact` if stringify.ts must; undefined
 *   if there is no copy
 */
export function copyPlain(
  value: unknown,
  holder: Holder,
  key: string | number,
): 'native' | 'exact' | undefined {
  return copyBy((copier) => copier.copy(value, holder, key, 0), holder, key);
}

/** Sets `holder[key]` to the copy that `copy` creates by a copier. Returns the same as copyPlain(). */
export function copyBy(
  copy: (copier: Copier) => unknown,
  holder: Holder,
  key: string | number,
): 'native' | 'exact' | undefined {
  const copier = new Copier();
  try {
    holder[key] = copy(copier);
    return copier.exact ? 'exact' : 'native';
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

/** Ends the copy. Handles the rejection of a promise: unhandled, it would end the process. */
function reject(object: object): never {
  if (types.isPromise(object)) object.catch(() => undefined);
  throw new NotPlain();
}

/** Copies values, and throws NotPlain for a value without a plain copy. */
export class Copier {
  /** Whether the copy has unsafe integers, which JSON.stringify rounds. */
  exact = false;

  copy(value: unknown, holder: object, key: string | number, depth: number): unknown {
    switch (typeof value) {
      case 'string':
        if (!value.isWellFormed()) throw new NotPlain();
        return value;
      case 'number':
        // JSON.stringify rounds unsafe integers, which may also have an exact value.
        if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
          throw new NotPlain();
        return value + 0; // JSON.stringify writes -0 as 0
      case 'bigint':
        return this.copyInteger(value, holder, key);
      case 'boolean':
        return value;
      case 'object':
        if (value === null) return value;
        return Array.isArray(value) ? this.copyArray(value, depth) : this.copyObject(value, depth);
      case 'undefined':
      case 'function':
      case 'symbol':
        throw new NotPlain();
    }
  }

  private copyInteger(value: bigint, holder: object, key: string | number): number {
    const double = Number(value);
    if (!Number.isFinite(double)) throw new NotPlain();
    if (!Number.isSafeInteger(double)) {
      this.exact = true;
      if (BigInt(double) !== value) setExactNumber(holder, key, value);
    }
    return double;
  }

  /** Checks an object before its parts are copied. Returns `copy`. */
  enter<T>(object: object, depth: number, copy: T): T {
    if (depth >= MAX_DEPTH || 'toJSON' in object) reject(object);
    if (Array.isArray(object)) return copy;
    const prototype: unknown = Object.getPrototypeOf(object);
    if (prototype !== Object.prototype && prototype !== null) reject(object);
    return copy;
  }

  /** Handles the rejections of promises in properties that are not listed: unhandled, they would end the process. */
  leaveOut(object: Holder, listed: ReadonlySet<string>): void {
    for (const name of Object.keys(object)) {
      const item = listed.has(name) ? undefined : object[name];
      if (types.isPromise(item)) item.catch(() => undefined);
    }
  }

  /** Checks the name of a property, and returns it. */
  name(name: string): string {
    if (name === '__proto__' || !name.isWellFormed()) throw new NotPlain();
    return name;
  }

  private copyArray(items: readonly unknown[], depth: number): unknown[] {
    const copy: unknown[] = this.enter(items, depth, []);
    for (let i = 0; i < items.length; i++) copy.push(this.copy(items[i], copy, i, depth + 1));
    return copy;
  }

  private copyObject(object: object, depth: number): Holder {
    const copy: Holder = this.enter(object, depth, {});
    for (const name of Object.keys(object)) {
      const item = (object as Holder)[this.name(name)];
      if (item !== undefined) copy[name] = this.copy(item, copy, name, depth + 1);
    }
    return copy;
  }
}
