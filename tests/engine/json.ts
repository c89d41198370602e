/** JSON as a contract sees it: numbers keep the very digits that stand on the wire. */

/** A parsed JSON or YAML document: schemas, examples, bounds. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/** A number as written. A double cannot tell 9223372036854775807 from ...808, and the contract does. */
export class Literal {
  constructor(readonly text: string) {}
}

/** A JSON value on the wire. Objects are maps, so that a key named `__proto__` is a key like any other. */
export type Value = null | boolean | string | Literal | Value[] | Map<string, Value>;

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/**
 * Reads JSON text without losing a digit.
 *
 * @throws {SyntaxError} if the text is not JSON.
 */
export function parse(text: string): Value {
  JSON.parse(text);
  // Well-formed from here on: a number can be turned into a tagged string, which JSON.parse leaves alone.
  const tagged = text.replace(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') ? `"s${token.slice(1)}` : `"n${token}"`,
  );
  return untag(JSON.parse(tagged) as Json);
}

function untag(json: Json): Value {
  if (typeof json === 'string') return json.startsWith('n') ? new Literal(json.slice(1)) : json.slice(1);
  if (Array.isArray(json)) return json.map(untag);
  if (json === null || typeof json !== 'object') return json as null | boolean;
  return new Map(Object.entries(json).map(([key, value]) => [key.slice(1), untag(value)]));
}

export function print(value: Value): string {
  if (value instanceof Literal) return value.text;
  if (Array.isArray(value)) return `[${value.map(print).join(',')}]`;
  if (value instanceof Map) {
    return `{${[...value].map(([key, member]) => `${JSON.stringify(key)}:${print(member)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

/** What is a value already stays as it is, to the digit. */
export function fromJson(json: Json | Value): Value {
  if (typeof json === 'number') return new Literal(String(json));
  if (Array.isArray(json)) return json.map(fromJson);
  if (json === null || typeof json !== 'object' || json instanceof Literal || json instanceof Map)
    return json;
  return new Map(Object.entries(json).map(([key, value]) => [key, fromJson(value)]));
}

/** The value for a validator that works on doubles; see {@link toDouble} for what happens to big numbers. */
export function toPlain(value: Value): unknown {
  if (value instanceof Literal) return toDouble(value.text);
  if (Array.isArray(value)) return value.map(toPlain);
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, member]) => [key, toPlain(member)]));
  return value;
}

/**
 * A double that stands on the same side of every integer bound as the exact number does. Numbers beyond 2^53 are
 * rounded down, so 9223372036854775807 stays below 2^63 and -9223372036854775809 falls below -2^63; a fraction too small
 * for a double stays a fraction.
 */
export function toDouble(literal: string): number {
  const double = Number(literal);
  if (!Number.isFinite(double) || (Number.isSafeInteger(double) && String(double) === literal)) return double;
  const { integer, fraction } = split(literal);
  if (!Number.isInteger(double)) return double;
  if (Math.abs(double) < 2 ** 53) return fraction ? nextUp(double) : double;
  if (fraction) return NaN; // a number, and no integer: as near as a double comes
  return BigInt(double) > integer ? nextDown(double) : double;
}

/** The exact integer that a literal denotes (`1e2`, `1.0` too), or undefined if it denotes a fraction. */
export function toInteger(literal: string): bigint | undefined {
  const { integer, fraction } = split(literal);
  return fraction ? undefined : integer;
}

function split(literal: string): { integer: bigint; fraction: boolean } {
  const [mantissa = '0', exponent = '0'] = literal.toLowerCase().split('e');
  const [whole = '0', decimals = ''] = mantissa.split('.');
  const shift = Number(exponent) - decimals.length;
  const digits = BigInt(whole + decimals);
  if (shift >= 0) return { integer: digits * 10n ** BigInt(Math.min(shift, 400)), fraction: false };
  const unit = 10n ** BigInt(Math.min(-shift, 4000));
  return { integer: digits / unit, fraction: digits % unit !== 0n };
}

const ulp = (double: number): number => 2 ** (Math.floor(Math.log2(Math.abs(double) || 1)) - 52);
const nextUp = (double: number): number => double + ulp(double);
/** Below a power of two doubles lie half as far apart as above it. */
const nextDown = (double: number): number =>
  double > 0 && double === 2 ** Math.log2(double) ? double - ulp(double) / 2 : double - ulp(double);

export const object = (json: Json | undefined): JsonObject =>
  json !== null && typeof json === 'object' && !Array.isArray(json) ? json : {};
export const list = (json: Json | undefined): Json[] => (Array.isArray(json) ? json : []);
export const word = (json: Json | undefined): string => (typeof json === 'string' ? json : '');
export const strings = (json: Json | undefined): string[] =>
  list(json).filter((entry) => typeof entry === 'string');

/** @see https://www.rfc-editor.org/rfc/rfc6901 */
export const escape = (token: string): string => token.replaceAll('~', '~0').replaceAll('/', '~1');

/** The names in a JSON pointer. */
const keys = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The value at a JSON pointer, or undefined if nothing is there. */
export function locate(value: Value, pointer: string): Value | undefined {
  let node: Value | undefined = value;
  for (const key of keys(pointer)) {
    node = Array.isArray(node) ? node[Number(key)] : node instanceof Map ? node.get(key) : undefined;
  }
  return node;
}

/**
 * The node at a JSON pointer (`/components/schemas/Plant`).
 *
 * @throws {Error} if nothing is there.
 */
export function at(document: Json, pointer: string): Json {
  let node: Json | undefined = document;
  for (const key of keys(pointer)) {
    node = Array.isArray(node) ? node[Number(key)] : object(node)[key];
    if (node === undefined) throw new Error(`expected something at ${pointer} of the document, got nothing`);
  }
  return node;
}

/** The pointer that a `$ref` names. */
export function target(reference: string): string {
  if (!reference.startsWith('#'))
    throw new Error(`expected a reference into the document, got ${reference}; bundle the document first`);
  return decodeURIComponent(reference.slice(1));
}

/** The value as JavaScript has it: an integer that a double may not hold is a bigint. */
export function toJavaScript(value: Value): unknown {
  if (value instanceof Literal) {
    const integer = toInteger(value.text);
    return integer === undefined || Number.isSafeInteger(Number(integer)) ? Number(value.text) : integer;
  }
  if (Array.isArray(value)) return value.map(toJavaScript);
  if (!(value instanceof Map)) return value;
  // Defined, not assigned: a property may be called __proto__.
  return Object.fromEntries([...value].map(([name, item]) => [name, toJavaScript(item)]));
}
