import type { CodeKeywordDefinition } from 'ajv';
import type { JsonObject } from '../document/document';
import type { ViolationParams } from '../problem';
import { excerpt } from '../json/excerpt';
import { stringifyJson } from '../json/stringify';
import { exactNumbersIn, hasExact } from '../json/values';
import { listOf } from './applicable';
import { BOUND_KEYWORDS, type ExactRule } from './exact';
import { Interner, isRounded } from './identity';
import { error, functionKeyword } from './keyword';

/** The maximum number of characters of enum values in a message. */
const MAX_QUOTED = 200;

/** The operand of `equals`: the values that a schema allows, as JSON. */
interface Equals {
  readonly keyword: 'const' | 'enum';
  /** The values that JavaScript compares correctly. */
  readonly primitives: readonly unknown[];
  /** The numbers (identity.ts) of objects, arrays, and integers that a double cannot represent. */
  readonly numbers: readonly number[];
  readonly message: string;
  /** With integers beyond 2^53 as texts. */
  readonly params: ViolationParams;
}

/** Whether a schema describes an integer of `format: int64`, which a double cannot represent. */
export function isInt64(schema: JsonObject): boolean {
  const types = [schema['type']].flat();
  return schema['format'] === 'int64' && (types.includes('integer') || types.includes('number'));
}

/** Replaces the comparisons of the validator that are not exact or not linear by keywords. */
export function compareExactly(
  value: JsonObject,
  rewritten: Record<string, unknown>,
  constants: Interner,
): void {
  const types = [value['type']].flat();
  const int64 = isInt64(value);
  const integer = int64 || (types.includes('integer') && !types.includes('number'));
  if (int64) {
    delete rewritten['format'];
    rewritten['type'] = types.map((name: unknown) => (name === 'number' ? 'integer' : name));
  }
  const bounds: Record<string, string> = {};
  for (const keyword of BOUND_KEYWORDS) {
    const text = textOfLargeInteger(value[keyword]);
    if (text === undefined) continue;
    bounds[keyword] = text;
    Reflect.deleteProperty(rewritten, keyword);
  }
  const { multipleOf } = value;
  if (integer || multipleOf !== undefined || Object.keys(bounds).length > 0) {
    const step = multipleOf !== undefined && {
      multipleOf: textOfLargeInteger(multipleOf) ?? String(Number(multipleOf)),
    };
    rewritten['exact'] = { integer, int64, bounds, ...step } satisfies ExactRule;
  }
  compareValues(value, rewritten, constants);
}

/** Replaces `const` and `enum`. The validator itself compares texts, booleans and null. */
function compareValues(value: JsonObject, rewritten: Record<string, unknown>, constants: Interner): void {
  const lists: { keyword: Equals['keyword']; allowed: readonly unknown[]; message: string }[] = [];
  if ('const' in value)
    lists.push({ keyword: 'const', allowed: [value['const']], message: 'must be equal to constant' });
  if (Array.isArray(value['enum'])) {
    const message = `must be equal to one of the allowed values: ${quote(value['enum'])}`;
    lists.push({ keyword: 'enum', allowed: value['enum'], message });
  }
  const simple = (item: unknown) => item === null || typeof item === 'string' || typeof item === 'boolean';
  if (lists.every(({ allowed }) => allowed.length > 0 && allowed.every(simple))) return;
  delete rewritten['const'];
  delete rewritten['enum'];
  const equals = lists.map((list) => ({ equals: equalsTo(list, constants) }));
  if (equals.length === 1) Object.assign(rewritten, equals[0]);
  else rewritten['allOf'] = [...listOf(rewritten['allOf']), ...equals];
}

function equalsTo(
  { keyword, allowed, message }: Pick<Equals, 'keyword' | 'message'> & { allowed: readonly unknown[] },
  constants: Interner,
): Equals {
  const doubles = allowed.map((item) =>
    typeof item === 'bigint' && BigInt(Number(item)) === item ? Number(item) : item,
  );
  // A literal in the request may have more digits than its double.
  const numbers = doubles.flatMap((item, i) =>
    !isPlain(item) || typeof item === 'number' ? [constants.of(allowed, i)] : [],
  );
  const text = JSON.stringify(allowed, (_, item: unknown) =>
    typeof item === 'bigint' ? String(item) : item,
  );
  const allowedValues = JSON.parse(text) as unknown[];
  const params = keyword === 'const' ? { allowedValue: allowedValues[0] } : { allowedValues };
  return { keyword, primitives: doubles.filter(isPlain), numbers, message, params };
}

/** Whether a value is equal to others exactly if their JavaScript values are. */
const isPlain = (value: unknown): boolean =>
  typeof value === 'number'
    ? !isRounded(value)
    : typeof value !== 'bigint' && (typeof value !== 'object' || value === null);

/** The text of an integer beyond 2^53; undefined for other values. */
function textOfLargeInteger(value: unknown): string | undefined {
  if (typeof value === 'bigint') return String(value);
  // From 10^21 JavaScript writes a double with an exponent, not as an integer.
  const large = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
  return large && Math.abs(value) < 1e21 ? String(BigInt(value)) : undefined;
}

const quote = (values: readonly unknown[]): string =>
  excerpt(
    values.map((value) => (typeof value === 'string' ? value : stringifyJson(value))).join(', '),
    MAX_QUOTED,
  );

const isStructured = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** Whether values of a list are equal exactly if JavaScript says so. To number them takes more than twice as long. */
const isComparable = (items: readonly unknown[]): boolean =>
  exactNumbersIn(items) === undefined && !items.some(isStructured);

/** Whether all items of a list differ. Stops at the first that is there twice. */
function differ(items: readonly unknown[], interner: Interner): boolean {
  const seen = new Set<number>();
  return items.every((_, i) => seen.size < seen.add(interner.of(items, i)).size);
}

/** The keywords that compare values: numbers exactly, objects and arrays by their number of identity.ts. */
export function equalityKeywords(constants: Interner): CodeKeywordDefinition[] {
  // One root is judged after the other. A WeakMap of them would double the time of garbage collection.
  let latest: object | undefined;
  let interner = new Interner(constants);
  const internerOf = (root: object): Interner => {
    if (root !== latest) interner = new Interner(constants);
    latest = root;
    return interner;
  };
  const duplicates = error('uniqueItems', 'must NOT have duplicate items');
  return [
    functionKeyword<unknown[], true>('unique', 'array', () => (items, _holder, _key, root) => {
      const isValid = isComparable(items)
        ? new Set(items).size === items.length
        : differ(items, internerOf(root));
      return isValid ? undefined : () => duplicates;
    }),
    functionKeyword<unknown, Equals>(
      'equals',
      undefined,
      ({ keyword, primitives, numbers, message, params }) => {
        const [simple, others] = [new Set(primitives), new Set(numbers)];
        const failed = error(keyword, message, params);
        return (value, holder, key, root) => {
          const equal =
            isStructured(value) || hasExact(holder, key)
              ? others.size > 0 && others.has(internerOf(root).of(holder, key))
              : simple.has(value);
          return equal ? undefined : () => failed;
        };
      },
    ),
  ];
}
