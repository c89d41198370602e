import type { Schemas } from '../document/direction';
import { NumberLiteral, print, type Value } from '../json/value';
import {
  branchCombinations,
  itemLocations,
  propertyLocations,
  propertyNames,
  type SchemaLocations,
} from './locations';

/** Variations that a search judges before it gives up, and how many changes one has. */
export const MAX_VARIATIONS = 2_000;
const MAX_CHANGES = 2;
/** The JSON text of all that a search judges: large values cost as much as many small ones. */
const MAX_TEXT = 2_000_000;

/** A value of each type: one of the wrong type decides that a branch does not apply. */
const OTHERS: readonly Value[] = [null, true, 'text', new NumberLiteral('1'), [], new Map()];

/**
 * The values with one or two parts left out, or of another type, those with fewer changes first. Where the absence or the fault
 * of a part decides which branch applies, one of them may be valid though no value of a branch is.
 */
export function* variations(
  schemas: Schemas,
  locations: SchemaLocations,
  values: readonly Value[],
): Generator<Value> {
  const seen = new Set(values.map(print));
  let level: readonly Value[] = values;
  let length = 0;
  for (let changes = 0; changes < MAX_CHANGES; changes++) {
    const next: Value[] = [];
    for (const value of level)
      for (const changed of neighbors(schemas, locations, value)) {
        const text = print(changed);
        if (seen.has(text)) continue;
        if (seen.size >= values.length + MAX_VARIATIONS || length > MAX_TEXT) return;
        seen.add(text);
        length += text.length;
        next.push(changed);
        yield changed;
      }
    level = next;
  }
}

/** The value with one change. */
function* neighbors(schemas: Schemas, locations: SchemaLocations, value: Value): Generator<Value> {
  const subschemas = branchCombinations(schemas, locations).flat();
  if (value instanceof Map) {
    const names = new Set([...value.keys(), ...propertyNames(subschemas).listed]);
    for (const name of names) {
      if (value.has(name)) yield new Map([...value].filter(([other]) => other !== name));
      const member = value.get(name);
      const changed =
        member === undefined ? [] : neighbors(schemas, propertyLocations(subschemas, name), member);
      for (const other of [...OTHERS, ...changed]) yield new Map([...value, [name, other]]);
    }
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield value.toSpliced(index, 1);
      for (const other of neighbors(schemas, itemLocations(subschemas, index), item))
        yield value.with(index, other);
    }
  }
}
