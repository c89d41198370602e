import { type Json, asArray, asObject, asStrings, asString } from '../json/tree';
import { fromJson, NumberLiteral, print, type Value } from '../json/value';
import { type Subschema, propertyNames, type Type, admittedTypes, TYPES } from './locations';
import { INTEGER_BOUNDARIES, STRING_FORMATS, type Boundary } from './known-formats';
import { decimalOf, print as printDecimal } from './numbers';
import { regExpOf } from './strings';

/** The input of a rule. */
interface BoundaryContext {
  /** The value of the keyword in the schema. */
  readonly limit: Json;
  /** The valid value at the instance location. */
  readonly value: Value;
  /** All that apply at the instance location. */
  readonly subschemas: readonly Subschema[];
}

type Rule = (context: BoundaryContext) => Boundary;

/** Simple values of each type. */
const VALUES_BY_TYPE: Readonly<Record<Type, Value[]>> = {
  null: [null],
  boolean: [true, false],
  integer: [new NumberLiteral('7')],
  number: [new NumberLiteral('7.5')],
  string: ['a word', '7', 'true', ''],
  array: [[], [new NumberLiteral('7')]],
  object: [new Map(), new Map<string, Value>([['a', new NumberLiteral('7')]])],
};

const VALUES = TYPES.flatMap((type) => VALUES_BY_TYPE[type]);

/** A text that every style of a parameter carries. */
const LONG_WORD = 'x'.repeat(200);

/** Strings that servers often handle wrongly: empty, U+0000, astral, combining, controls, right-to-left, BOM, quotes, long. */
const UNUSUAL_STRINGS = [
  '',
  '\u0000',
  'a\u0000b',
  '\u{1f331}',
  'e\u0301',
  '\u001f\u007f',
  '\u202eabc',
  '\ufeff',
  '"\\</&\'%',
  'x'.repeat(5000),
  // Whatever a server cuts, one of them is cut inside of a surrogate pair.
  ...['', 'a'].map((start) => start + '\u{1f331}'.repeat(300)),
];

/** One item more than the largest round bound that lists often have. */
const MOST_ITEMS = 1_001;

/** The keywords that a value can violate, each with values on both sides of its bound. */
export const BOUNDARIES: ReadonlyMap<string, Rule> = new Map(
  Object.entries<Rule>({
    type: ({ limit, subschemas }) => {
      const types = [limit].flat();
      const allows = (type: Type): boolean =>
        types.includes(type) || (type === 'integer' && types.includes('number'));
      const hasNoFormat = subschemas.every(({ schema }) => schema['format'] === undefined);
      return {
        holds: [
          ...TYPES.filter(allows).flatMap((type) => VALUES_BY_TYPE[type]),
          ...(types.includes('string') && hasNoFormat ? UNUSUAL_STRINGS : []),
        ],
        violates: TYPES.filter((type) => !allows(type)).flatMap((type) => VALUES_BY_TYPE[type]),
      };
    },
    enum: ({ limit }) => ({
      holds: asArray(limit).map(fromJson),
      violates: asArray(limit).flatMap((entry) => neighbors(fromJson(entry))),
    }),
    const: ({ limit }) => ({ holds: [fromJson(limit)], violates: neighbors(fromJson(limit)) }),
    minimum: (context) => aroundBound(context, 0, -1),
    maximum: (context) => aroundBound(context, 0, 1),
    exclusiveMinimum: (context) => aroundBound(context, 1, 0),
    exclusiveMaximum: (context) => aroundBound(context, -1, 0),
    multipleOf: ({ limit, value }) => {
      const { digits, places } = decimalOf(Number(limit));
      const count =
        value instanceof NumberLiteral ? BigInt(Math.round(Number(value.text) / Number(limit))) : 1n;
      const at = (tenths: bigint): NumberLiteral =>
        new NumberLiteral(printDecimal(tenths * digits, places + 1));
      const next = new NumberLiteral(printDecimal(count * digits + 1n, 0));
      return {
        holds: [at(10n * count), at(10n * (count + 1n))],
        violates: [places === 0 && digits > 1n ? next : at(10n * count + 5n)],
      };
    },
    minLength: ({ limit }) => ({
      holds: stringsOfLength(Number(limit)),
      violates: stringsOfLength(Number(limit) - 1),
    }),
    maxLength: ({ limit }) => ({
      holds: stringsOfLength(Number(limit)),
      violates: stringsOfLength(Number(limit) + 1),
    }),
    pattern: ({ limit }) => ({
      violates: ['', '!', 'a', 'A', '0', ' ', '\u0000', '_-_'].filter(
        (text) => !regExpOf(asString(limit)).test(text),
      ),
    }),
    format: ({ limit }) => {
      const format = asString(limit);
      return INTEGER_BOUNDARIES.get(format) ?? STRING_FORMATS.get(format) ?? {};
    },
    required: ({ limit, value }) => ({ violates: withoutMembers(value, limit) }),
    minProperties: ({ limit, value }) => ({ violates: withPropertyCount(value, Number(limit) - 1) }),
    maxProperties: ({ limit, value }) => ({
      holds: withPropertyCount(value, Number(limit)),
      violates: withPropertyCount(value, Number(limit) + 1),
    }),
    additionalProperties: withExtraProperty,
    unevaluatedProperties: withExtraProperty,
    propertyNames: ({ value }) => ({
      violates:
        value instanceof Map
          ? ['', '!', ' A', '0', 'x'.repeat(200)].map((name) => new Map([...value, [name, 'unlisted']]))
          : [],
    }),
    dependentRequired: ({ limit, value }) => ({
      violates: Object.entries(asObject(limit))
        .filter(([trigger]) => value instanceof Map && value.has(trigger))
        .flatMap(([, names]) => withoutMembers(value, names)),
    }),
    minItems: ({ limit, value }) => ({
      holds: withLength(value, Number(limit)),
      violates: withLength(value, Number(limit) - 1),
    }),
    maxItems: ({ limit, value }) => ({
      holds: withLength(value, Number(limit)),
      violates: withLength(value, Number(limit) + 1),
    }),
    uniqueItems: ({ value }) => {
      const [first] = Array.isArray(value) ? value : [];
      if (!Array.isArray(value) || first === undefined) return {};
      return {
        holds: neighbors(first).map((other) => [first, other]),
        violates: [first, ...equals(first)].map((same) => [...value, same]),
      };
    },
    contains: () => ({ violates: [[], [null], ['none of these']] }),
    unevaluatedItems: withExtraItems,
    items: withExtraItems,
    anyOf: () => ({ violates: [...VALUES, LONG_WORD] }),
    oneOf: () => ({ violates: [...VALUES, LONG_WORD] }),
    not: ({ limit }) => {
      const { enum: listed, const: only } = asObject(limit);
      const forbidden = [...asArray(listed), ...(only === undefined ? [] : [only])];
      return { violates: [...forbidden.map(fromJson), ...VALUES] };
    },
  }),
);

/** Values that differ little from a value: another letter case, another type, the next number. */
function neighbors(value: Value): Value[] {
  if (typeof value === 'string')
    return [`${value}x`, value.toUpperCase(), value.toLowerCase(), ` ${value}`, ''];
  if (value instanceof NumberLiteral) return [new NumberLiteral(String(Number(value.text) + 1)), value.text];
  return [print(value), new NumberLiteral('7')];
}

/** The same value in another text (JSON Schema 2020-12 core section 4.2.2): `1.0` for `1`, members in another order. */
function equals(value: Value): Value[] {
  if (value instanceof NumberLiteral)
    return /^-?\d+$/.test(value.text) ? [new NumberLiteral(`${value.text}.0`)] : [];
  return value instanceof Map && value.size > 1 ? [new Map([...value].reverse())] : [];
}

/** Values at a number of steps from a numeric bound: of 1 for integers, else of its last decimal place. */
function aroundBound({ limit, subschemas }: BoundaryContext, inside: number, outside: number): Boundary {
  const bound = Number(limit);
  const { digits, places } = decimalOf(bound);
  const whole = admittedTypes(subschemas).includes('integer') || places === 0;
  // Beyond 2^53 the next integer is no double, and the bound itself was parsed as a double.
  if (Math.abs(bound) >= 2 ** 53) return {};
  const step = whole ? 10n ** BigInt(places) : 1n;
  const at = (steps: number): NumberLiteral =>
    new NumberLiteral(printDecimal(digits + BigInt(steps) * step, places));
  return { holds: [at(inside)], violates: [at(outside), ...(whole ? [] : [at(outside * 1000)])] };
}

/**
 * Strings of a length in code points: ASCII, and astral characters (two UTF-16 units and four bytes each) that begin at an
 * even and at an odd unit: a cut at any unit divides one of them.
 */
const stringsOfLength = (length: number): string[] =>
  length < 0 || length > 100_000
    ? []
    : [
        'a'.repeat(length),
        '\u{1f331}'.repeat(length),
        ...(length > 1 ? [`a${'\u{1f331}'.repeat(length - 1)}`] : []),
      ];

/** The object without one of these members, for each of them. */
const withoutMembers = (value: Value, names: Json): Value[] =>
  value instanceof Map
    ? asStrings(names).map((name) => new Map([...value].filter(([key]) => key !== name)))
    : [];

/** The object with a number of properties. */
function withPropertyCount(value: Value, size: number): Value[] {
  if (!(value instanceof Map) || size < 0 || size > 1000) return [];
  const entries = [...value].slice(0, size);
  for (let n = 0; entries.length < size; n++) entries.push([`extra${n}`, [...value.values()][0] ?? 'extra']);
  return [new Map(entries)];
}

/** The array with a number of items: with distinct new items, and with equal ones. */
function withLength(value: Value, size: number): Value[] {
  if (!Array.isArray(value) || size < 0 || size > MOST_ITEMS) return [];
  const last = value.at(-1) ?? 'item';
  const vary = (entry: Value, n: number): Value => {
    if (typeof entry === 'string') return `${entry}${n}`;
    if (entry instanceof NumberLiteral) return new NumberLiteral(String(Number(entry.text) + n));
    if (!(entry instanceof Map)) return entry;
    return new Map([...entry].map(([name, member]) => [name, vary(member, n)]));
  };
  const filled = Array.from({ length: size }, (_, n) => value[n] ?? vary(last, n));
  return [filled, Array.from({ length: size }, (_, n) => value[n] ?? last)];
}

/** The object with a property that no schema lists: a value of each type, since a schema may constrain it. */
function withExtraProperty({ limit, value, subschemas }: BoundaryContext): Boundary {
  if (!(value instanceof Map)) return {};
  const { listed } = propertyNames(subschemas);
  const name = ['extra', 'unlisted', '__extra'].find((candidate) => !listed.includes(candidate)) ?? 'extra1';
  const extended = VALUES.map((member) => new Map([...value, [name, member]]));
  return limit === false ? { violates: extended.slice(0, 2) } : { holds: extended, violates: extended };
}

/** The array with an item more, where the keyword forbids it. */
function withExtraItems({ limit, value }: BoundaryContext): Boundary {
  const isForbidden = Array.isArray(value) && limit === false;
  return isForbidden ? { violates: [null, 'more'].map((item) => [...value, item]) } : {};
}
