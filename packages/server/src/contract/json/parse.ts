/**
 * Parses JSON text (RFC 8259, restricted to I-JSON, RFC 7493) exactly. stringify.ts does the reverse.
 *
 * `JSON.parse` rounds 9007199254740993 to a double, keeps the last of two equal names, accepts lone surrogates, and does not
 * bound the depth (read.ts uses it where none of this matters). This parser keeps integers exact, and rejects the others.
 */

import { branded } from '../brand';
import { equalDecimals, integerOf, parseDecimal } from './decimal';
import { excerpt } from './excerpt';
import { Exact, type Holder, MAX_DEPTH, setExact } from './values';

/** Text that is not JSON. The message has what was expected, what was got, and the position. */
export class MalformedJson extends Error {
  override name = 'MalformedJson';
}
branded(MalformedJson, 'MalformedJson');

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Literals of at most 15 digits without an exponent. Conversion to a double and back does not change them. */
const SHORT = /^-?[\d.]{1,15}$/;
/** 10^23 is 2^23 times an odd number that needs more than the 53 bits of a double. */
const MAX_POWER = 22;

/** Converts a literal of the JSON grammar to a double. Stores the exact value for `holder[key]` if it differs. */
function readNumber(literal: string, holder: object, key: string | number): number {
  const double = Number(literal);
  if (SHORT.test(literal)) return double;
  if (!Number.isFinite(double)) throw new MalformedJson(`the number ${excerpt(literal, 30)} is too large`);
  const whole = Number.isInteger(double);
  if ((!whole || Number.isSafeInteger(double)) && String(double) === literal) return double;
  const decimal = parseDecimal(literal);
  const represented =
    decimal.exponent < 0
      ? !whole && equalDecimals(decimal, parseDecimal(String(double)))
      : decimal.exponent <= MAX_POWER && integerOf(decimal) === BigInt(double);
  if (!represented) {
    const inDigits = decimal.exponent >= 0 && !/e/i.test(literal);
    setExact(holder, key, new Exact(double, decimal, inDigits ? undefined : literal));
  }
  return double;
}

/** Parses a number of the JSON grammar to `holder[key]`, exactly. Returns false for any other text. */
export function parseNumber(text: string, holder: Holder, key: string | number): boolean {
  NUMBER.lastIndex = 0;
  if (!NUMBER.test(text) || NUMBER.lastIndex !== text.length) return false;
  holder[key] = readNumber(text, holder, key);
  return true;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);
/** The unescaped characters of a string (RFC 8259 section 7). */
const PLAIN_STRING = /[^"\\\u0000-\u001f]*/y;

class Parser {
  private at = 0;
  private depth = 0;
  constructor(
    private readonly text: string,
    private readonly most: number,
  ) {}

  document(holder: object, key: string | number): unknown {
    const value = this.value(holder, key);
    if (!Number.isNaN(this.next())) throw this.unexpected('the end of the text');
    return value;
  }

  /** Skips white space. Returns the code of the next character, NaN at the end. */
  private next(): number {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
      this.at++;
    }
  }

  private unexpected(wanted: string): MalformedJson {
    const code = this.text.codePointAt(this.at);
    const got =
      code === undefined ? 'the end' : `the character ${JSON.stringify(String.fromCodePoint(code))}`;
    return new MalformedJson(`expected ${wanted}, got ${got} at position ${this.at}`);
  }

  private value(holder: object, key: string | number): unknown {
    switch (this.next()) {
      case 0x7b:
        return this.object();
      case 0x5b:
        return this.array();
      case 0x22:
        return this.string();
      case 0x74:
        return this.word('true', true);
      case 0x66:
        return this.word('false', false);
      case 0x6e:
        return this.word('null', null);
      default:
        return this.number(holder, key);
    }
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) throw this.unexpected('a value');
    this.at += word.length;
    return value;
  }

  private number(holder: object, key: string | number): number {
    NUMBER.lastIndex = this.at;
    const literal = NUMBER.exec(this.text)?.[0];
    if (literal === undefined) throw this.unexpected('a value');
    this.at += literal.length;
    return readNumber(literal, holder, key);
  }

  /** Consumes the opening bracket of an object or array. */
  private enter(): void {
    if (++this.depth > this.most) throw new MalformedJson(`nested more than ${this.most} deep`);
    this.at++;
  }

  /** Consumes a comma or the closing bracket. Returns whether it was a comma. */
  private more(close: number, bracket: string): boolean {
    const code = this.next();
    if (code !== 0x2c && code !== close) throw this.unexpected(`"," or "${bracket}"`);
    this.at++;
    if (code === close) this.depth--;
    return code === 0x2c;
  }

  private object(): object {
    const object: Record<string, unknown> = {};
    this.enter();
    if (this.next() === 0x7d) return (this.more(0x7d, '}'), object);
    do {
      if (this.next() !== 0x22) throw this.unexpected('a property name');
      const name = this.string();
      if (name === '__proto__') throw new MalformedJson('the property name "__proto__" is not accepted');
      if (Object.hasOwn(object, name)) {
        throw new MalformedJson(
          `the property name ${JSON.stringify(excerpt(name))} occurs twice in one object`,
        );
      }
      if (this.next() !== 0x3a) throw this.unexpected('":"');
      this.at++;
      object[name] = this.value(object, name);
    } while (this.more(0x7d, '}'));
    return object;
  }

  private array(): unknown[] {
    const array: unknown[] = [];
    this.enter();
    if (this.next() === 0x5d) return (this.more(0x5d, ']'), array);
    do {
      array.push(this.value(array, array.length));
    } while (this.more(0x5d, ']'));
    return array;
  }

  private string(): string {
    let value = '';
    let escaped = false;
    for (;;) {
      PLAIN_STRING.lastIndex = ++this.at;
      PLAIN_STRING.test(this.text);
      value += this.text.slice(this.at, PLAIN_STRING.lastIndex);
      this.at = PLAIN_STRING.lastIndex;
      const code = this.text.charCodeAt(this.at);
      if (code === 0x22) break;
      if (code !== 0x5c) throw this.unexpected('the rest of a string');
      value += this.escape();
      escaped = true;
    }
    this.at++;
    if (escaped && !value.isWellFormed()) throw new MalformedJson('a string has half of a surrogate pair');
    return value;
  }

  /** Reads the escape sequence at the current position, and stops at its last character. */
  private escape(): string {
    const letter = this.text[++this.at];
    if (letter === 'u') {
      const hex = this.text.slice(this.at + 1, this.at + 5);
      if (!/^[\da-fA-F]{4}$/.test(hex)) throw this.unexpected('four hexadecimal digits after "\\u"');
      this.at += 4;
      return String.fromCharCode(parseInt(hex, 16));
    }
    const character = letter === undefined ? undefined : ESCAPES.get(letter);
    if (character === undefined) throw this.unexpected('an escape sequence');
    return character;
  }
}

/**
 * Parses JSON text to `holder[key]`. exactNumber() has the exact values of numbers that a double cannot represent.
 *
 * @param most the greatest depth of nesting
 * @throws {MalformedJson} with what was expected, what was got, and the position
 */
export function parseJson(text: string, holder: Holder, key: string | number, most = MAX_DEPTH): void {
  holder[key] = new Parser(text, most).document(holder, key);
}
