import { excludingKeyword } from '../document/direction';
import { NumberLiteral, parse, type Value } from '../json/value';
import { fitsSlot, isSelective, type Slot, slotSamples, whyNotCarried } from '../request/slots';
import { constraints } from '../schema/constraints';
import { type InstanceLocation, instanceLocations } from '../schema/probes';
import { type Mode, nearSamples, samples } from '../schema/samples';
import { referenced } from '../state/sources';
import type { OperationContext } from './case';
import { requiredNames } from '../document/model';
import { escapeToken, tokensOf } from '../json/tree';

/** A valid value from which others are made. */
export interface BaseValue {
  readonly value: Value;
  readonly locations: readonly InstanceLocation[];
}

/** Samples of a slot. For a black box, accepted values first; the others reach the branches of a schema that these do not. */
export function samplesOf(context: OperationContext, slot: Slot, mode: Mode, count: number): Value[] {
  const values = slotSamples(context.document, context.oracle, slot, mode, count);
  return context.target.blackBox
    ? [...values.map((value) => withAcceptedValues(context, slot, value, 'all')), ...values]
    : values;
}

/** Valid values that together reach each schema object that any sample reaches. */
export function basesOf(
  context: OperationContext,
  slot: Slot,
  simple = samplesOf(context, slot, 'all', 20),
): BaseValue[] {
  const values = [
    ...simple,
    ...samplesOf(context, slot, 'required', 20),
    ...samplesOf(context, slot, 'any', 100),
  ];
  const bases = covering(context, slot, values);
  if (!slot.body || !misses(context, slot, bases)) return bases;
  const { document, oracle } = context;
  const near = [...nearSamples(document.requests, oracle, slot.schema)].filter((value) =>
    fitsSlot(oracle, slot, value),
  );
  return covering(context, slot, [...values, ...near]);
}

/** Whether no base reaches one of the schemas that have constraints. */
function misses({ document }: OperationContext, slot: Slot, bases: readonly BaseValue[]): boolean {
  const reached = new Set(bases.flatMap(({ locations }) => locations.flatMap(pointersOf)));
  const oneWay = excludingKeyword(document.requests);
  return constraints(document.requests, slot.schema).some(
    ({ pointer, keyword }) => keyword !== oneWay && !reached.has(pointer),
  );
}

/** Valid values like those of {@link basesOf} that the codec of the target, or a header field, does not carry. */
export function uncarriedBases(context: OperationContext, slot: Slot): BaseValue[] {
  const { document, oracle } = context;
  if (!isSelective(slot)) return [];
  const drawn = (
    [
      ['all', 20],
      ['required', 20],
      ['any', 100],
    ] as const
  ).flatMap(([mode, count]) => samples(document.requests, oracle, slot.schema, mode, count));
  return covering(
    context,
    slot,
    drawn.filter((value) => whyNotCarried(slot, value) !== undefined),
  );
}

/** The values that reach other schema objects than those before them. */
function covering({ document, oracle }: OperationContext, slot: Slot, values: readonly Value[]): BaseValue[] {
  const reached = new Set<string>();
  return values.flatMap((value) => {
    const locations = instanceLocations(document.requests, oracle, slot.schema, value);
    const pointers = locations.flatMap(pointersOf);
    if (pointers.every((pointer) => reached.has(pointer))) return [];
    for (const pointer of pointers) reached.add(pointer);
    return [{ value, locations }];
  });
}

/**
 * The value with the primitives of the minimal request, which the service has accepted: of a black box the prover does
 * not know which of them must name something. Any other target gets the value as it is.
 *
 * @param which `all`, or only those whose names are references, such as `authorId`
 */
export function withAcceptedValues(
  context: OperationContext,
  slot: Slot,
  value: Value,
  which: 'all' | 'references',
): Value {
  return context.target.blackBox ? mergeAccepted(context, slot, value, which) : value;
}

/** {@link withAcceptedValues}, of any target. */
export function mergeAccepted(
  { base: { body }, oracle }: OperationContext,
  slot: Slot,
  value: Value,
  which: 'all' | 'references',
): Value {
  if (!body || slot.body?.type !== body.type || slot.codec !== 'json') return value;
  const merged = merge(value, parse(body.bytes.toString()), '', (pointer) =>
    which === 'all' ? true : referenced(pointer.split('/').at(-1) ?? '') !== undefined,
  );
  return oracle.valid(slot.schema, merged) ? merged : value;
}

/** The value with the primitives of another at the same pointers. */
function merge(value: Value, other: Value, pointer: string, isWanted: (pointer: string) => boolean): Value {
  if (value instanceof Map && other instanceof Map) {
    const entries = [...value].map(([name, member]): [string, Value] => {
      const accepted = other.get(name);
      const at = `${pointer}/${escapeToken(name)}`;
      return [name, accepted === undefined ? member : merge(member, accepted, at, isWanted)];
    });
    return new Map(entries);
  }
  if (Array.isArray(value) && Array.isArray(other))
    return value.map((entry, index) => {
      const accepted = other[index];
      return accepted === undefined ? entry : merge(entry, accepted, `${pointer}/${index}`, isWanted);
    });
  return isPrimitive(value) && isPrimitive(other) && isWanted(pointer) ? other : value;
}

const isPrimitive = (value: Value): boolean =>
  value instanceof NumberLiteral || value === null || typeof value !== 'object';

/** Names of members that a schema may not list. Each object in JavaScript inherits the second. */
const UNLISTED = ['unlisted', 'constructor'];

/**
 * The value without one of its optional members, for each of them, and the value with an unlisted member. A recursive
 * schema is varied once.
 */
export function withOptionalMembersToggled(locations: readonly InstanceLocation[], unlisted: Value): Value[] {
  const done = new Set<string>();
  const toggled: Value[] = [];
  for (const { value, subschemas, replace } of locations) {
    if (!(value instanceof Map)) continue;
    const schemas = pointersOf({ subschemas }).join();
    const required = subschemas.flatMap(({ schema }) => requiredNames(schema));
    for (const name of [...value.keys(), ...UNLISTED]) {
      if (required.includes(name) || done.has(`${schemas} ${name}`)) continue;
      done.add(`${schemas} ${name}`);
      const others = [...value].filter(([other]) => other !== name);
      toggled.push(replace(new Map(value.has(name) ? others : [...others, [name, unlisted]])));
    }
  }
  return toggled;
}

/** Locations in a value. Each case of a larger value would cost as much as the value, so that all are quadratic. */
const MAX_LOCATIONS = 200;

/**
 * A large value as many small ones: for each location with other schemas, the required members and those on the way to
 * it. The value as a whole stands in, where other members decide which schemas apply.
 */
export function slimBases(
  { document, oracle }: OperationContext,
  slot: Slot,
  base: BaseValue,
): readonly BaseValue[] {
  const { value, locations } = base;
  if (locations.length <= MAX_LOCATIONS) return [base];
  const byPointer = new Map(locations.map((location) => [location.instancePointer, location]));
  const seen = new Set<string>();
  return locations.flatMap((location): BaseValue[] => {
    const schemas = pointersOf(location).join(' ');
    if (seen.has(schemas)) return [];
    seen.add(schemas);
    const small = slim(byPointer, value, '', tokensOf(location.instancePointer));
    const found = fitsSlot(oracle, slot, small)
      ? instanceLocations(document.requests, oracle, slot.schema, small).find(
          ({ instancePointer }) => instancePointer === location.instancePointer,
        )
      : undefined;
    const isSame = found !== undefined && pointersOf(found).join(' ') === schemas;
    return [isSame ? { value: small, locations: [found] } : { value, locations: [location] }];
  });
}

const pointersOf = ({ subschemas }: Pick<InstanceLocation, 'subschemas'>): string[] =>
  subschemas.map(({ pointer }) => pointer);

/** @param way the tokens to the location whose members are kept; undefined beside the way */
function slim(
  byPointer: ReadonlyMap<string, InstanceLocation>,
  value: Value,
  pointer: string,
  way: readonly string[] | undefined,
): Value {
  const [next, ...rest] = way ?? [];
  const child = (token: string, member: Value): Value =>
    slim(byPointer, member, `${pointer}/${escapeToken(token)}`, token === next ? rest : undefined);
  if (Array.isArray(value)) return value.map((item, index) => child(String(index), item));
  if (!(value instanceof Map)) return value;
  const required = new Set(byPointer.get(pointer)?.subschemas.flatMap(({ schema }) => requiredNames(schema)));
  const isEnd = way?.length === 0;
  const kept = [...value].filter(([name]) => isEnd || name === next || required.has(name));
  return new Map(kept.map(([name, member]) => [name, child(name, member)]));
}
