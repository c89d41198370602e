import * as fc from 'fast-check';
import { NumberLiteral } from '../json/value';
import type { Subschema } from './locations';
import { INTEGER_FORMATS } from './known-formats';

/** The numbers from `least` to `most` times `unit`, in units of the last decimal place. */
interface Range {
  readonly places: number;
  readonly unit: bigint;
  readonly least: bigint;
  readonly most: bigint;
  /** Whether only multiples of `unit` fit. */
  readonly hasSteps: boolean;
}

/** Numbers that fit the bounds and steps of a schema; undefined if there are none. Their decimals are exact. */
export function numberValues(
  subschemas: readonly Subschema[],
  isInteger: boolean,
  isSimple: boolean,
): fc.Arbitrary<NumberLiteral> | undefined {
  const range = rangeOf(subschemas, isInteger);
  if (!range) return undefined;
  const { least, most, hasSteps } = range;
  const at = (count: bigint): NumberLiteral => new NumberLiteral(print(count * range.unit, range.places));
  if (isSimple && hasSteps) {
    // Small and positive if the bounds allow it.
    const from = least > 1n ? least : most < 1n ? most : 1n;
    return fc.bigInt(from, most < from + 1000n ? most : from + 1000n).map(at);
  }
  if (isSimple) return fc.constantFrom(at(least + (most - least) / 4n), at(least + (most - least) / 2n));
  if (hasSteps) return fc.bigInt(least, most).map(at);
  const [min, max] = [Number(at(least).text), Number(at(most).text)];
  // A float has 24 bits of precision. A server may refuse or round other numbers.
  const isFloat = subschemas.some(({ schema }) => schema['format'] === 'float');
  return fc
    .double({ min, max, noNaN: true })
    .map((number) => toLiteral(isFloat ? clampToFloat(Math.fround(number), min, max) : number));
}

const clampToFloat = (number: number, low: number, high: number): number =>
  number < low || number > high ? Math.fround((low + high) / 2) : number;

const toLiteral = (number: number): NumberLiteral =>
  new NumberLiteral(Object.is(number, -0) ? '-0' : String(number));

/** The greatest number of units where a schema has no bound. Doubles are exact up to there. */
const EXACT = 2n ** 53n;

function rangeOf(subschemas: readonly Subschema[], isInteger: boolean): Range | undefined {
  const limits = (keyword: string): Decimal[] =>
    subschemas.flatMap(({ schema }) => {
      const { format } = schema;
      const own = [
        schema[keyword],
        typeof format === 'string' ? INTEGER_FORMATS.get(format)?.[keyword] : undefined,
      ];
      return own.flatMap((limit) => (typeof limit === 'number' ? decimalOf(limit) : []));
    });
  const [steps, minimum, above] = [limits('multipleOf'), limits('minimum'), limits('exclusiveMinimum')];
  const [maximum, below] = [limits('maximum'), limits('exclusiveMaximum')];
  const all = [...steps, ...minimum, ...above, ...maximum, ...below];
  const isFree = steps.length === 0 && !isInteger;
  // Two more places, so that there are numbers between the bounds.
  const places = Math.max(0, ...all.map((limit) => limit.places)) + (isFree ? 2 : 0);
  const scaled = ({ digits, places: own }: Decimal): bigint => digits * 10n ** BigInt(places - own);
  const unit = [...steps.map(scaled), ...(isInteger ? [10n ** BigInt(places)] : [])].reduce(lcm, 1n);
  const lows = [
    ...minimum.map((limit) => ceil(scaled(limit), unit)),
    ...above.map((limit) => floor(scaled(limit), unit) + 1n),
  ];
  const highs = [
    ...maximum.map((limit) => floor(scaled(limit), unit)),
    ...below.map((limit) => ceil(scaled(limit), unit) - 1n),
  ];
  const isStepped = steps.some((step) => step.digits !== 1n || step.places > 0);
  const width = isFree ? 10n ** BigInt(places + 6) : isStepped ? EXACT / 2n : 2n ** 62n;
  const low = lows.reduce<bigint | undefined>((a, b) => (a === undefined || b > a ? b : a), undefined);
  const high = highs.reduce<bigint | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined);
  const least = low ?? (high === undefined || high > 0n ? -width : high - width);
  const most = high ?? (least < 0n ? width : least + width);
  if (least > most) return undefined;
  // Of many steps only those that doubles can tell apart.
  const reach = EXACT / (unit === 0n ? 1n : unit) + 1n;
  const isExact = !isStepped || least > reach || most < -reach;
  return {
    places,
    unit,
    hasSteps: !isFree,
    least: isExact || least > -reach ? least : -reach,
    most: isExact || most < reach ? most : reach,
  };
}

interface Decimal {
  readonly digits: bigint;
  readonly places: number;
}

/** The decimal that the shortest text of a number denotes. */
export function decimalOf(number: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(number).split('e');
  const [whole = '0', decimals = ''] = mantissa.split('.');
  const places = decimals.length - Number(exponent);
  const digits = BigInt(whole + decimals);
  return places < 0 ? { digits: digits * 10n ** BigInt(-places), places: 0 } : { digits, places };
}

/** The text of a decimal, without zeros at its end. */
export function print(digits: bigint, places: number): string {
  const sign = digits < 0n ? '-' : '';
  const text = String(digits < 0n ? -digits : digits).padStart(places + 1, '0');
  const decimals = text.slice(text.length - places).replace(/0+$/, '');
  return `${sign}${text.slice(0, text.length - places)}${places === 0 || decimals === '' ? '' : `.${decimals}`}`;
}

const floor = (a: bigint, b: bigint): bigint => a / b - (a % b < 0n ? 1n : 0n);
const ceil = (a: bigint, b: bigint): bigint => -floor(-a, b);
const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b));
const lcm = (a: bigint, b: bigint): bigint => (b <= 0n ? a : (a / gcd(a, b)) * b);
