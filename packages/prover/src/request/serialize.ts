import type { Schemas } from '../document/direction';
import { codecOf, isRange } from '../document/media';
import type { Operation, Parameter } from '../document/model';
import { NumberLiteral, print, type Value } from '../json/value';
import {
  admittedTypes,
  anyValueOf,
  branchCombinations,
  itemLocations,
  propertyLocations,
  type SchemaLocations,
  type Type,
} from '../schema/locations';

/** Text that every style, proxy and cookie parser decodes the same way. */
const UNRESERVED_TEXT = /^[\w-]+(?:\.\w+)?$/;

const HEADER_VALUE = /^[!-~](?:[ -~]*[!-~])?$/;

/**
 * Serializes a parameter: as the content of a path segment, the pairs of a query, the value of a header, or a cookie
 * pair.
 *
 * @returns undefined if the style has no unambiguous form for the value, or if a header field cannot carry that form
 * @see https://spec.openapis.org/oas/v3.1.0#style-examples
 */
export function serializeParameter(parameter: Parameter, value: Value): string | undefined {
  const text = serialize(parameter, value);
  return parameter.in === 'header' && text !== undefined && text !== '' && !HEADER_VALUE.test(text)
    ? undefined
    : text;
}

function serialize(parameter: Parameter, value: Value): string | undefined {
  const { in: location, style, explode } = parameter;
  const name = encodeName(location, parameter.name);
  if (parameter.mediaType !== undefined) {
    const isJson = codecOf(parameter.mediaType) === 'json' || isRange(parameter.mediaType);
    const json = location === 'header' ? inAscii(print(value)) : print(value);
    const text = typeof value === 'string' && !isJson ? value : json;
    return addPrefix(parameter, percentEncode(location, text));
  }
  if (style === 'deepObject') return bracketPairs(name, value)?.join('&');
  if (!Array.isArray(value) && !(value instanceof Map)) {
    const text = primitiveText(value);
    if (text === undefined || !isUnambiguous(location, text)) return undefined;
    return addPrefix(parameter, percentEncode(location, text));
  }
  const pairs = value instanceof Map ? [...value] : value.map((entry): [string, Value] => ['', entry]);
  const texts = pairs.map(([key, entry]): [string, string | undefined] => [key, primitiveText(entry)]);
  // A dot separates items in an exploded label.
  const safe = style === 'label' && explode ? /^[\w-]+$/ : UNRESERVED_TEXT;
  // RFC 6570 section 2.3: a list without items is undefined, so `p=` has one. RFC 9110 section 5.6.1: those of a header are not empty.
  const isCarried = (text: string): boolean => (text === '' ? location === 'query' : safe.test(text));
  if (texts.length === 0 || texts.some(([, text]) => text === undefined || !isCarried(text)))
    return undefined;
  const keyed = texts.map(([key, text = '']): [string, string] => [encodeName(location, key), text]);
  const flat = keyed.flatMap(([key, text]) => (value instanceof Map ? [key, text] : [text]));
  const assigned = keyed.map(([key, text]) => `${value instanceof Map ? key : name}=${text}`);
  switch (style) {
    case 'simple':
      return value instanceof Map && explode ? assigned.join(',') : flat.join(',');
    case 'label':
      return `.${explode ? (value instanceof Map ? assigned : flat).join('.') : flat.join(',')}`;
    case 'matrix':
      return explode ? assigned.map((pair) => `;${pair}`).join('') : `;${name}=${flat.join(',')}`;
    case 'spaceDelimited':
      return `${name}=${flat.join('%20')}`;
    case 'pipeDelimited':
      return `${name}=${flat.join('%7C')}`;
    default:
      return explode ? assigned.join(location === 'cookie' ? '; ' : '&') : `${name}=${flat.join(',')}`;
  }
}

/**
 * The pairs of a value whose name continues in brackets: with the name of each property, and the index of each item. OpenAPI
 * leaves what is nested undefined; this is what servers and clients agree on.
 */
function bracketPairs(name: string, value: Value): string[] | undefined {
  if (!Array.isArray(value) && !(value instanceof Map)) {
    const text = primitiveText(value);
    return text?.isWellFormed() ? [`${name}=${encodeURIComponent(text)}`] : undefined;
  }
  const parts = Array.isArray(value) ? value.map((item, i) => [String(i), item] as const) : [...value];
  if (parts.length === 0 || parts.some(([step]) => /^$|[[\]]/.test(step) || !step.isWellFormed()))
    return undefined;
  return all(
    parts.map(([step, part]) => bracketPairs(`${name}%5B${encodeURIComponent(step)}%5D`, part)),
  )?.flat();
}

/** Adds the prefix of the style to an encoded primitive. */
function addPrefix({ name: plain, in: location, style }: Parameter, text: string): string {
  const name = encodeName(location, plain);
  if (style === 'label') return `.${text}`;
  if (style === 'matrix') return `;${name}=${text}`;
  return location === 'query' || location === 'cookie' ? `${name}=${text}` : text;
}

/** JSON text whose other characters are escaped, so that a header field carries it. */
const inAscii = (json: string): string =>
  json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const percentEncode = (location: Parameter['in'], text: string): string =>
  location === 'header' ? text : encodeURIComponent(text);

/** A name in a query, percent-encoded; elsewhere as it is. */
const encodeName = (location: Parameter['in'], name: string): string =>
  location === 'query' ? encodeURIComponent(name) : name;

function isUnambiguous(location: Parameter['in'], text: string): boolean {
  if (!text.isWellFormed()) return false;
  // A segment of a path is not empty, and segments of dots are removed (RFC 3986 section 5.2.4).
  if (location === 'path') return !/^\.*$/.test(text);
  if (text === '' || location === 'query') return true;
  return (location === 'header' ? HEADER_VALUE : UNRESERVED_TEXT).test(text);
}

/** The text of a primitive value, or undefined for null, arrays and objects. */
export function primitiveText(value: Value): string | undefined {
  if (value instanceof NumberLiteral) return value.text;
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' ? String(value) : undefined;
}

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
    if (!allowed.has(Array.isArray(value) ? 'array' : 'object')) return undefined;
    if (Array.isArray(value) ? isScalarToo(allowed, value) : allowed.has('string')) return undefined;
    return value instanceof Map
      ? mapMembers(value, (name, member) => decodeText(schemas, propertyLocations(subschemas, name), member))
      : all(value.map((entry, index) => decodeText(schemas, itemLocations(subschemas, index), entry)));
  }
  const text = primitiveText(value);
  if (text === undefined || allowed.has('object')) return undefined;
  // One text is the value, several are the list: a text with a delimiter could be either.
  if (allowed.has('array') && !(admitsText(allowed) && UNRESERVED_TEXT.test(text))) return undefined;
  const readings = decodePrimitive(allowed, text);
  return readings.length === 1 ? readings[0] : undefined;
}

/**
 * Decodes a value whose name continues in brackets, which tell objects and lists from primitives, but not from each other.
 *
 * @returns undefined if the schema allows more than one result
 */
export function decodeBrackets(
  schemas: Schemas,
  locations: SchemaLocations,
  value: Value,
): Value | undefined {
  const alternatives = branchCombinations(schemas, locations);
  const allowed = new Set(alternatives.flatMap(admittedTypes));
  const subschemas = alternatives.flat();
  if (Array.isArray(value) || value instanceof Map) {
    if (!allowed.has(Array.isArray(value) ? 'array' : 'object')) return undefined;
    if (allowed.has('array') && allowed.has('object')) return undefined;
    return value instanceof Map
      ? mapMembers(value, (name, member) =>
          decodeBrackets(schemas, propertyLocations(subschemas, name), member),
        )
      : all(value.map((entry, index) => decodeBrackets(schemas, itemLocations(subschemas, index), entry)));
  }
  const text = primitiveText(value);
  if (text === undefined || !admitsText(allowed)) return undefined;
  const readings = decodePrimitive(allowed, text);
  return readings.length === 1 ? readings[0] : undefined;
}

/** What a text may stand for where the schema at a pointer describes a primitive value. */
export const readingsOf = (schemas: Schemas, schema: string, text: string): Value[] =>
  decodePrimitive(new Set(branchCombinations(schemas, anyValueOf(schema)).flatMap(admittedTypes)), text);

export const admitsText = (allowed: ReadonlySet<Type>): boolean =>
  (['string', 'integer', 'number', 'boolean'] as const).some((type) => allowed.has(type));

/** Whether a receiver may read a list of one item as the item. */
export const isScalarToo = (allowed: ReadonlySet<Type>, list: readonly Value[]): boolean =>
  list.length === 1 && admitsText(allowed);

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

/** The entries, or undefined if one of them is. */
export function all<T>(entries: readonly (T | undefined)[]): T[] | undefined {
  const defined = entries.filter((entry) => entry !== undefined);
  return defined.length === entries.length ? defined : undefined;
}

/** The object with other values of its members, or undefined if one of them is. */
export function mapMembers(
  value: Map<string, Value>,
  convert: (name: string, member: Value) => Value | undefined,
): Map<string, Value> | undefined {
  const members = new Map<string, Value>();
  for (const [name, member] of value) {
    const converted = convert(name, member);
    if (converted === undefined) return undefined;
    members.set(name, converted);
  }
  return members;
}

/**
 * Whether any query parameter may be a property of an exploded object parameter, or part of the whole query string, so that
 * none is unlisted.
 */
export const acceptsAnyQueryParameter = (schemas: Schemas, { parameters }: Operation): boolean =>
  parameters.some(
    ({ in: location, style, explode, mediaType, schema }) =>
      location === 'querystring' ||
      (location === 'query' &&
        style === 'form' &&
        explode &&
        mediaType === undefined &&
        branchCombinations(schemas, anyValueOf(schema)).flatMap(admittedTypes).includes('object')),
  );
