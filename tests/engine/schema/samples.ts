import * as fc from 'fast-check';
import type { Schemas } from '../document/direction';
import { asArray, asObject } from '../json/json';
import { NumberLiteral, print, type Value } from '../json/value';
import { Memo } from '../memo';
import {
  type Subschema,
  itemLocations,
  enumeratedValues,
  type SchemaLocations,
  keywordLocations,
  locationsKey,
  propertyLocations,
  propertyNames,
  type Type,
  admittedTypes,
  branchCombinations,
} from './applicable';
import { STRING_FORMATS, INTEGER_FORMATS } from './formats';
import { type Expansion, expansionOf, MAX_DEPTH } from './expansion';
import type { Oracle } from './oracle';
import { ANY_CHARACTER, stringsMatching } from './strings';

/** `required`: required members only. `all`: every listed member, with simple values. `any`: random valid values. */
export type Mode = 'required' | 'all' | 'any';

const arbitraries = new Memo<Schemas, fc.Arbitrary<Value>>();

/**
 * Values that usually fit a schema. The generator does not satisfy every combination of keywords, so the oracle must
 * confirm each value ({@link samples}).
 */
export const arbitrary = (schemas: Schemas, locations: SchemaLocations, mode: Mode): fc.Arbitrary<Value> =>
  within({ schemas, mode, depth: 0, expansion: expansionOf(schemas, locations) }, locations);

/** The place of a value in the value as a whole. */
interface Place {
  readonly schemas: Schemas;
  readonly mode: Mode;
  readonly depth: number;
  readonly expansion: Expansion;
}

const within = (place: Place, locations: SchemaLocations): fc.Arbitrary<Value> =>
  arbitraries.get(
    place.schemas,
    `${place.mode} ${place.depth} ${place.expansion.key} ${locationsKey(place.schemas, locations)}`,
    () => createArbitrary(place, locations),
  );

/** The values of a member or an item. */
const below = (place: Place, parent: SchemaLocations, child: SchemaLocations, mode: Mode = place.mode) =>
  within(
    {
      ...place,
      depth: place.depth + 1,
      mode: place.expansion.includes(parent, child) ? mode : 'required',
    },
    child,
  );

function createArbitrary(place: Place, locations: SchemaLocations): fc.Arbitrary<Value> {
  const { schemas, depth } = place;
  const effective: Place = depth > MAX_DEPTH ? { ...place, mode: 'required' } : place;
  return fc.oneof(
    ...branchCombinations(schemas, locations).map((subschemas) => {
      const listed = enumeratedValues(subschemas);
      if (listed) return fc.constantFrom(...listed);
      return fc.oneof(
        ...admittedTypes(subschemas).map((type) => valuesOfType(effective, locations, subschemas, type)),
      );
    }),
  );
}

const drawn = new Memo<Schemas, { values: Value[] }>();

/** Values that the oracle confirms; the same on every run. */
export function samples(
  schemas: Schemas,
  oracle: Oracle,
  schema: string,
  mode: Mode,
  count: number,
): Value[] {
  const known = drawn.get(schemas, `${mode} ${schema}`, () => ({ values: [] }));
  if (known.values.length < count) {
    const values = arbitrary(schemas, [{ pointer: schema, unconditional: true }], mode);
    known.values = fc.sample(values, { numRuns: count, seed: 1 });
  }
  // The first values do not depend on their number.
  return known.values.slice(0, count).filter((value) => oracle.valid(schema, value));
}

function valuesOfType(
  place: Place,
  locations: SchemaLocations,
  subschemas: Subschema[],
  type: Type,
): fc.Arbitrary<Value> {
  const { mode } = place;
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
      return arrayValues(place, locations, subschemas);
    case 'object':
      return objectValues(place, locations, subschemas);
  }
}

/** The tightest bound of a numeric keyword in all subschemas. */
function tightest(
  subschemas: readonly Subschema[],
  keyword: string,
  pick: 'max' | 'min',
): number | undefined {
  const limits = subschemas.map(({ schema }) => schema[keyword]).filter((limit) => typeof limit === 'number');
  return limits.length > 0 ? Math[pick](...limits) : undefined;
}

/** Inclusive integer bounds, including those of integer formats. */
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
  if (least > most) return fc.constant(new NumberLiteral(String(low))); // No value is valid; the oracle rejects this one.
  const multiples = (from: bigint, to: bigint): fc.Arbitrary<Value> =>
    fc.bigInt(from, to).map((count) => new NumberLiteral(String(count * step)));
  if (mode === 'any') return multiples(least, most);
  // Simple numbers are small and positive if the bounds allow it.
  const from = least > 1n ? least : most < 1n ? most : 1n;
  return multiples(from, most < from + 1000n ? most : from + 1000n);
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
  // A float has 24 bits of precision. A server may refuse or round other numbers.
  const isFloat = subschemas.some(({ schema }) => schema['format'] === 'float');
  return fc
    .double({ min: low, max: high, noNaN: true })
    .map((number) => toLiteral(isFloat ? clampToFloat(Math.fround(number), low, high) : number));
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
    if (known) return fc.constantFrom(...known.holds);
    if (typeof schema['pattern'] === 'string') {
      return stringsMatching(schema['pattern'], Math.max(maxLength, 40));
    }
  }
  if (mode === 'any')
    return fc.oneof(
      fc.string({ unit: ANY_CHARACTER, minLength, maxLength }),
      fc.string({ unit: 'grapheme-ascii', minLength, maxLength }),
    );
  return fc
    .constantFrom('monday', 'tuesday', 'wednesday')
    .map((word) => word.slice(0, Math.max(maxLength, 0)).padEnd(minLength, 'abc'));
}

function arrayValues(place: Place, owner: SchemaLocations, subschemas: Subschema[]): fc.Arbitrary<Value> {
  const { mode } = place;
  const prefix = Math.max(...subschemas.map(({ schema }) => asArray(schema['prefixItems']).length));
  const contains = keywordLocations(subschemas, 'contains');
  const least = Math.max(tightest(subschemas, 'minItems', 'max') ?? 0, contains.length > 0 ? 1 : 0);
  const most = tightest(subschemas, 'maxItems', 'min') ?? Math.max(least, prefix) + 3;
  const lengths = {
    required: least,
    all: Math.min(Math.max(least, prefix, 1), most),
    any: Math.min(least + 3, most),
  };
  const isUnique = subschemas.some(({ schema }) => schema['uniqueItems'] === true);
  const element = (index: number): fc.Arbitrary<Value> => {
    const locations =
      index >= prefix && index - prefix < contains.length ? contains : itemLocations(subschemas, index);
    return below(place, owner, locations, isUnique && lengths[mode] > 1 ? 'any' : mode);
  };
  const all = fc.tuple(...Array.from({ length: lengths[mode] }, (_, index) => element(index)));
  const truncated = mode === 'any' ? fc.tuple(all, fc.integer({ min: least, max: lengths.any })) : undefined;
  const arrays = truncated ? truncated.map(([items, length]) => items.slice(0, length)) : all;
  if (!isUnique) return arrays;
  return arrays.map((items) => [...new Map(items.map((entry) => [print(entry), entry])).values()]);
}

function objectValues(place: Place, owner: SchemaLocations, subschemas: Subschema[]): fc.Arbitrary<Value> {
  const { mode } = place;
  const { listed, required } = propertyNames(subschemas);
  const patterns = subschemas.flatMap(({ schema }) => Object.keys(asObject(schema['patternProperties'])));
  const nameMatching = (pattern: string): string | undefined =>
    fc.sample(fc.stringMatching(new RegExp(pattern, 'u'), { maxLength: 12 }), { numRuns: 1, seed: 1 })[0];
  const hasExtra = subschemas.some(({ schema }) =>
    [schema['additionalProperties'], schema['unevaluatedProperties']].some(
      (others) => Object.keys(asObject(others)).length > 0,
    ),
  );
  const fillers = [
    ...patterns.map(nameMatching).filter((name) => name !== undefined),
    ...(hasExtra ? ['extra1'] : []),
  ];
  const names = new Set(mode === 'required' ? required : [...listed, ...fillers]);
  const least = tightest(subschemas, 'minProperties', 'max') ?? (mode === 'all' && names.size === 0 ? 1 : 0);
  const spare = [...listed, ...fillers, ...Array.from({ length: least }, (_, n) => `extra${n + 1}`)];
  for (const name of spare) if (names.size < least) names.add(name);
  const entries = Object.fromEntries(
    [...names].map((name) => [name, below(place, owner, propertyLocations(subschemas, name))]),
  );
  const kept = mode === 'any' ? required.filter((name) => names.has(name)) : [...names];
  return fc.record(entries, { requiredKeys: kept }).map((record) => new Map(Object.entries(record)));
}
