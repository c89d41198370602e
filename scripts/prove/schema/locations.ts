import type { Schemas } from '../document/direction';
import { escapeToken } from '../json/tree';
import type { Value } from '../json/value';
import {
  applicableSubschemas,
  type Subschema,
  itemLocations,
  type SchemaLocations,
  keywordLocations,
  propertyLocations,
} from './subschemas';
import type { Oracle } from './oracle';

/** A location in a value (JSON Schema core section 12.3.3), with the schemas that apply there. */
export interface InstanceLocation {
  /** JSON pointer to it in the value. */
  readonly instancePointer: string;
  readonly value: Value;
  readonly subschemas: readonly Subschema[];
  /** The whole value, with another value at this location. */
  readonly replace: (value: Value) => Value;
}

/** Every location in a value, the root first. */
export function instanceLocations(
  schemas: Schemas,
  oracle: Oracle,
  schema: string,
  value: Value,
): InstanceLocation[] {
  const found: InstanceLocation[] = [];
  const visit = (
    instancePointer: string,
    locations: SchemaLocations,
    here: Value,
    replace: InstanceLocation['replace'],
  ): void => {
    const subschemas = applicableSubschemas(schemas, oracle, locations, here);
    found.push({ instancePointer, value: here, subschemas, replace });
    if (Array.isArray(here)) {
      here.forEach((entry, index) => {
        const containing = keywordLocations(subschemas, 'contains').filter(({ pointer }) =>
          oracle.valid(pointer, entry),
        );
        const itemSchemas = [
          ...itemLocations(subschemas, index),
          ...containing.map((location) => ({ ...location, unconditional: false })),
        ];
        visit(`${instancePointer}/${index}`, itemSchemas, entry, (next) => replace(here.with(index, next)));
      });
    } else if (here instanceof Map) {
      for (const [name, member] of here) {
        visit(
          `${instancePointer}/${escapeToken(name)}`,
          propertyLocations(subschemas, name),
          member,
          (next) => replace(new Map([...here, [name, next]])),
        );
      }
    }
  };
  visit('', [{ pointer: schema, unconditional: true }], value, (next) => next);
  return found;
}
