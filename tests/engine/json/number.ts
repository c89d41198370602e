/**
 * A double that stands on the same side of every integer bound as the exact number does. Numbers beyond 2^53 are
 * rounded down, so 9223372036854775807 stays below 2^63 and -9223372036854775809 falls below -2^63; a fraction too small
 * for a double stays a fraction.
 */
export function toDouble(literal: string): number {
  const double = Number(literal);
  if (!Number.isFinite(double) || (Number.isSafeInteger(double) && String(double) === literal)) return double;
  const { integer, fraction } = splitAtPoint(literal);
  if (!Number.isInteger(double)) return double;
  if (Math.abs(double) < 2 ** 53) return fraction ? nextUp(double) : double;
  if (fraction) return NaN; // a number, and no integer: as near as a double comes
  return BigInt(double) > integer ? nextDown(double) : double;
}

/** The exact integer that a literal denotes (`1e2`, `1.0` too), or undefined if it denotes a fraction. */
export function toInteger(literal: string): bigint | undefined {
  const { integer, fraction } = splitAtPoint(literal);
  return fraction ? undefined : integer;
}

function splitAtPoint(literal: string): { integer: bigint; fraction: boolean } {
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
