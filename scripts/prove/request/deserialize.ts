import type { Schemas } from '../document/direction';
import type { Operation } from '../document/model';
import { NumberLiteral, type Value } from '../json/value';
import {
  itemLocations,
  type SchemaLocations,
  propertyLocations,
  type Type,
  admittedTypes,
  branchCombinations,
} from '../schema/subschemas';
import { primitiveText } from './serialize';

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/**
 * Decodes a value whose primitives are text on the wire. The schema determines the type of each.
 *
 * @returns undefined if the schema allows more than one result
 */
export function decodeText(schemas: Schemas, locations: SchemaLocations, value: Value): Value | undefined {
  const alternatives = branchCombinations(schemas, locations);
  const allowed = new Set(alternatives.flatMap(admittedTypes));
  const subschemas = alternatives.flat();
  if (Array.isArray(value) || value instanceof Map) {
    if (!allowed.has(Array.isArray(value) ? 'array' : 'object') || allowed.has('string')) return undefined;
    const entries =
      value instanceof Map ? [...value] : value.map((entry, index): [string, Value] => [`${index}`, entry]);
    const decoded = entries.map(([key, entry]): [string, Value | undefined] => {
      const memberLocations =
        value instanceof Map ? propertyLocations(subschemas, key) : itemLocations(subschemas, Number(key));
      return [key, decodeText(schemas, memberLocations, entry)];
    });
    const unambiguous = decoded.flatMap(([key, entry]): [string, Value][] =>
      entry === undefined ? [] : [[key, entry]],
    );
    if (unambiguous.length < decoded.length) return undefined;
    return value instanceof Map ? new Map(unambiguous) : unambiguous.map(([, entry]) => entry);
  }
  const text = primitiveText(value);
  if (text === undefined || allowed.has('array') || allowed.has('object')) return undefined;
  const readings = decodePrimitive(allowed, text);
  return readings.length === 1 ? readings[0] : undefined;
}

/** Whether any query parameter may be a property of an exploded object parameter, so that none is unlisted. */
export const acceptsAnyQueryParameter = (schemas: Schemas, { parameters }: Operation): boolean =>
  parameters.some(
    ({ in: location, style, explode, mediaType, schema }) =>
      location === 'query' &&
      style === 'form' &&
      explode &&
      mediaType === undefined &&
      branchCombinations(schemas, [{ pointer: schema, unconditional: true }])
        .flatMap(admittedTypes)
        .includes('object'),
  );

function decodePrimitive(allowed: ReadonlySet<Type>, text: string): Value[] {
  const numeric = (allowed.has('integer') || allowed.has('number')) && NUMBER.test(text);
  const boolean = allowed.has('boolean') && /^(?:true|false)$/.test(text);
  const found: Value[] = [
    ...(numeric ? [new NumberLiteral(text)] : []),
    ...(boolean ? [text === 'true'] : []),
    ...(allowed.has('string') ? [text] : []),
  ];
  return found.length > 0 ? found : [text]; // The text violates `type`.
}
