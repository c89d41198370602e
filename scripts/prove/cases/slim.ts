import { requiredNames } from '../document/model';
import { escapeToken, tokensOf } from '../json/tree';
import type { Value } from '../json/value';
import { fitsSlot, type Slot } from '../request/slots';
import { type InstanceLocation, instanceLocations } from '../schema/probes';
import type { OperationContext } from './case';
import type { BaseValue } from './keywords';

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

const pointersOf = ({ subschemas }: InstanceLocation): string[] => subschemas.map(({ pointer }) => pointer);

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
