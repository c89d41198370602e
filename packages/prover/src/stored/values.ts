import { samplesOf, basesOf, mergeAccepted } from '../cases/bases';
import type { OperationContext } from '../cases/case';
import { NumberLiteral, print, type Value } from '../json/value';
import { asString } from '../json/tree';
import { fitsSlot, type Slot } from '../request/slots';
import { numberLiterals, STRING_FORMATS } from '../schema/known-formats';
import { enumeratedValues } from '../schema/locations';
import { referenced } from '../state/sources';
import { type InstanceLocation, instanceLocations } from '../schema/probes';

/** Values of other branches of a schema; values with one edge; and code points where the document has no bound. */
const [MAX_BRANCHES, MAX_SINGLES, LONG] = [4, 6, 400];

/** Numbers that a smaller column, a double or a column of integers does not hold, the largest first. */
const INTEGERS = numberLiterals('2147483647', '32769', '257', '129', '11');
const FRACTIONS = numberLiterals('16777217.25', '1234.25', '101.25', '11.5', '0.25');
const BEYOND_DOUBLE = numberLiterals('9007199254740993');

/** A value to store, and those that take its place if the service refuses it: a rule of its own may forbid a part. */
interface ToStore {
  readonly value: Value;
  readonly instead: readonly Value[];
}

/** The texts of edges: letters, and characters beyond the BMP. */
const TEXTS = ['stored-', '\u{1f331}'];

/** Whether a value is an edge that no document has by chance. */
export const isUnusual = (value: Value): boolean =>
  value instanceof NumberLiteral
    ? [...INTEGERS, ...FRACTIONS, ...BEYOND_DOUBLE].some(({ text }) => text.length > 3 && text === value.text)
    : typeof value === 'string' && TEXTS.some((text) => value.includes(text.repeat(2)));

/**
 * Values to store and to read back: with every listed member, then with another value for each primitive that a part of
 * a server may cut (of letters and of characters beyond the BMP), then of each branch.
 */
export function valuesToStore(context: OperationContext, slot: Slot): ToStore[] {
  const all = samplesOf(context, slot, 'all', 20);
  const [simple] = all;
  if (!(simple instanceof Map)) return [];
  const accepted = mergeAccepted(context, slot, simple, 'all');
  const branches = basesOf(context, slot, all).slice(0, MAX_BRANCHES);
  const others = [simple, ...branches.map(({ value }) => value)];
  const values = [
    { value: accepted, instead: [] },
    ...TEXTS.map((text) => withEdges(context, slot, accepted, text)),
    ...others.map((value) => ({ value: mergeAccepted(context, slot, value, 'references'), instead: [] })),
  ].filter(({ value }) => value instanceof Map && fitsSlot(context.oracle, slot, value));
  return [...new Map(values.map((one) => [print(one.value), one])).values()];
}

/** The value with an edge for each primitive that has one; else with one edge each. */
function withEdges({ document, oracle }: OperationContext, slot: Slot, value: Value, text: string): ToStore {
  const placesOf = (whole: Value): InstanceLocation[] =>
    instanceLocations(document.requests, oracle, slot.schema, whole);
  const replaceAt = (whole: Value, pointer: string): Value => {
    const place = placesOf(whole).find(({ instancePointer }) => instancePointer === pointer);
    const edges = place ? edgesOf(place, text).map(place.replace) : [];
    return edges.find((candidate) => fitsSlot(oracle, slot, candidate)) ?? whole;
  };
  const pointers = placesOf(value).map(({ instancePointer }) => instancePointer);
  const singles = pointers.map((pointer) => replaceAt(value, pointer)).filter((one) => one !== value);
  return { value: pointers.reduce(replaceAt, value), instead: singles.slice(0, MAX_SINGLES) };
}

/** Other values for a primitive, the best first. */
function edgesOf({ value, subschemas, instancePointer }: InstanceLocation, text: string): Value[] {
  const listed = enumeratedValues([...subschemas]);
  if (listed) return listed.filter((other) => print(other) !== print(value));
  // What names another resource must stay.
  if (referenced(instancePointer.split('/').at(-1) ?? '') !== undefined) return [];
  if (typeof value === 'boolean') return [!value];
  const schemas = subschemas.map(({ schema }) => schema);
  const format = schemas.map((schema) => asString(schema['format'])).find((name) => name !== '');
  if (value instanceof NumberLiteral) {
    const isInteger = schemas.some(({ type }) => [type].flat().includes('integer'));
    return isInteger
      ? [...(format === 'int64' ? BEYOND_DOUBLE : []), ...INTEGERS]
      : FRACTIONS.slice(format === 'double' ? 0 : 1);
  }
  if (typeof value !== 'string') return [];
  if (format !== undefined)
    return (STRING_FORMATS.get(format)?.holds ?? []).filter((other) => other !== value);
  const bounds = schemas.map(({ maxLength }) => maxLength).filter((bound) => typeof bound === 'number');
  const length = Math.min(LONG, ...bounds);
  const name = instancePointer.replace(/[^a-z]/gi, '');
  // An odd start: a cut after an even number of UTF-16 units is then inside of a surrogate pair.
  const start = name.length % 2 === 0 ? `${name}s` : name;
  return [
    Array.from(start + text.repeat(length))
      .slice(0, length)
      .join(''),
  ];
}
