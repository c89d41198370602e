import * as fc from 'fast-check';
import type { Schemas } from '../document/direction';
import { list, object } from '../json/json';
import { Literal, print, type Value } from '../json/value';
import {
  type Fragment,
  item,
  listedValues,
  type Location,
  members,
  property,
  propertyNames,
  type Type,
  types,
  variants,
} from './applicable';
import { FORMATS, INTEGER_FORMATS } from './formats';
import type { Oracle } from './oracle';

/** `required`: the least there must be. `all`: everything listed, plain. `any`: whatever the schema admits. */
export type Mode = 'required' | 'all' | 'any';

/** Below this depth only what is required is made, so that recursive schemas end. */
const DEPTH = 4;

/**
 * Values that fit a schema, nearly always: the combinations JSON Schema allows are not all constructed, so what comes out
 * is judged by the oracle before it counts ({@link samples}).
 */
export function arbitrary(schemas: Schemas, location: Location, mode: Mode, depth = 0): fc.Arbitrary<Value> {
  const least = depth > DEPTH ? 'required' : mode;
  return fc.oneof(
    ...variants(schemas, location).map((fragments) => {
      const listed = listedValues(fragments);
      if (listed) return fc.constantFrom(...listed);
      return fc.oneof(...types(fragments).map((type) => typed(schemas, fragments, type, least, depth)));
    }),
  );
}

/** Values at a pointer that the oracle admits: the same ones on every run. */
export function samples(
  schemas: Schemas,
  oracle: Oracle,
  schema: string,
  mode: Mode,
  count: number,
): Value[] {
  const made = arbitrary(schemas, [{ pointer: schema, certain: true }], mode);
  return fc.sample(made, { numRuns: count, seed: 1 }).filter((value) => oracle.valid(schema, value));
}

function typed(
  schemas: Schemas,
  fragments: Fragment[],
  type: Type,
  mode: Mode,
  depth: number,
): fc.Arbitrary<Value> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return integers(fragments, mode);
    case 'number':
      return numbers(fragments, mode);
    case 'string':
      return textual(fragments, mode);
    case 'array':
      return arrays(schemas, fragments, mode, depth);
    case 'object':
      return objects(schemas, fragments, mode, depth);
  }
}

/** The tightest of a numeric keyword over all fragments. */
function tightest(fragments: readonly Fragment[], keyword: string, pick: 'max' | 'min'): number | undefined {
  const limits = fragments.map(({ schema }) => schema[keyword]).filter((limit) => typeof limit === 'number');
  return limits.length > 0 ? Math[pick](...limits) : undefined;
}

/** Inclusive integer bounds, those of the integer formats included. */
function integerBounds(fragments: readonly Fragment[]): { low?: bigint; high?: bigint } {
  const lows: bigint[] = [];
  const highs: bigint[] = [];
  for (const { schema } of fragments) {
    const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, format } = schema;
    if (typeof minimum === 'number') lows.push(BigInt(Math.ceil(minimum)));
    if (typeof exclusiveMinimum === 'number') lows.push(BigInt(Math.floor(exclusiveMinimum)) + 1n);
    if (typeof maximum === 'number') highs.push(BigInt(Math.floor(maximum)));
    if (typeof exclusiveMaximum === 'number') highs.push(BigInt(Math.ceil(exclusiveMaximum)) - 1n);
    const bounds = typeof format === 'string' ? INTEGER_FORMATS[format] : undefined;
    if (bounds) {
      lows.push(BigInt(Number(bounds['minimum'])));
      highs.push(BigInt(Number(bounds['exclusiveMaximum'])) - 1n);
    }
  }
  const low = lows.reduce<bigint | undefined>((a, b) => (a === undefined || b > a ? b : a), undefined);
  const high = highs.reduce<bigint | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined);
  return { ...(low !== undefined && { low }), ...(high !== undefined && { high }) };
}

function integers(fragments: Fragment[], mode: Mode): fc.Arbitrary<Value> {
  const step = BigInt(Math.max(1, Math.floor(tightest(fragments, 'multipleOf', 'max') ?? 1)));
  const { low = -(2n ** 62n), high = 2n ** 62n } = integerBounds(fragments);
  const up = (n: bigint): bigint => n / step + (n % step > 0n ? 1n : 0n);
  const down = (n: bigint): bigint => n / step - (n % step < 0n ? 1n : 0n);
  const [least, most] = [up(low), down(high)];
  if (least > most) return fc.constant(new Literal(String(low))); // nothing fits; the oracle will say so
  const made = (from: bigint, to: bigint): fc.Arbitrary<Value> =>
    fc.bigInt(from, to).map((count) => new Literal(String(count * step)));
  if (mode === 'any') return made(least, most);
  // Plain numbers are small and positive where they may be.
  const from = least > 1n ? least : most < 1n ? most : 1n;
  return made(from, most < from + 1000n ? most : from + 1000n);
}

function numbers(fragments: Fragment[], mode: Mode): fc.Arbitrary<Value> {
  const low = Math.max(
    tightest(fragments, 'minimum', 'max') ?? -1e6,
    tightest(fragments, 'exclusiveMinimum', 'max') ?? -1e6,
  );
  const high = Math.min(
    tightest(fragments, 'maximum', 'min') ?? Math.max(low, 0) + 1e6,
    tightest(fragments, 'exclusiveMaximum', 'min') ?? Math.max(low, 0) + 1e6,
  );
  const step = tightest(fragments, 'multipleOf', 'max');
  if (step !== undefined) {
    const places = String(step).split('.')[1]?.length ?? 0;
    const most = Math.max(0, Math.min(1000, Math.floor((high - Math.max(low, 0)) / step)));
    const base = Math.ceil(Math.max(low, 0) / step);
    return fc.nat(most).map((n) => new Literal(((base + n) * step).toFixed(places)));
  }
  if (mode !== 'any') return fc.constantFrom(low + (high - low) / 4, low + (high - low) / 2).map(literal);
  // A float has 24 bits of precision: a server may refuse, or round, what has more.
  const single = fragments.some(({ schema }) => schema['format'] === 'float');
  return fc
    .double({ min: low, max: high, noNaN: true })
    .map((number) => literal(single ? within(Math.fround(number), low, high) : number));
}

const within = (number: number, low: number, high: number): number =>
  number < low || number > high ? Math.fround((low + high) / 2) : number;

const literal = (number: number): Literal => new Literal(Object.is(number, -0) ? '-0' : String(number));

function textual(fragments: Fragment[], mode: Mode): fc.Arbitrary<Value> {
  const minLength = tightest(fragments, 'minLength', 'max') ?? 0;
  const maxLength = tightest(fragments, 'maxLength', 'min') ?? minLength + (mode === 'any' ? 20 : 12);
  for (const { schema } of fragments) {
    const known = typeof schema['format'] === 'string' ? FORMATS[schema['format']] : undefined;
    if (known) return fc.constantFrom(...known.fits);
    if (typeof schema['pattern'] === 'string') {
      return matching(schema['pattern'], Math.max(maxLength, 40));
    }
  }
  if (mode === 'any') return fc.string({ unit: 'binary', minLength, maxLength });
  return fc
    .constantFrom('monday', 'tuesday', 'wednesday')
    .map((word) => word.slice(0, Math.max(maxLength, 0)).padEnd(minLength, 'abc'));
}

function arrays(schemas: Schemas, fragments: Fragment[], mode: Mode, depth: number): fc.Arbitrary<Value> {
  const prefix = Math.max(...fragments.map(({ schema }) => list(schema['prefixItems']).length));
  const contains = members(fragments, 'contains');
  const least = Math.max(tightest(fragments, 'minItems', 'max') ?? 0, contains.length > 0 ? 1 : 0);
  const most = tightest(fragments, 'maxItems', 'min') ?? Math.max(least, prefix) + 3;
  const wanted = {
    required: least,
    all: Math.min(Math.max(least, prefix, 1), most),
    any: Math.min(least + 3, most),
  };
  const unique = fragments.some(({ schema }) => schema['uniqueItems'] === true);
  const element = (index: number): fc.Arbitrary<Value> => {
    const at = index >= prefix && index - prefix < contains.length ? contains : item(fragments, index);
    return arbitrary(schemas, at, unique && wanted[mode] > 1 ? 'any' : mode, depth + 1);
  };
  const all = fc.tuple(...Array.from({ length: wanted[mode] }, (_, index) => element(index)));
  const sized = mode === 'any' ? fc.tuple(all, fc.integer({ min: least, max: wanted.any })) : undefined;
  const made = sized ? sized.map(([items, length]) => items.slice(0, length)) : all;
  if (!unique) return made;
  return made.map((items) => [...new Map(items.map((entry) => [print(entry), entry])).values()]);
}

function objects(schemas: Schemas, fragments: Fragment[], mode: Mode, depth: number): fc.Arbitrary<Value> {
  const { listed, required } = propertyNames(fragments);
  const patterned = fragments.flatMap(({ schema }) => Object.keys(object(schema['patternProperties'])));
  const some = (pattern: string): string | undefined =>
    fc.sample(fc.stringMatching(new RegExp(pattern, 'u'), { maxLength: 12 }), { numRuns: 1, seed: 1 })[0];
  const described = fragments.some(({ schema }) =>
    [schema['additionalProperties'], schema['unevaluatedProperties']].some(
      (others) => Object.keys(object(others)).length > 0,
    ),
  );
  const fillers = [
    ...patterned.map(some).filter((name) => name !== undefined),
    ...(described ? ['extra1'] : []),
  ];
  const names = new Set(mode === 'required' ? required : [...listed, ...fillers]);
  const least = tightest(fragments, 'minProperties', 'max') ?? (mode === 'all' && names.size === 0 ? 1 : 0);
  const spare = [...listed, ...fillers, ...Array.from({ length: least }, (_, n) => `extra${n + 1}`)];
  for (const name of spare) if (names.size < least) names.add(name);
  const entries = Object.fromEntries(
    [...names].map((name) => [name, arbitrary(schemas, property(fragments, name), mode, depth + 1)]),
  );
  const kept = mode === 'any' ? required.filter((name) => names.has(name)) : [...names];
  return fc.record(entries, { requiredKeys: kept }).map((made) => new Map(Object.entries(made)));
}

const arbitraries = new Map<string, fc.Arbitrary<string>>();

/** Strings of a pattern. fast-check takes milliseconds to make sense of one, and each is asked for many times. */
function matching(pattern: string, maxLength: number): fc.Arbitrary<string> {
  const key = `${maxLength} ${pattern}`;
  const known = arbitraries.get(key) ?? fc.stringMatching(new RegExp(pattern, 'u'), { maxLength });
  arbitraries.set(key, known);
  return known;
}
