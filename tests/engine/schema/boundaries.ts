import { type Json, list, object, strings, word } from '../json/json';
import { fromJson, Literal, print, type Value } from '../json/value';
import { type Fragment, propertyNames, type Type, types, TYPES } from './applicable';
import { EDGES, FORMATS, numbers, type Probe } from './formats';

/** What a rule may look at: the keyword's argument, the value now at the place, and all that speaks about the place. */
interface Context {
  readonly limit: Json;
  readonly value: Value;
  readonly fragment: Fragment;
  readonly fragments: readonly Fragment[];
}

/** One value of each type, as plain as can be. */
const OF_TYPE: Readonly<Record<Type, Value[]>> = {
  null: [null],
  boolean: [true, false],
  integer: [new Literal('7')],
  number: [new Literal('7.5')],
  string: ['a word', '7', 'true', ''],
  array: [[], [new Literal('7')]],
  object: [new Map(), new Map<string, Value>([['a', new Literal('7')]])],
};

/** Strings that servers trip over: empty, U+0000, astral, combining, controls, right-to-left, a long one. */
const STRINGS = [
  '',
  '\u0000',
  'a\u0000b',
  '\u{1f331}',
  'e\u0301',
  '\u001f\u007f',
  '\u202eabc',
  '\ufeff',
  'x'.repeat(5000),
];

/** The keywords that an instance can violate, each with values on both sides of its bound. */
export const RULES: Readonly<Record<string, (context: Context) => Probe>> = {
  type: ({ limit, fragments }) => {
    const admitted = [limit].flat();
    const fits = (type: Type): boolean =>
      admitted.includes(type) || (type === 'integer' && admitted.includes('number'));
    const free = fragments.every(({ schema }) => schema['format'] === undefined);
    return {
      holds: [
        ...TYPES.filter(fits).flatMap((type) => OF_TYPE[type]),
        ...(admitted.includes('string') && free ? STRINGS : []),
      ],
      violates: TYPES.filter((type) => !fits(type)).flatMap((type) => OF_TYPE[type]),
    };
  },
  enum: ({ limit }) => ({
    holds: list(limit).map(fromJson),
    violates: list(limit).flatMap((entry) => near(fromJson(entry))),
  }),
  const: ({ limit }) => ({ holds: [fromJson(limit)], violates: near(fromJson(limit)) }),
  minimum: ({ limit, fragments }) => around(limit, fragments, 0, -1),
  maximum: ({ limit, fragments }) => around(limit, fragments, 0, 1),
  exclusiveMinimum: ({ limit, fragments }) => around(limit, fragments, 1, 0),
  exclusiveMaximum: ({ limit, fragments }) => around(limit, fragments, -1, 0),
  multipleOf: ({ limit, value }) => {
    const step = Number(limit);
    const count = value instanceof Literal ? Math.round(Number(value.text) / step) : 1;
    const places = String(step).split('.')[1]?.length ?? 0;
    const at = (n: number, extra: number): Literal =>
      new Literal((n * step).toFixed(places) + '5'.repeat(extra));
    const between = places === 0 ? new Literal(String(count * step + 1)) : at(count, 1);
    return { holds: [at(count, 0), at(count + 1, 0)], violates: step === 1 ? numbers('1.5') : [between] };
  },
  minLength: ({ limit }) => ({
    holds: lengths(Number(limit)),
    violates: Number(limit) > 0 ? lengths(Number(limit) - 1) : [],
  }),
  maxLength: ({ limit }) => ({ holds: lengths(Number(limit)), violates: lengths(Number(limit) + 1) }),
  pattern: ({ limit }) => ({
    violates: ['', '!', 'a', 'A', '0', ' ', '\u0000', '_-_'].filter(
      (text) => !new RegExp(word(limit), 'u').test(text),
    ),
  }),
  format: ({ limit }) => {
    const format = word(limit);
    return EDGES[format] ?? { holds: FORMATS[format]?.fits ?? [], violates: FORMATS[format]?.fails ?? [] };
  },
  required: ({ limit, value }) => ({
    violates: value instanceof Map ? strings(limit).map((name) => without(value, name)) : [],
  }),
  minProperties: ({ limit, value }) => ({ violates: resized(value, Number(limit) - 1) }),
  maxProperties: ({ limit, value }) => ({
    holds: resized(value, Number(limit)),
    violates: resized(value, Number(limit) + 1),
  }),
  additionalProperties: ({ limit, value, fragments }) => extra(limit, value, fragments),
  unevaluatedProperties: ({ limit, value, fragments }) => extra(limit, value, fragments),
  propertyNames: ({ value }) => ({
    violates:
      value instanceof Map
        ? ['', '!', ' A', '0', 'x'.repeat(200)].map((name) => withMember(value, name))
        : [],
  }),
  dependentRequired: ({ limit, value }) => ({
    violates:
      value instanceof Map
        ? Object.entries(object(limit))
            .filter(([trigger]) => value.has(trigger))
            .flatMap(([, names]) => strings(names).map((name) => without(value, name)))
        : [],
  }),
  minItems: ({ limit, value }) => ({
    holds: sized(value, Number(limit)),
    violates: Number(limit) > 0 ? sized(value, Number(limit) - 1) : [],
  }),
  maxItems: ({ limit, value }) => ({
    holds: sized(value, Number(limit)),
    violates: sized(value, Number(limit) + 1),
  }),
  uniqueItems: ({ limit, value }) => ({
    violates: limit === true && Array.isArray(value) && value[0] !== undefined ? [[...value, value[0]]] : [],
  }),
  contains: () => ({ violates: [[], [null], ['none of these']] }),
  unevaluatedItems: ({ limit, value }) => tail(limit, value),
  items: ({ limit, value }) => (limit === false ? tail(limit, value) : {}),
  anyOf: () => ({ violates: TYPES.flatMap((type) => OF_TYPE[type]) }),
  oneOf: () => ({ violates: TYPES.flatMap((type) => OF_TYPE[type]) }),
  not: ({ limit }) => ({
    violates: [
      ...list(object(limit)['enum']).map(fromJson),
      ...(object(limit)['const'] === undefined ? [] : [fromJson(object(limit)['const'] ?? null)]),
      ...TYPES.flatMap((type) => OF_TYPE[type]),
    ],
  }),
};

/** Values that look like the given one and are not: another letter case, another type, a neighbour. */
function near(value: Value): Value[] {
  if (typeof value === 'string')
    return [`${value}x`, value.toUpperCase(), value.toLowerCase(), ` ${value}`, ''];
  if (value instanceof Literal) return [new Literal(String(Number(value.text) + 1)), value.text];
  return [print(value), new Literal('7')];
}

function around(limit: Json, fragments: readonly Fragment[], inside: number, outside: number): Probe {
  const bound = Number(limit);
  const whole = types(fragments).includes('integer') || Number.isInteger(bound);
  // Beyond 2^53 a neighbour is not a double, and the bound itself was read as one.
  if (Math.abs(bound) > 2 ** 53) return {};
  const step = whole ? 1 : 10 ** -(String(bound).split('.')[1]?.length ?? 0);
  const at = (steps: number): Literal => new Literal(String(Number((bound + steps * step).toPrecision(15))));
  return { holds: [at(inside)], violates: [at(outside), ...(whole ? [] : [at(outside * 1000)])] };
}

/** Strings of a length in code points: one of letters, one of astral characters (two UTF-16 units, four bytes each). */
const lengths = (length: number): string[] =>
  length > 100_000 ? [] : ['a'.repeat(length), '\u{1f331}'.repeat(length)];

function without(value: Map<string, Value>, name: string): Map<string, Value> {
  return new Map([...value].filter(([key]) => key !== name));
}

const withMember = (value: Map<string, Value>, name: string): Value =>
  new Map<string, Value>([...value, [name, 'unlisted']]);

function resized(value: Value, size: number): Value[] {
  if (!(value instanceof Map) || size < 0 || size > 1000) return [];
  const entries = [...value].slice(0, size);
  for (let n = 0; entries.length < size; n++) entries.push([`extra${n}`, [...value.values()][0] ?? 'extra']);
  return [new Map(entries)];
}

function sized(value: Value, size: number): Value[] {
  if (!Array.isArray(value) || size < 0 || size > 1000) return [];
  const model = value.at(-1) ?? 'item';
  const vary = (entry: Value, n: number): Value => {
    if (typeof entry === 'string') return `${entry}${n}`;
    return entry instanceof Literal ? new Literal(String(Number(entry.text) + n)) : entry;
  };
  const filled = Array.from({ length: size }, (_, n) => value[n] ?? vary(model, n));
  return [filled, Array.from({ length: size }, (_, n) => value[n] ?? model)];
}

function extra(limit: Json, value: Value, fragments: readonly Fragment[]): Probe {
  if (!(value instanceof Map)) return {};
  const { listed } = propertyNames(fragments);
  const name = ['extra', 'unlisted', '__extra'].find((candidate) => !listed.includes(candidate)) ?? 'extra1';
  const made = TYPES.flatMap((type) => OF_TYPE[type]).map((member) => new Map([...value, [name, member]]));
  return limit === false ? { violates: made.slice(0, 2) } : { holds: made, violates: made };
}

const tail = (limit: Json, value: Value): Probe =>
  Array.isArray(value) && limit === false
    ? {
        violates: [
          [...value, null],
          [...value, 'more'],
        ],
      }
    : {};
