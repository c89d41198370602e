import * as fc from 'fast-check';
import type { Schemas } from '../document/direction';
import { asArray, asObject } from '../json/json';
import { NumberLiteral, print, type Value } from '../json/value';
import {
  type Subschema,
  itemLocations,
  enumeratedValues,
  type SchemaLocations,
  keywordLocations,
  propertyLocations,
  propertyNames,
  type Type,
  admittedTypes,
  branchCombinations,
} from './applicable';
import { STRING_FORMATS, INTEGER_FORMATS } from './formats';
import type { Oracle } from './oracle';

/** `required`: the least there must be. `all`: everything listed, plain. `any`: whatever the schema admits. */
export type Mode = 'required' | 'all' | 'any';

/** Below this depth only what is required is made, so that recursive schemas end. */
const MAX_DEPTH = 4;

/**
 * Values that fit a schema, nearly always: the combinations JSON Schema allows are not all constructed, so what comes out
 * is judged by the oracle before it counts ({@link samples}).
 */
export function arbitrary(
  schemas: Schemas,
  location: SchemaLocations,
  mode: Mode,
  depth = 0,
): fc.Arbitrary<Value> {
  const least = depth > MAX_DEPTH ? 'required' : mode;
  return fc.oneof(
    ...branchCombinations(schemas, location).map((subschemas) => {
      const listed = enumeratedValues(subschemas);
      if (listed) return fc.constantFrom(...listed);
      return fc.oneof(
        ...admittedTypes(subschemas).map((type) => valuesOfType(schemas, subschemas, type, least, depth)),
      );
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
  const made = arbitrary(schemas, [{ pointer: schema, unconditional: true }], mode);
  return fc.sample(made, { numRuns: count, seed: 1 }).filter((value) => oracle.valid(schema, value));
}

function valuesOfType(
  schemas: Schemas,
  subschemas: Subschema[],
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
      return integerValues(subschemas, mode);
    case 'number':
      return numberValues(subschemas, mode);
    case 'string':
      return stringValues(subschemas, mode);
    case 'array':
      return arrayValues(schemas, subschemas, mode, depth);
    case 'object':
      return objectValues(schemas, subschemas, mode, depth);
  }
}

/** The tightest of a numeric keyword over all subschemas. */
function tightest(
  subschemas: readonly Subschema[],
  keyword: string,
  pick: 'max' | 'min',
): number | undefined {
  const limits = subschemas.map(({ schema }) => schema[keyword]).filter((limit) => typeof limit === 'number');
  return limits.length > 0 ? Math[pick](...limits) : undefined;
}

/** Inclusive integer bounds, those of the integer formats included. */
function integerBounds(subschemas: readonly Subschema[]): { low?: bigint; high?: bigint } {
  const lows: bigint[] = [];
  const highs: bigint[] = [];
  for (const { schema } of subschemas) {
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

function integerValues(subschemas: Subschema[], mode: Mode): fc.Arbitrary<Value> {
  const step = BigInt(Math.max(1, Math.floor(tightest(subschemas, 'multipleOf', 'max') ?? 1)));
  const { low = -(2n ** 62n), high = 2n ** 62n } = integerBounds(subschemas);
  const up = (n: bigint): bigint => n / step + (n % step > 0n ? 1n : 0n);
  const down = (n: bigint): bigint => n / step - (n % step < 0n ? 1n : 0n);
  const [least, most] = [up(low), down(high)];
  if (least > most) return fc.constant(new NumberLiteral(String(low))); // nothing fits; the oracle will say so
  const made = (from: bigint, to: bigint): fc.Arbitrary<Value> =>
    fc.bigInt(from, to).map((count) => new NumberLiteral(String(count * step)));
  if (mode === 'any') return made(least, most);
  // Plain numbers are small and positive where they may be.
  const from = least > 1n ? least : most < 1n ? most : 1n;
  return made(from, most < from + 1000n ? most : from + 1000n);
}

function numberValues(subschemas: Subschema[], mode: Mode): fc.Arbitrary<Value> {
  const low = Math.max(
    tightest(subschemas, 'minimum', 'max') ?? -1e6,
    tightest(subschemas, 'exclusiveMinimum', 'max') ?? -1e6,
  );
  const high = Math.min(
    tightest(subschemas, 'maximum', 'min') ?? Math.max(low, 0) + 1e6,
    tightest(subschemas, 'exclusiveMaximum', 'min') ?? Math.max(low, 0) + 1e6,
  );
  const step = tightest(subschemas, 'multipleOf', 'max');
  if (step !== undefined) {
    const places = String(step).split('.')[1]?.length ?? 0;
    const most = Math.max(0, Math.min(1000, Math.floor((high - Math.max(low, 0)) / step)));
    const base = Math.ceil(Math.max(low, 0) / step);
    return fc.nat(most).map((n) => new NumberLiteral(((base + n) * step).toFixed(places)));
  }
  if (mode !== 'any') return fc.constantFrom(low + (high - low) / 4, low + (high - low) / 2).map(toLiteral);
  // A float has 24 bits of precision: a server may refuse, or round, what has more.
  const single = subschemas.some(({ schema }) => schema['format'] === 'float');
  return fc
    .double({ min: low, max: high, noNaN: true })
    .map((number) => toLiteral(single ? clampToFloat(Math.fround(number), low, high) : number));
}

const clampToFloat = (number: number, low: number, high: number): number =>
  number < low || number > high ? Math.fround((low + high) / 2) : number;

const toLiteral = (number: number): NumberLiteral =>
  new NumberLiteral(Object.is(number, -0) ? '-0' : String(number));

function stringValues(subschemas: Subschema[], mode: Mode): fc.Arbitrary<Value> {
  const minLength = tightest(subschemas, 'minLength', 'max') ?? 0;
  const maxLength = tightest(subschemas, 'maxLength', 'min') ?? minLength + (mode === 'any' ? 20 : 12);
  for (const { schema } of subschemas) {
    const known = typeof schema['format'] === 'string' ? STRING_FORMATS[schema['format']] : undefined;
    if (known) return fc.constantFrom(...known.fits);
    if (typeof schema['pattern'] === 'string') {
      return stringsMatching(schema['pattern'], Math.max(maxLength, 40));
    }
  }
  if (mode === 'any') return fc.string({ unit: 'binary', minLength, maxLength });
  return fc
    .constantFrom('monday', 'tuesday', 'wednesday')
    .map((word) => word.slice(0, Math.max(maxLength, 0)).padEnd(minLength, 'abc'));
}

function arrayValues(
  schemas: Schemas,
  subschemas: Subschema[],
  mode: Mode,
  depth: number,
): fc.Arbitrary<Value> {
  const prefix = Math.max(...subschemas.map(({ schema }) => asArray(schema['prefixItems']).length));
  const contains = keywordLocations(subschemas, 'contains');
  const least = Math.max(tightest(subschemas, 'minItems', 'max') ?? 0, contains.length > 0 ? 1 : 0);
  const most = tightest(subschemas, 'maxItems', 'min') ?? Math.max(least, prefix) + 3;
  const wanted = {
    required: least,
    all: Math.min(Math.max(least, prefix, 1), most),
    any: Math.min(least + 3, most),
  };
  const unique = subschemas.some(({ schema }) => schema['uniqueItems'] === true);
  const element = (index: number): fc.Arbitrary<Value> => {
    const at =
      index >= prefix && index - prefix < contains.length ? contains : itemLocations(subschemas, index);
    return arbitrary(schemas, at, unique && wanted[mode] > 1 ? 'any' : mode, depth + 1);
  };
  const all = fc.tuple(...Array.from({ length: wanted[mode] }, (_, index) => element(index)));
  const sized = mode === 'any' ? fc.tuple(all, fc.integer({ min: least, max: wanted.any })) : undefined;
  const made = sized ? sized.map(([items, length]) => items.slice(0, length)) : all;
  if (!unique) return made;
  return made.map((items) => [...new Map(items.map((entry) => [print(entry), entry])).values()]);
}

function objectValues(
  schemas: Schemas,
  subschemas: Subschema[],
  mode: Mode,
  depth: number,
): fc.Arbitrary<Value> {
  const { listed, required } = propertyNames(subschemas);
  const patterned = subschemas.flatMap(({ schema }) => Object.keys(asObject(schema['patternProperties'])));
  const some = (pattern: string): string | undefined =>
    fc.sample(fc.stringMatching(new RegExp(pattern, 'u'), { maxLength: 12 }), { numRuns: 1, seed: 1 })[0];
  const described = subschemas.some(({ schema }) =>
    [schema['additionalProperties'], schema['unevaluatedProperties']].some(
      (others) => Object.keys(asObject(others)).length > 0,
    ),
  );
  const fillers = [
    ...patterned.map(some).filter((name) => name !== undefined),
    ...(described ? ['extra1'] : []),
  ];
  const names = new Set(mode === 'required' ? required : [...listed, ...fillers]);
  const least = tightest(subschemas, 'minProperties', 'max') ?? (mode === 'all' && names.size === 0 ? 1 : 0);
  const spare = [...listed, ...fillers, ...Array.from({ length: least }, (_, n) => `extra${n + 1}`)];
  for (const name of spare) if (names.size < least) names.add(name);
  const entries = Object.fromEntries(
    [...names].map((name) => [
      name,
      arbitrary(schemas, propertyLocations(subschemas, name), mode, depth + 1),
    ]),
  );
  const kept = mode === 'any' ? required.filter((name) => names.has(name)) : [...names];
  return fc.record(entries, { requiredKeys: kept }).map((made) => new Map(Object.entries(made)));
}

const patternArbitraries = new Map<string, fc.Arbitrary<string>>();

/** Strings of a pattern. fast-check takes milliseconds to make sense of one, and each is asked for many times. */
function stringsMatching(pattern: string, maxLength: number): fc.Arbitrary<string> {
  const key = `${maxLength} ${pattern}`;
  const known = patternArbitraries.get(key) ?? fc.stringMatching(new RegExp(pattern, 'u'), { maxLength });
  patternArbitraries.set(key, known);
  return known;
}
