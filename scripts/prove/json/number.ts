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
