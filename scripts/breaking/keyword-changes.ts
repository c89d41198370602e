import { below } from '../../src/contract';
import { type Bound, isTighter, type SchemaView } from './schema-view';

/** What a change of a keyword does: less is admitted, or more. */
export interface Told {
  narrowed(pointer: string, message: string): void;
  widened(pointer: string, message: string): void;
}

/** Compares what schemas say of a value itself, and not of what is in it. */
export function compareKeywords(old: SchemaView, now: SchemaView, place: string, told: Told): void {
  compareTypes(old, now, place, told);
  compareValues(old, now, place, told);
  compareBounds(old, now, place, told);
  compareSets(old, now, place, told);
}

function compareTypes(old: SchemaView, now: SchemaView, place: string, told: Told): void {
  const [lost, gained] = differences(old.types, now.types);
  const message = `type was ${typeNames(old)}, is ${typeNames(now)}`;
  // A type that is gone because values are listed now is told with these, and so is one that is there because they are not
  // any more.
  if (lost.length > 0 && !now.values) told.narrowed(below(place, 'type'), message);
  if (gained.length > 0 && !old.values) told.widened(below(place, 'type'), message);
}

function compareValues(
  { values: old }: SchemaView,
  { values: now }: SchemaView,
  place: string,
  told: Told,
): void {
  const pointer = below(place, 'enum');
  if (!old || !now) {
    if (now) told.narrowed(pointer, `only ${[...now.keys()].join(', ')} is admitted now`);
    if (old) told.widened(pointer, 'any value is admitted now');
    return;
  }
  const [lost, gained] = differences(old.keys(), now.keys());
  if (lost.length > 0) told.narrowed(pointer, `${lost.join(', ')} is no longer among its values`);
  if (gained.length > 0) told.widened(pointer, `${gained.join(', ')} is new among its values`);
}

function compareBounds(old: SchemaView, now: SchemaView, place: string, told: Told): void {
  for (const side of ['least', 'most'] as const) {
    for (const of of new Set([...old[side].keys(), ...now[side].keys()])) {
      const [was, is] = [old[side].get(of), now[side].get(of)];
      const pointer = below(place, (is ?? was)?.keyword ?? of);
      const message = boundMessage(was, is);
      const lower = side === 'least';
      if (is && (!was || isTighter(is, was, lower))) told.narrowed(pointer, message);
      if (was && (!is || isTighter(was, is, lower))) told.widened(pointer, message);
    }
  }
}

/** Keywords of which every further one admits less. */
function compareSets(old: SchemaView, now: SchemaView, place: string, told: Told): void {
  const wider = (a: string, b: string) =>
    (a === 'int32' && b === 'int64') || (a === 'float' && b === 'double');
  const multiple = (a: number | bigint, b: number | bigint) =>
    typeof a === 'bigint' && typeof b === 'bigint' ? a % b === 0n : Number.isInteger(Number(a) / Number(b));
  compareSet(below(place, 'format'), old.formats, now.formats, wider, told);
  compareSet(below(place, 'pattern'), old.patterns, now.patterns, () => false, told);
  compareSet(below(place, 'multipleOf'), old.multiples, now.multiples, multiple, told);
  if (!old.unique && now.unique) told.narrowed(below(place, 'uniqueItems'), 'its items must be unique now');
  if (old.unique && !now.unique) told.widened(below(place, 'uniqueItems'), 'its items may be equal now');
}

function compareSet<T extends string | number | bigint>(
  pointer: string,
  old: ReadonlySet<T>,
  now: ReadonlySet<T>,
  implies: (tighter: T, looser: T) => boolean,
  told: Told,
): void {
  const [lost, gained] = differences(old, now);
  const [was, is] = [lost.join(', '), gained.join(', ')];
  const keyword = pointer.slice(pointer.lastIndexOf('/') + 1);
  const message =
    lost.length > 0 ? `${keyword} was ${was}, is ${is === '' ? 'gone' : is}` : `${keyword} is new: ${is}`;
  if (gained.some((one) => !lost.some((other) => implies(other, one)))) told.narrowed(pointer, message);
  if (lost.some((one) => !gained.some((other) => implies(other, one)))) told.widened(pointer, message);
}

/** What is only in the first, and what is only in the second. */
export function differences<T>(first: Iterable<T>, second: Iterable<T>): [first: T[], second: T[]] {
  const [a, b] = [new Set(first), new Set(second)];
  return [[...a].filter((item) => !b.has(item)), [...b].filter((item) => !a.has(item))];
}

function typeNames({ types }: SchemaView): string {
  if (types.size === 7) return 'any';
  const names = [...types].filter((type) => type !== 'integer' || !types.has('fraction'));
  return names.map((type) => (type === 'fraction' ? 'number' : type)).join(' or ') || 'none';
}

function boundMessage(was: Bound | undefined, is: Bound | undefined): string {
  if (!was || !is) return is ? `${is.keyword} ${is.value} is new` : `${was?.keyword} ${was?.value} is gone`;
  return `${was.keyword} was ${was.value}, ${was.keyword === is.keyword ? '' : `${is.keyword} `}is ${is.value}`;
}
