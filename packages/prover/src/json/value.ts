import { type Json, tokensOf } from './tree';

/** A number as written: 9223372036854775807 and 9223372036854775808 are the same double. */
export class NumberLiteral {
  constructor(readonly text: string) {}
}

/** A JSON value on the wire. An object is a map, so that `__proto__` is an ordinary key. */
export type Value = null | boolean | string | NumberLiteral | Value[] | Map<string, Value>;

/**
 * Parses JSON text; numbers keep their digits.
 *
 * @throws {SyntaxError} if the text is not JSON
 */
export const parse = (text: string): Value =>
  JSON.parse(text, (_, value: Value | number | object, context?: { source?: string }): Value => {
    if (typeof value === 'number') return new NumberLiteral(context?.source ?? String(value));
    const isObject = value !== null && typeof value === 'object' && !Array.isArray(value);
    return isObject && !(value instanceof NumberLiteral) && !(value instanceof Map)
      ? new Map(Object.entries(value))
      : value;
  }) as Value;

/** {@link parse}; undefined if the text is not JSON. */
export function parseOrUndefined(text: string): Value | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** JSON text of a value; numbers as written. */
export function print(value: Value): string {
  if (value instanceof NumberLiteral) return value.text;
  if (Array.isArray(value)) return `[${value.map(print).join(',')}]`;
  if (value instanceof Map) {
    return `{${[...value].map(([key, member]) => `${JSON.stringify(key)}:${print(member)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

/** Converts a document's JSON to a value. A value stays as it is. */
export function fromJson(json: Json | Value): Value {
  if (typeof json === 'number' || typeof json === 'bigint') return new NumberLiteral(String(json));
  if (Array.isArray(json)) return json.map(fromJson);
  if (json === null || typeof json !== 'object' || json instanceof NumberLiteral || json instanceof Map)
    return json;
  return new Map(Object.entries(json).map(([key, value]) => [key, fromJson(value)]));
}

/** The value as a parser that limits numbers to doubles reads it (RFC 8259 section 6). */
export function rounded(value: Value): Value {
  if (value instanceof NumberLiteral) return new NumberLiteral(String(Number(value.text)));
  if (Array.isArray(value)) return value.map(rounded);
  return value instanceof Map ? new Map([...value].map(([name, member]) => [name, rounded(member)])) : value;
}

/** The value for JavaScript, with what `numberOf` makes of the digits of each number. */
function plain(value: Value, numberOf: (literal: string) => number | bigint): unknown {
  if (value instanceof NumberLiteral) return numberOf(value.text);
  if (Array.isArray(value)) return value.map((entry) => plain(entry, numberOf));
  return value instanceof Map ? objectOf(value, (member) => plain(member, numberOf)) : value;
}

/** Object.fromEntries defines properties. An assignment to `__proto__` would change the prototype. */
const objectOf = (members: ReadonlyMap<string, Value>, convert: (member: Value) => unknown): object =>
  Object.fromEntries([...members].map(([name, member]) => [name, convert(member)]));

const doubles = new WeakMap<object, unknown>();

/**
 * The value for a validator that computes with doubles. {@link toDouble} keeps numbers on their side of integer bounds. Many
 * schemas judge the same objects and lists, which must not change: the copy of each is kept.
 */
export function toDoubles(value: Value): unknown {
  if (!Array.isArray(value) && !(value instanceof Map)) return plain(value, toDouble);
  const known = doubles.get(value);
  if (known !== undefined) return known;
  const copy = Array.isArray(value) ? value.map(toDoubles) : objectOf(value, toDoubles);
  doubles.set(value, copy);
  return copy;
}

/** The value as a handler returns it: an integer beyond 2^53 is a bigint. */
export const toJavaScript = (value: Value): unknown =>
  plain(value, (literal) => {
    const integer = toInteger(literal);
    return integer === undefined || Number.isSafeInteger(Number(integer)) ? Number(literal) : integer;
  });

/**
 * The value of what a decoder returns.
 *
 * @returns undefined if JSON has no such value for a part of it, such as a date
 */
export function fromJavaScript(given: unknown): Value | undefined {
  if (given === null || typeof given === 'boolean' || typeof given === 'string') return given;
  if (typeof given === 'bigint' || (typeof given === 'number' && Number.isFinite(given)))
    return new NumberLiteral(String(given));
  if (Array.isArray(given)) {
    const items = given.map(fromJavaScript);
    return items.includes(undefined) ? undefined : items.filter((item) => item !== undefined);
  }
  if (Object.prototype.toString.call(given) !== '[object Object]') return undefined;
  const members = Object.entries(given as object).map(
    ([name, member]) => [name, fromJavaScript(member)] as const,
  );
  const known = members.flatMap(([name, member]): [string, Value][] =>
    member === undefined ? [] : [[name, member]],
  );
  return known.length < members.length ? undefined : new Map(known);
}

/** Whether two values are the same: numbers to their last digit, members in any order. */
export function isSame(a: Value, b: Value): boolean {
  if (a instanceof NumberLiteral) return b instanceof NumberLiteral && digitsOf(a.text) === digitsOf(b.text);
  if (Array.isArray(a))
    return (
      Array.isArray(b) && a.length === b.length && a.every((item, index) => isSame(item, b[index] ?? null))
    );
  if (!(a instanceof Map)) return a === b;
  return (
    b instanceof Map &&
    a.size === b.size &&
    [...a].every(([name, member]) => b.has(name) && isSame(member, b.get(name) ?? null))
  );
}

/** The significant digits of a number, and the place of the last: the same for `1`, `1.0` and `10e-1`. */
function digitsOf(literal: string): string {
  const [mantissa = '0', exponent = '0'] = literal.toLowerCase().split('e');
  const [whole = '0', decimals = ''] = mantissa.split('.');
  const digits = String(BigInt(whole + decimals));
  const significant = digits.replace(/0+$/, '');
  const place = Number(exponent) - decimals.length + digits.length - significant.length;
  return significant === '' ? '0' : `${significant}e${place}`;
}

/** The value at a JSON pointer, or undefined if there is none. */
export function valueAt(value: Value, pointer: string): Value | undefined {
  let node: Value | undefined = value;
  for (const key of tokensOf(pointer)) {
    node = Array.isArray(node) ? node[Number(key)] : node instanceof Map ? node.get(key) : undefined;
  }
  return node;
}

/** JSON text for titles and messages: of at most about 100 characters. */
export function abbreviate(value: Value): string {
  const text = print(value);
  return text.length > 100 ? `${text.slice(0, 90)}... (${Buffer.byteLength(text)} bytes)` : text;
}

/**
 * A double on the same side of every integer bound as the exact number. A number beyond 2^53 is rounded down:
 * 9223372036854775807 stays below 2^63, and -9223372036854775809 falls below -2^63. A fraction that a double cannot
 * hold stays a fraction.
 */
export function toDouble(literal: string): number {
  const double = Number(literal);
  if (!Number.isFinite(double) || (Number.isSafeInteger(double) && String(double) === literal)) return double;
  const { integer, fraction } = truncate(literal);
  if (!Number.isInteger(double)) return double;
  if (Math.abs(double) < 2 ** 53) return fraction ? nextUp(double) : double;
  if (fraction) return NaN; // No double beyond 2^53 is a fraction.
  return BigInt(double) > integer ? nextDown(double) : double;
}

/** The exact integer that a literal denotes (`1e2` and `1.0` too), or undefined for a fraction. */
export function toInteger(literal: string): bigint | undefined {
  const { integer, fraction } = truncate(literal);
  return fraction ? undefined : integer;
}

function truncate(literal: string): { integer: bigint; fraction: boolean } {
  const [mantissa = '0', exponent = '0'] = literal.toLowerCase().split('e');
  const [whole = '0', decimals = ''] = mantissa.split('.');
  const shift = Number(exponent) - decimals.length;
  const digits = BigInt(whole + decimals);
  if (shift >= 0) return { integer: digits * 10n ** BigInt(Math.min(shift, 400)), fraction: false };
  const unit = 10n ** BigInt(Math.min(-shift, 4000));
  return { integer: digits / unit, fraction: digits % unit !== 0n };
}

/** The distance to the next double of the same magnitude. */
const ulp = (double: number): number => 2 ** (Math.floor(Math.log2(Math.abs(double) || 1)) - 52);

const nextUp = (double: number): number => double + ulp(double);

/** Below a power of two, doubles are half as far apart as above it. */
const nextDown = (double: number): number =>
  double > 0 && double === 2 ** Math.log2(double) ? double - ulp(double) / 2 : double - ulp(double);
