import { conjuncts } from '../document/direction';
import { type JsonObject, objectAt } from '../json/tree';
import { fromJson, type Value } from '../json/value';
import type { SchemaLocations } from './subschemas';

/** The default of a location: its own, else that of a schema that it includes by `$ref` or `allOf`. */
export const defaultOf = (json: JsonObject, locations: SchemaLocations): Value | undefined =>
  locations
    .flatMap(({ pointer }) => conjuncts(json, objectAt(json, pointer)))
    .map((schema) => schema['default'])
    .filter((value) => value !== undefined)
    .map(fromJson)[0];
