/**
 * Exact decimal numbers. Every function takes time linear in the length of the literal, which a client chooses: no
 * backtracking pattern, and no BigInt of all digits.
 */

/** ±digits × 10^exponent. */
export interface Decimal {
  readonly negative: boolean;
  /** Without zeros at either end; empty for zero. */
  readonly digits: string;
  readonly exponent: number;
}

const ZERO = 0x30;

/**
 * Parses a number.
 *
 * @param literal a number of the JSON grammar (RFC 8259 section 6)
 */
export function parseDecimal(literal: string): Decimal {
  const negative = literal.startsWith('-');
  const e = literal.search(/[eE]/);
  const mantissa = literal.slice(negative ? 1 : 0, e < 0 ? undefined : e);
  const point = mantissa.indexOf('.');
  const all = point < 0 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1);
  let start = 0;
  while (all.charCodeAt(start) === ZERO) start++;
  if (start === all.length) return { negative, digits: '', exponent: 0 };
  let end = all.length;
  while (all.charCodeAt(end - 1) === ZERO) end--;
  const fraction = point < 0 ? 0 : mantissa.length - point - 1;
  const exponent = (e < 0 ? 0 : Number(literal.slice(e + 1))) - fraction + (all.length - end);
  return { negative, digits: all.slice(start, end), exponent };
}

export function equalDecimals(a: Decimal, b: Decimal): boolean {
  return a.digits === b.digits && a.exponent === b.exponent && (a.negative === b.negative || a.digits === '');
}

/**
 * Converts a decimal without a fraction to an integer.
 *
 * @param decimal within the range of a double, so that its integer has no more than 309 digits
 */
export function integerOf({ negative, digits, exponent }: Decimal): bigint {
  const magnitude = exponent === 0 ? BigInt(digits) : BigInt(digits) * powerOfTen(exponent);
  return negative ? -magnitude : magnitude;
}

const powers: bigint[] = [];

/** @param exponent at most some hundreds: the powers are cached */
function powerOfTen(exponent: number): bigint {
  return (powers[exponent] ??= 10n ** BigInt(exponent));
}

/** Digits per BigInt: the time of a conversion grows faster than linearly. */
const CHUNK = 256;

/**
 * Whether `value` is `step` times an integer. 0.47 is a multiple of 0.01, although the quotient of their doubles is none.
 *
 * @param value within the range of a double
 * @param step not zero
 */
export function isMultipleOf(value: Decimal, step: Decimal): boolean {
  if (value.digits === '') return true;
  const shift = value.exponent - step.exponent;
  // The digits of such a multiple would end in a zero, but `digits` never does.
  if (shift < 0) return false;
  const divisor = BigInt(step.digits);
  let rest = 0n;
  for (let at = 0; at < value.digits.length; at += CHUNK) {
    const chunk = value.digits.slice(at, at + CHUNK);
    rest = (rest * powerOfTen(chunk.length) + BigInt(chunk)) % divisor;
  }
  return (rest * powerOfTen(shift)) % divisor === 0n;
}

/** Whether an integer within the range of a double is `step` times an integer. */
export function isWholeMultipleOf(value: bigint, step: Decimal): boolean {
  if (step.digits === '1' && step.exponent <= 0) return true;
  if (step.exponent > 0) return value % (BigInt(step.digits) * powerOfTen(step.exponent)) === 0n;
  return (value * powerOfTen(-step.exponent)) % BigInt(step.digits) === 0n;
}
