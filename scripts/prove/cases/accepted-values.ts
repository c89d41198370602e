import { escapeToken } from '../json/tree';
import { NumberLiteral, parse, type Value } from '../json/value';
import type { Slot } from '../request/slots';
import { referenced } from '../state/sources';
import type { OperationContext } from './case';

/**
 * The value with the primitives of the minimal request, which the service has accepted: of a black box the engine does
 * not know which of them must name something. Any other target gets the value as it is.
 *
 * @param which `all`, or only those whose names are references, such as `authorId`
 */
export function withAcceptedValues(
  { target, base, oracle }: OperationContext,
  slot: Slot,
  value: Value,
  which: 'all' | 'references',
): Value {
  const { body } = base;
  if (!target.blackBox || !body || slot.body?.type !== body.type || !/[/+]json/.test(body.type)) return value;
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
