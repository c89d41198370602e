import type { Json } from './tree';
import { toDouble, toInteger } from './number';

/** A number as written: 9223372036854775807 and 9223372036854775808 are the same double. */
export class NumberLiteral {
  constructor(readonly text: string) {}
}

/** A JSON value on the wire. An object is a map, so that `__proto__` is an ordinary key. */
export type Value = null | boolean | string | NumberLiteral | Value[] | Map<string, Value>;

/** The runs of plain characters keep V8 from a step of its stack for each character. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/**
 * Parses JSON text; numbers keep their digits.
 *
 * @throws {SyntaxError} if the text is not JSON
 */
export function parse(text: string): Value {
  JSON.parse(text);
  // The text is well-formed here. JSON.parse would round numbers, so each number becomes a tagged string.
  const tagged = text.replace(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') ? `"s${token.slice(1)}` : `"n${token}"`,
  );
  return removeTags(JSON.parse(tagged) as Json);
}

function removeTags(json: Json): Value {
  if (typeof json === 'string')
    return json.startsWith('n') ? new NumberLiteral(json.slice(1)) : json.slice(1);
  if (Array.isArray(json)) return json.map(removeTags);
  if (json === null || typeof json !== 'object') return json as null | boolean;
  return new Map(Object.entries(json).map(([key, value]) => [key.slice(1), removeTags(value)]));
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

/**
 * The value for a validator that computes with doubles. {@link toDouble} keeps numbers on their side of integer bounds.
 */
export function toDoubles(value: Value): unknown {
  if (value instanceof NumberLiteral) return toDouble(value.text);
  if (Array.isArray(value)) return value.map(toDoubles);
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, member]) => [key, toDoubles(member)]));
  return value;
}

/** The value as a handler returns it: an integer beyond 2^53 is a bigint. */
export function toJavaScript(value: Value): unknown {
  if (value instanceof NumberLiteral) {
    const integer = toInteger(value.text);
    return integer === undefined || Number.isSafeInteger(Number(integer)) ? Number(value.text) : integer;
  }
  if (Array.isArray(value)) return value.map(toJavaScript);
  if (!(value instanceof Map)) return value;
  // Object.fromEntries defines properties. An assignment to `__proto__` would change the prototype.
  return Object.fromEntries([...value].map(([name, member]) => [name, toJavaScript(member)]));
}

/** JSON text for titles and messages: of at most about 100 characters. */
export function abbreviate(value: Value): string {
  const text = print(value);
  return text.length > 100 ? `${text.slice(0, 90)}... (${Buffer.byteLength(text)} bytes)` : text;
}
