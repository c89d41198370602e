import * as fc from 'fast-check';
import type { Schemas } from '../document/direction';
import { asArray, asObject } from '../json/tree';
import { print, type Value } from '../json/value';
import { Memo } from '../memo';
import {
  anyValueOf,
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
  branchesOf,
} from './locations';
import { type Expansion, expansionOf } from './expansion';
import { STRING_FORMATS } from './known-formats';
import { numberValues } from './numbers';
import type { Oracle } from './oracle';
import { ANY_CHARACTER, textsOf } from './strings';
import { variations } from './variations';

/** `required`: required members only. `all`: every listed member, with simple values. `any`: random valid values. */
export type Mode = 'required' | 'all' | 'any';

/** The depth below which there are no values: a recursive schema that requires itself has none that end. */
const ENDLESS = 16;

/** The greatest length of a generated text, and the greatest number of items or properties. */
const [MAX_LENGTH, MAX_COUNT] = [100_000, 1_000];

/** How many generated values the valid ones near them are made of. */
const NEAR = 8;
/** How many parts with other branches these are made with. */
const MAX_BRANCHED = 1_000;

/** No value is valid, or none can be generated: the oracle rejects this one. */
const NOTHING: fc.Arbitrary<Value> = fc.constant(null);

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
      mode: place.expansion.includes(parent, child, place.depth + 1) ? mode : 'required',
    },
    child,
  );

function createArbitrary(place: Place, locations: SchemaLocations): fc.Arbitrary<Value> {
  const { schemas, depth } = place;
  if (depth > ENDLESS) return NOTHING;
  return oneOf(
    branchCombinations(schemas, locations).map((subschemas) => combined(place, locations, subschemas)),
  );
}

/** The values of one combination of branches. */
function combined(place: Place, locations: SchemaLocations, subschemas: Subschema[]): fc.Arbitrary<Value> {
  const listed = enumeratedValues(subschemas);
  if (listed) return listed.length > 0 ? fc.constantFrom(...listed) : NOTHING;
  return oneOf(admittedTypes(subschemas).map((type) => valuesOfType(place, locations, subschemas, type)));
}

/** Values of any of these kinds, of those that have some. */
function oneOf(kinds: readonly fc.Arbitrary<Value>[]): fc.Arbitrary<Value> {
  const some = kinds.filter((kind) => kind !== NOTHING);
  return some.length > 0 ? fc.oneof(...some) : NOTHING;
}

const drawn = new Memo<Schemas, { values: Value[] }>();
const found = new Memo<Schemas, { value: Value | undefined }>();

/** Values that the oracle confirms, or one that a search finds; the same on every run. */
export function samples(
  schemas: Schemas,
  oracle: Oracle,
  schema: string,
  mode: Mode,
  count: number,
): Value[] {
  const known = drawn.get(schemas, `${mode} ${schema}`, () => ({ values: [] }));
  if (known.values.length < count) {
    const values = arbitrary(schemas, anyValueOf(schema), mode);
    known.values = fc.sample(values, { numRuns: count, seed: 1 });
  }
  // The first values do not depend on their number.
  const values = known.values.slice(0, count);
  const valid = values.filter((value) => oracle.valid(schema, value));
  if (valid.length > 0) return valid;
  const { value } = found.get(schemas, `${mode} ${schema}`, () => {
    for (const changed of variations(schemas, anyValueOf(schema), values))
      if (oracle.valid(schema, changed)) return { value: changed };
    return { value: undefined };
  });
  return value === undefined ? [] : [value];
}

/**
 * Valid values near generated ones: with each branch of a part, of which there may be more than draws; and with little changed
 * in those that are not valid, as another part may decide which branch applies.
 */
export function* nearSamples(schemas: Schemas, oracle: Oracle, schema: string): Generator<Value> {
  const locations = anyValueOf(schema);
  const values = fc.sample(arbitrary(schemas, locations, 'all'), { numRuns: NEAR, seed: 1 });
  const budget = { parts: MAX_BRANCHED };
  for (const value of values)
    for (const changed of branched(schemas, locations, value, budget))
      if (oracle.valid(schema, changed)) yield changed;
  for (const changed of variations(schemas, locations, values))
    if (oracle.valid(schema, changed)) yield changed;
}

/**
 * The value with each branch of one of its parts.
 *
 * @param budget the parts that are still made: each costs the combinations below it
 */
function* branched(
  schemas: Schemas,
  locations: SchemaLocations,
  value: Value,
  budget: { parts: number },
): Generator<Value> {
  const few = branchCombinations(schemas, locations);
  if (few.length > 1 && budget.parts > 0) {
    const place: Place = { schemas, mode: 'all', depth: 0, expansion: expansionOf(schemas, locations) };
    for (const subschemas of branchesOf(schemas, locations)) {
      if (budget.parts-- <= 0) return;
      const values = combined(place, locations, subschemas);
      if (values !== NOTHING) yield* fc.sample(values, { numRuns: 1, seed: 1 });
    }
  }
  const subschemas = [...new Map(few.flat().map((one) => [one.pointer, one])).values()];
  if (value instanceof Map) {
    for (const [name, member] of value)
      for (const other of branched(schemas, propertyLocations(subschemas, name), member, budget))
        yield new Map([...value, [name, other]]);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      for (const other of branched(schemas, itemLocations(subschemas, index), item, budget))
        yield value.with(index, other);
  }
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
    case 'number':
      return numberValues(subschemas, type === 'integer', mode !== 'any') ?? NOTHING;
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

function stringValues(subschemas: Subschema[], mode: Mode): fc.Arbitrary<Value> {
  const minLength = tightest(subschemas, 'minLength', 'max') ?? 0;
  const longest = tightest(subschemas, 'maxLength', 'min');
  const maxLength = longest ?? minLength + (mode === 'any' ? 20 : 12);
  if (minLength > maxLength || minLength > MAX_LENGTH) return NOTHING;
  const texts = (keyword: string): string[] =>
    subschemas.flatMap(({ schema }) => (typeof schema[keyword] === 'string' ? schema[keyword] : []));
  const [format] = texts('format').flatMap((name) => STRING_FORMATS.get(name) ?? []);
  // Longer texts of some formats end with any letters.
  if (format)
    return fc.constantFrom(...format.holds, ...format.holds.map((text) => text.padEnd(minLength, 'a')));
  const patterns = texts('pattern');
  if (patterns.length > 0) {
    const matching = textsOf(patterns, { least: minLength, most: longest ?? MAX_LENGTH });
    return matching.length > 0 ? fc.constantFrom(...matching) : NOTHING;
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
  const containing = contains.length > 0 ? (tightest(subschemas, 'minContains', 'max') ?? 1) : 0;
  const least = Math.max(
    tightest(subschemas, 'minItems', 'max') ?? 0,
    containing > 0 ? prefix + containing : 0,
  );
  const most = tightest(subschemas, 'maxItems', 'min') ?? Math.max(least, prefix) + 3;
  if (least > most || least > MAX_COUNT) return NOTHING;
  const hasRest = subschemas.some(({ schema }) => typeof schema['items'] === 'object');
  const lengths = {
    required: least,
    all: Math.min(Math.max(least, prefix + (hasRest || prefix === 0 ? 1 : 0)), most),
    any: Math.min(least + 3, most),
  };
  const isUnique = subschemas.some(({ schema }) => schema['uniqueItems'] === true);
  const element = (index: number): fc.Arbitrary<Value> => {
    const locations =
      index >= prefix && index - prefix < containing ? contains : itemLocations(subschemas, index);
    return below(place, owner, locations, isUnique && lengths[mode] > 1 ? 'any' : mode);
  };
  const elements = Array.from({ length: lengths[mode] }, (_, index) => element(index));
  const missing = elements.indexOf(NOTHING);
  if (missing >= 0 && missing < least) return NOTHING;
  const all = fc.tuple(...(missing < 0 ? elements : elements.slice(0, missing)));
  const truncated =
    mode === 'any' ? fc.tuple(all, fc.integer({ min: least, max: Math.max(least, lengths.any) })) : undefined;
  const arrays = truncated ? truncated.map(([items, length]) => items.slice(0, length)) : all;
  if (!isUnique) return arrays;
  return arrays.map((items) => [...new Map(items.map((entry) => [print(entry), entry])).values()]);
}

function objectValues(place: Place, owner: SchemaLocations, subschemas: Subschema[]): fc.Arbitrary<Value> {
  const { mode } = place;
  const { listed, required } = propertyNames(subschemas);
  const patterns = subschemas.flatMap(({ schema }) => Object.keys(asObject(schema['patternProperties'])));
  const nameMatching = (pattern: string): string | undefined =>
    textsOf([pattern], { least: 0, most: 100 })[0];
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
  if (least > MAX_COUNT) return NOTHING;
  const spare = [...listed, ...fillers, ...freeNames(place.schemas, subschemas, least)];
  for (const name of spare) if (names.size < least) names.add(name);
  const entries = Object.fromEntries(
    [...names].map((name) => [name, below(place, owner, propertyLocations(subschemas, name))]),
  );
  // A schema without a valid value forbids its property.
  for (const [name, values] of Object.entries(entries)) {
    if (values !== NOTHING) continue;
    if (required.includes(name)) return NOTHING;
    Reflect.deleteProperty(entries, name);
    names.delete(name);
  }
  const kept = mode === 'any' ? required.filter((name) => names.has(name)) : [...names];
  return fc.record(entries, { requiredKeys: kept }).map((record) => new Map(Object.entries(record)));
}

/** Names of properties that no schema lists. */
function freeNames(schemas: Schemas, subschemas: readonly Subschema[], count: number): string[] {
  const named = keywordLocations(subschemas, 'propertyNames');
  if (named.length === 0) return Array.from({ length: count }, (_, n) => `extra${n + 1}`);
  const text = [{ pointer: '', schema: { type: 'string' }, unconditional: true }];
  const names = branchCombinations(schemas, named).map((found) => stringValues([...found, ...text], 'any'));
  return fc.sample(oneOf(names), { numRuns: 4 * count, seed: 1 }).filter((name) => typeof name === 'string');
}
