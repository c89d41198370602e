import type { Schemas } from '../document/direction';
import { escapeToken } from '../json/pointer';
import type { Value } from '../json/value';
import {
  applicableSubschemas,
  type Subschema,
  itemLocations,
  type SchemaLocations,
  keywordLocations,
  propertyLocations,
} from './applicable';
import type { Oracle } from './oracle';

/** A place inside a value, with everything the schema says about it. */
export interface InstanceLocation {
  /** JSON pointer into the value. */
  readonly instancePointer: string;
  readonly value: Value;
  readonly subschemas: readonly Subschema[];
  /** The whole value with another one at this place. */
  readonly replace: (value: Value) => Value;
}

/** Every place of a value, the whole first. */
export function instanceLocations(
  schemas: Schemas,
  oracle: Oracle,
  schema: string,
  value: Value,
): InstanceLocation[] {
  const found: InstanceLocation[] = [];
  const visit = (
    place: string,
    location: SchemaLocations,
    here: Value,
    put: InstanceLocation['replace'],
  ): void => {
    const subschemas = applicableSubschemas(schemas, oracle, location, here);
    found.push({ instancePointer: place, value: here, subschemas, replace: put });
    if (Array.isArray(here)) {
      here.forEach((entry, index) => {
        const containing = keywordLocations(subschemas, 'contains').filter(({ pointer }) =>
          oracle.valid(pointer, entry),
        );
        const among = [
          ...itemLocations(subschemas, index),
          ...containing.map((sub) => ({ ...sub, unconditional: false })),
        ];
        visit(`${place}/${index}`, among, entry, (next) => put(here.with(index, next)));
      });
    } else if (here instanceof Map) {
      for (const [name, member] of here) {
        visit(`${place}/${escapeToken(name)}`, propertyLocations(subschemas, name), member, (next) =>
          put(new Map([...here, [name, next]])),
        );
      }
    }
  };
  visit('', [{ pointer: schema, unconditional: true }], value, (next) => next);
  return found;
}
