import { type Bound, isTighter, joinPointer, type SchemaView } from 'contract-first-server/tools';

/** Collects changes of keywords. Narrowed: the later schema admits less. Widened: it admits more. Listed: neither. */
export interface ChangeSink {
  listed(pointer: string, message: string): void;
  narrowed(pointer: string, message: string): void;
  widened(pointer: string, message: string): void;
}

/** Compares the keywords about the value itself, not those about its properties and items. */
export function compareKeywords(old: SchemaView, now: SchemaView, place: string, sink: ChangeSink): void {
  compareTypes(old, now, place, sink);
  compareValues(old, now, place, sink);
  compareBounds(old, now, place, sink);
  compareSets(old, now, place, sink);
}

function compareTypes(old: SchemaView, now: SchemaView, place: string, sink: ChangeSink): void {
  const [lost, gained] = differences(old.types, now.types);
  const message = `type was ${typeNames(old)}, is ${typeNames(now)}`;
  // A change of `enum` or `const` that adds or removes a type is reported as a change of values only.
  if (lost.length > 0 && !now.values) sink.narrowed(joinPointer(place, 'type'), message);
  if (gained.length > 0 && !old.values) sink.widened(joinPointer(place, 'type'), message);
}

function compareValues(
  { values: old }: SchemaView,
  { values: now }: SchemaView,
  place: string,
  sink: ChangeSink,
): void {
  const pointer = joinPointer(place, 'enum');
  if (!old || !now) {
    if (now) sink.narrowed(pointer, `only ${[...now.keys()].join(', ')} is admitted now`);
    if (old) sink.widened(pointer, 'any value is admitted now');
    return;
  }
  const [lost, gained] = differences(old.keys(), now.keys());
  if (lost.length > 0) sink.narrowed(pointer, `${lost.join(', ')} is no longer among its values`);
  if (gained.length > 0) sink.widened(pointer, `${gained.join(', ')} is new among its values`);
}

/** The default, beside `contains` (JSON Schema 2020-12, validation, section 6.4.5). */
const MIN_CONTAINS: Bound = { keyword: 'minContains', value: 1, exclusive: false };

function compareBounds(old: SchemaView, now: SchemaView, place: string, sink: ChangeSink): void {
  for (const side of ['least', 'most'] as const) {
    for (const of of new Set([...old[side].keys(), ...now[side].keys()])) {
      const usual = of === 'Contains' && side === 'least' ? MIN_CONTAINS : undefined;
      const [was, is] = [old[side].get(of) ?? usual, now[side].get(of) ?? usual];
      if (of === 'Contains' && !(old.further.has('contains') && now.further.has('contains'))) continue;
      const pointer = joinPointer(place, (is ?? was)?.keyword ?? of);
      const message = boundMessage(was, is);
      const lower = side === 'least';
      if (is && (!was || isTighter(is, was, lower))) sink.narrowed(pointer, message);
      if (was && (!is || isTighter(was, is, lower))) sink.widened(pointer, message);
    }
  }
}

/** Patterns that match every text: the empty one, `^`, `$`, and `.*` at one end. */
const MATCHES_ALL = /^(\^?(\.\*)?|(\.\*)?\$)$/;

/** Compares keywords of which each additional value admits less. */
function compareSets(old: SchemaView, now: SchemaView, place: string, sink: ChangeSink): void {
  const wider = (a: string, b: string) =>
    (a === 'int32' && b === 'int64') || (a === 'float' && b === 'double');
  const multiple = (a: number | bigint, b: number | bigint) =>
    typeof a === 'bigint' && typeof b === 'bigint' ? a % b === 0n : Number.isInteger(Number(a) / Number(b));
  compareSet(joinPointer(place, 'format'), old.formats, now.formats, wider, sink);
  const patterns = ({ patterns: all }: SchemaView) =>
    new Set([...all].filter((pattern) => !MATCHES_ALL.test(pattern)));
  compareSet(joinPointer(place, 'pattern'), patterns(old), patterns(now), () => false, sink);
  compareSet(joinPointer(place, 'multipleOf'), old.multiples, now.multiples, multiple, sink);
  if (!old.unique && now.unique)
    sink.narrowed(joinPointer(place, 'uniqueItems'), 'its items must be unique now');
  if (old.unique && !now.unique)
    sink.widened(joinPointer(place, 'uniqueItems'), 'its items may be equal now');
}

function compareSet<T extends string | number | bigint>(
  pointer: string,
  old: ReadonlySet<T>,
  now: ReadonlySet<T>,
  implies: (tighter: T, looser: T) => boolean,
  sink: ChangeSink,
): void {
  const [lost, gained] = differences(old, now);
  const [was, is] = [lost.join(', '), gained.join(', ')];
  const keyword = pointer.slice(pointer.lastIndexOf('/') + 1);
  const message =
    lost.length > 0 ? `${keyword} was ${was}, is ${is === '' ? 'gone' : is}` : `${keyword} is new: ${is}`;
  if (gained.some((one) => !lost.some((other) => implies(other, one)))) sink.narrowed(pointer, message);
  if (lost.some((one) => !gained.some((other) => implies(other, one)))) sink.widened(pointer, message);
}

/** The items of the first only, and those of the second only. */
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
