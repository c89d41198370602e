import { excludingKeyword, type Schemas } from '../document/direction';
import { asArray, asObject, asString, escapeToken, objectAt, pointerOf } from '../json/tree';
import type { Value } from '../json/value';
import { SIDES } from '../obligation';
import { BOUNDARIES } from './boundaries';
import { isViolable } from './constraints';
import { createOracle, type Oracle } from './oracle';
import { samples } from './samples';
import {
  anyValueOf,
  applicableSubschemas,
  itemLocations,
  keywordLocations,
  propertyLocations,
  type SchemaLocations,
  type Subschema,
} from './locations';

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
  visit('', anyValueOf(schema), value, (next) => next);
  return found;
}

/** A value that tests one keyword at one instance location. */
export interface Probe {
  /** The whole value. */
  readonly value: Value;
  /** The part of it that is at the location. */
  readonly replacement: Value;
  readonly location: InstanceLocation;
  readonly subschema: Subschema;
  readonly keyword: string;
  readonly side: 'holds' | 'violates';
}

/** The probes of every keyword at every location of a valid value. Each has one fault or none. */
export const probes = (locations: readonly InstanceLocation[]): Probe[] =>
  locations.flatMap((location) =>
    location.subschemas.flatMap((subschema) =>
      Object.entries(subschema.schema).flatMap(([keyword, limit]) => {
        if (!isViolable(keyword, limit)) return [];
        const boundary = BOUNDARIES.get(keyword)?.({
          limit,
          value: location.value,
          subschemas: location.subschemas,
        });
        return SIDES.flatMap((side) =>
          (boundary?.[side] ?? []).map((value) => ({
            value: location.replace(value),
            replacement: value,
            location,
            subschema,
            keyword,
            side,
          })),
        );
      }),
    ),
  );

/**
 * Values that violate `readOnly` (or `writeOnly`) at one location, and nothing else: they are valid without the
 * keyword, and invalid with it.
 */
export function oneWayViolations(schemas: Schemas, oracle: Oracle, schema: string, pointer: string): Value[] {
  const json = structuredClone(schemas.json);
  const keyword = excludingKeyword(schemas);
  const owner = objectAt(json, pointer);
  for (let node = owner; ; node = objectAt(json, pointerOf(asString(node['$ref'])))) {
    // Other uses of a referenced schema keep the keyword, so its fields are copied to this location.
    if (node !== owner) Object.assign(owner, node);
    if (typeof node['$ref'] !== 'string') break;
  }
  for (const part of [owner, ...asArray(owner['allOf']).map(asObject)]) Reflect.deleteProperty(part, keyword);
  if (typeof owner['$ref'] === 'string') Reflect.deleteProperty(owner, '$ref');
  const unrestricted = { json, direction: schemas.direction };
  const unrestrictedOracle = createOracle(unrestricted);
  return (['all', 'any'] as const)
    .flatMap((mode) => samples(unrestricted, unrestrictedOracle, schema, mode, 40))
    .filter((value) => !oracle.valid(schema, value));
}
