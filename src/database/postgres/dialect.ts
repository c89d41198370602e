import { types } from 'pg';
import type { Rendered, Value } from '../sql';

/**
 * `text` cannot hold U+0000: it is written as U+0001 "0", and so U+0001 as U+0001 "1". Every string has exactly one such
 * form, no two have the same, their order is that of the strings, and for nearly all it is the string itself.
 */
function toText(value: string): string {
  return value.replaceAll('\u0001', '\u00011').replaceAll('\0', '\u00010');
}

function fromText(text: string): string {
  return text.includes('\u0001') ? text.replaceAll('\u00010', '\0').replaceAll('\u00011', '\u0001') : text;
}

function toParameter(value: Value): Value {
  if (typeof value === 'string') return toText(value);
  // The digits that JavaScript prints of such a number are not all its own.
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
    ? BigInt(value)
    : value;
}

export const toParameters = (values: Rendered['values']) =>
  values.map((value) => (Array.isArray(value) ? value.map(toParameter) : toParameter(value as Value)));

/** How the driver reads a type, by its OID; the others as it always does. */
export const PARSERS = new Map<number, (text: string) => unknown>([
  [types.builtins.INT2, BigInt],
  [types.builtins.INT4, BigInt],
  [types.builtins.INT8, BigInt],
  [types.builtins.BOOL, (text) => (text === 't' ? 1n : 0n)],
  // The sum of bigints, or the average.
  [types.builtins.NUMERIC, (text) => (/^-?\d+$/.test(text) ? BigInt(text) : Number(text))],
  [types.builtins.TEXT, fromText],
  [types.builtins.VARCHAR, fromText],
]);
