import type { Json } from './json';
import { toDouble } from './number';

/** A number as written. A double cannot tell 9223372036854775807 from ...808, and the contract does. */
export class NumberLiteral {
  constructor(readonly text: string) {}
}

/** A JSON value on the wire. Objects are maps, so that a key named `__proto__` is a key like any other. */
export type Value = null | boolean | string | NumberLiteral | Value[] | Map<string, Value>;

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
  return removeTags(JSON.parse(tagged) as Json);
}

function removeTags(json: Json): Value {
  if (typeof json === 'string')
    return json.startsWith('n') ? new NumberLiteral(json.slice(1)) : json.slice(1);
  if (Array.isArray(json)) return json.map(removeTags);
  if (json === null || typeof json !== 'object') return json as null | boolean;
  return new Map(Object.entries(json).map(([key, value]) => [key.slice(1), removeTags(value)]));
}

export function print(value: Value): string {
  if (value instanceof NumberLiteral) return value.text;
  if (Array.isArray(value)) return `[${value.map(print).join(',')}]`;
  if (value instanceof Map) {
    return `{${[...value].map(([key, member]) => `${JSON.stringify(key)}:${print(member)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

/** What is a value already stays as it is, to the digit. */
export function fromJson(json: Json | Value): Value {
  if (typeof json === 'number') return new NumberLiteral(String(json));
  if (Array.isArray(json)) return json.map(fromJson);
  if (json === null || typeof json !== 'object' || json instanceof NumberLiteral || json instanceof Map)
    return json;
  return new Map(Object.entries(json).map(([key, value]) => [key, fromJson(value)]));
}

/** The value for a validator that works on doubles; see {@link toDouble} for what happens to big numbers. */
export function toDoubles(value: Value): unknown {
  if (value instanceof NumberLiteral) return toDouble(value.text);
  if (Array.isArray(value)) return value.map(toDoubles);
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, member]) => [key, toDoubles(member)]));
  return value;
}

export function abbreviate(value: Value): string {
  const text = print(value);
  return text.length > 100 ? `${text.slice(0, 90)}... (${Buffer.byteLength(text)} bytes)` : text;
}
