import type { Schemas } from '../document/direction';
import type { Operation } from '../document/document';
import { NumberLiteral, type Value } from '../json/value';
import {
  itemLocations,
  type SchemaLocations,
  propertyLocations,
  type Type,
  admittedTypes,
  branchCombinations,
} from '../schema/applicable';
import { primitiveText } from './serialize';

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/**
 * The value as a receiver reads it off the wire, where every primitive is text and only the schema tells a number from a
 * word.
 *
 * @returns undefined where the schema leaves more than one reading.
 */
export function decodeText(schemas: Schemas, location: SchemaLocations, value: Value): Value | undefined {
  const alternatives = branchCombinations(schemas, location);
  const admitted = new Set(alternatives.flatMap(admittedTypes));
  const subschemas = alternatives.flat();
  if (Array.isArray(value) || value instanceof Map) {
    if (!admitted.has(Array.isArray(value) ? 'array' : 'object') || admitted.has('string')) return undefined;
    const entries =
      value instanceof Map ? [...value] : value.map((entry, index): [string, Value] => [`${index}`, entry]);
    const read = entries.map(([key, entry]): [string, Value | undefined] => {
      const inside =
        value instanceof Map ? propertyLocations(subschemas, key) : itemLocations(subschemas, Number(key));
      return [key, decodeText(schemas, inside, entry)];
    });
    const sure = read.flatMap(([key, entry]): [string, Value][] =>
      entry === undefined ? [] : [[key, entry]],
    );
    if (sure.length < read.length) return undefined;
    return value instanceof Map ? new Map(sure) : sure.map(([, entry]) => entry);
  }
  const text = primitiveText(value);
  if (text === undefined || admitted.has('array') || admitted.has('object')) return undefined;
  const readings = decodePrimitive(admitted, text);
  return readings.length === 1 ? readings[0] : undefined;
}

/** Whether a query parameter of any name may be one of the operation's: a property of an object spread over the query. */
export const acceptsAnyQueryParameter = (schemas: Schemas, { parameters }: Operation): boolean =>
  parameters.some(
    ({ in: place, style, explode, mediaType, schema }) =>
      place === 'query' &&
      style === 'form' &&
      explode &&
      mediaType === undefined &&
      branchCombinations(schemas, [{ pointer: schema, unconditional: true }])
        .flatMap(admittedTypes)
        .includes('object'),
  );

function decodePrimitive(admitted: ReadonlySet<Type>, text: string): Value[] {
  const numeric = (admitted.has('integer') || admitted.has('number')) && NUMBER.test(text);
  const boolean = admitted.has('boolean') && /^(?:true|false)$/.test(text);
  const found: Value[] = [
    ...(numeric ? [new NumberLiteral(text)] : []),
    ...(boolean ? [text === 'true'] : []),
    ...(admitted.has('string') ? [text] : []),
  ];
  return found.length > 0 ? found : [text]; // nothing fits: as text it breaks `type`
}
