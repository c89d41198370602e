import { exactDecimal, exactNumber } from '../json/values';
import type { ViolationParams } from '../problem';
import { type Decimal, isMultipleOf, isWholeMultipleOf, parseDecimal } from '../json/decimal';

/** The operand of `exact`: the comparisons that ajv does not make, as JSON. Integers beyond 2^53 are texts. */
export interface ExactRule {
  readonly integer?: boolean;
  readonly int64?: boolean;
  readonly bounds?: Readonly<Record<string, string>>;
  readonly multipleOf?: string;
}

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

type Compare = (value: number | bigint, bound: bigint) => boolean;
const BOUNDS: ReadonlyMap<string, readonly [sign: string, holds: Compare]> = new Map(
  Object.entries({
    minimum: ['>=', (value, bound) => value >= bound],
    maximum: ['<=', (value, bound) => value <= bound],
    exclusiveMinimum: ['>', (value, bound) => value > bound],
    exclusiveMaximum: ['<', (value, bound) => value < bound],
  }),
);

/** The keywords of bounds, with exact comparisons. */
export const BOUND_KEYWORDS = [...BOUNDS.keys()];

/** A standard keyword that is violated. */
interface Violated {
  readonly keyword: string;
  readonly params: ViolationParams;
  readonly message: string;
}

/** Judges the number at `holder[key]`. Returns undefined if it conforms. */
type JudgeNumber = (double: number, holder: object, key: string | number) => Violated | undefined;

/** Compiles a rule. It judges the literal in the request, not its nearest double. */
export function compileExact({ integer, int64, bounds, multipleOf }: ExactRule): JudgeNumber {
  const compared = Object.entries(bounds ?? {}).flatMap(([keyword, text]) => {
    const bound = BOUNDS.get(keyword);
    return bound ? [{ keyword, sign: bound[0], holds: bound[1], bound: BigInt(text) }] : [];
  });
  const step = multipleOf === undefined ? undefined : parseDecimal(multipleOf);
  const wholeStep = Number.isSafeInteger(Number(multipleOf)) ? Number(multipleOf) : undefined;
  const failed = {
    keyword: 'multipleOf',
    params: { multipleOf: wholeStep ?? String(multipleOf) },
    message: `must be multiple of ${String(multipleOf)}`,
  };
  return (double, holder, key) => {
    const written = exactNumber(holder, key);
    if (written === null && integer === true)
      return { keyword: 'type', params: { type: 'integer' }, message: 'must be integer' };
    const value = written ?? double;
    if (int64 === true && Number.isInteger(double) && (value < INT64_MIN || value > INT64_MAX)) {
      return { keyword: 'format', params: { format: 'int64' }, message: 'must match format "int64"' };
    }
    for (const { keyword, sign, holds, bound } of compared)
      if (!holds(value, bound))
        return { keyword, params: { limit: bound }, message: `must be ${sign} ${bound}` };
    const whole = written === undefined && Number.isSafeInteger(double) ? double : undefined;
    const multiple =
      step === undefined ||
      (whole !== undefined && wholeStep !== undefined
        ? whole % wholeStep === 0
        : isMultiple(written ?? double, step, holder, key));
    return multiple ? undefined : failed;
  };
}

function isMultiple(value: number | bigint, step: Decimal, holder: object, key: string | number): boolean {
  if (typeof value === 'bigint') return isWholeMultipleOf(value, step);
  return isMultipleOf(exactDecimal(holder, key, value), step);
}
