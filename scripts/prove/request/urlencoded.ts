import type { Schemas } from '../document/direction';
import { codecOf } from '../document/media';
import { asObject, asString, objectAt } from '../json/tree';
import { print, type Value } from '../json/value';
import {
  admittedTypes,
  anyValueOf,
  branchCombinations,
  itemLocations,
  propertyLocations,
  type SchemaLocations,
} from '../schema/locations';
import { all, decodeText, mapMembers, primitiveText } from './serialize';

/** How a form (`application/x-www-form-urlencoded`) carries the values of a schema. */
export interface Form {
  /** @returns undefined if the value has no unambiguous form */
  readonly encode: (value: Value) => string | undefined;
  /** The value that the receiver decodes, or undefined if the value has no unambiguous form. */
  readonly decode: (value: Value) => Value | undefined;
}

/**
 * A form has a pair for each property, and for each item of an array. An object is JSON text, as the whole value or as an
 * item, unless the `encoding` of the property states otherwise.
 *
 * @param schema pointer to the schema of the media type, beside `encoding`
 * @see https://spec.openapis.org/oas/v3.1.0#fixed-fields-12, contentType
 */
export function formOf(schemas: Schemas, schema: string): Form {
  const root = anyValueOf(schema);
  const subschemas = branchCombinations(schemas, root).flat();
  const encodings = asObject(objectAt(schemas.json, schema.replace(/\/schema$/, ''))['encoding']);
  const isJson = (name: string, locations: SchemaLocations): boolean => {
    const { contentType, ...style } = asObject(encodings[name]);
    const isUsual = contentType === undefined || codecOf(asString(contentType)) === 'json';
    const types = branchCombinations(schemas, locations).flatMap(admittedTypes);
    const others = types.filter((type) => type !== 'object' && type !== 'null');
    return Object.keys(style).length === 0 && isUsual && types.includes('object') && others.length === 0;
  };
  /** The schemas of a property, those of its items, and whether it is JSON text. */
  const locate = (name: string) => {
    const whole = propertyLocations(subschemas, name);
    const item = (index: number) => itemLocations(branchCombinations(schemas, whole).flat(), index);
    return { whole, item, isJson: isJson(name, whole) };
  };

  const textsOf = (name: string, member: Value): (string | undefined)[] => {
    const property = locate(name);
    if (property.isJson) return [print(member)];
    if (!Array.isArray(member)) return [primitiveText(member)];
    if (member.length === 0) return [undefined];
    return member.map((entry, i) => (isJson(name, property.item(i)) ? print(entry) : primitiveText(entry)));
  };
  const encode = (value: Value): string | undefined => {
    if (!(value instanceof Map) || value.size === 0) return undefined;
    const pairs = [...value].flatMap(([name, member]) =>
      textsOf(name, member).map((text) =>
        text?.isWellFormed() ? `${encodeURIComponent(name)}=${encodeURIComponent(text)}` : undefined,
      ),
    );
    return all(pairs)?.join('&');
  };

  const decodeMember = (name: string, member: Value): Value | undefined => {
    const property = locate(name);
    if (property.isJson) return member;
    const isList = Array.isArray(member) && decodeText(schemas, property.whole, []) !== undefined;
    if (!isList) return decodeText(schemas, property.whole, member);
    return all(
      member.map((entry, i) => {
        const item = property.item(i);
        return isJson(name, item) ? entry : decodeText(schemas, item, entry);
      }),
    );
  };
  const decode = (value: Value): Value | undefined => {
    if (!(value instanceof Map) || encode(value) === undefined) return undefined;
    if (decodeText(schemas, root, new Map()) === undefined) return undefined;
    return mapMembers(value, decodeMember);
  };
  return { encode, decode };
}
