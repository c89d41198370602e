import type { Schemas } from '../document/direction';
import type { Operation, Parameter } from '../document/document';
import { Literal, print, type Value } from '../json/json';
import { item, property, types, variants, type Location, type Type } from '../schema/applicable';

/** Text that no style, proxy or cookie parser reads in two ways. */
const SAFE = /^[\w-]+(?:\.\w+)?$/;
const HEADER = /^[!-~](?:[ -~]*[!-~])?$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/**
 * A parameter's value as it stands on the wire: the filling of a path segment, the pairs of a query string, a header's
 * value or a cookie pair.
 *
 * @returns undefined where the style has no unmistakable form for the value.
 * @see https://spec.openapis.org/oas/v3.1.0#style-examples
 */
export function serialise(parameter: Parameter, value: Value): string | undefined {
  const { name, in: place, style, explode } = parameter;
  if (parameter.mediaType !== undefined) return wrap(parameter, encode(place, print(value)));
  if (!Array.isArray(value) && !(value instanceof Map)) {
    const text = leaf(value);
    if (text === undefined || !expressible(place, text)) return undefined;
    return wrap(parameter, encode(place, text));
  }
  const pairs = value instanceof Map ? [...value] : value.map((entry): [string, Value] => ['', entry]);
  const texts = pairs.map(([key, entry]): [string, string | undefined] => [key, leaf(entry)]);
  const dotted = style === 'label' && explode ? /^[\w-]+$/ : SAFE;
  if (texts.length === 0 || texts.some(([, text]) => text === undefined || !dotted.test(text)))
    return undefined;
  const keyed = texts.map(([key, text = '']): [string, string] => [key, text]);
  const flat = keyed.flatMap(([key, text]) => (value instanceof Map ? [key, text] : [text]));
  const equals = keyed.map(([key, text]) => `${value instanceof Map ? key : name}=${text}`);
  switch (style) {
    case 'simple':
      return value instanceof Map && explode ? equals.join(',') : flat.join(',');
    case 'label':
      return `.${explode ? (value instanceof Map ? equals : flat).join('.') : flat.join(',')}`;
    case 'matrix':
      return explode ? equals.map((pair) => `;${pair}`).join('') : `;${name}=${flat.join(',')}`;
    case 'spaceDelimited':
      return `${name}=${flat.join('%20')}`;
    case 'pipeDelimited':
      return `${name}=${flat.join('%7C')}`;
    case 'deepObject':
      return value instanceof Map
        ? keyed.map(([key, text]) => `${name}%5B${key}%5D=${text}`).join('&')
        : undefined;
    default:
      return explode ? equals.join(place === 'cookie' ? '; ' : '&') : `${name}=${flat.join(',')}`;
  }
}

/** Puts an encoded primitive where the style wants it. */
function wrap({ name, in: place, style }: Parameter, text: string): string {
  if (style === 'label') return `.${text}`;
  if (style === 'matrix') return `;${name}=${text}`;
  return place === 'query' || place === 'cookie' ? `${name}=${text}` : text;
}

const encode = (place: Parameter['in'], text: string): string =>
  place === 'header' ? text : encodeURIComponent(text);

function expressible(place: Parameter['in'], text: string): boolean {
  if (!text.isWellFormed() || text === '') return false;
  if (place === 'header') return HEADER.test(text);
  if (place === 'cookie') return SAFE.test(text);
  return place === 'query' || !/^\.+$/.test(text);
}

function leaf(value: Value): string | undefined {
  if (value instanceof Literal) return value.text;
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' ? String(value) : undefined;
}

/**
 * The value as a receiver reads it off the wire, where every primitive is text and only the schema tells a number from a
 * word.
 *
 * @returns undefined where the schema leaves more than one reading.
 */
export function reading(schemas: Schemas, location: Location, value: Value): Value | undefined {
  const alternatives = variants(schemas, location);
  const admitted = new Set(alternatives.flatMap(types));
  const fragments = alternatives.flat();
  if (Array.isArray(value) || value instanceof Map) {
    if (!admitted.has(Array.isArray(value) ? 'array' : 'object') || admitted.has('string')) return undefined;
    const entries =
      value instanceof Map ? [...value] : value.map((entry, index): [string, Value] => [`${index}`, entry]);
    const read = entries.map(([key, entry]): [string, Value | undefined] => {
      const inside = value instanceof Map ? property(fragments, key) : item(fragments, Number(key));
      return [key, reading(schemas, inside, entry)];
    });
    const sure = read.flatMap(([key, entry]): [string, Value][] =>
      entry === undefined ? [] : [[key, entry]],
    );
    if (sure.length < read.length) return undefined;
    return value instanceof Map ? new Map(sure) : sure.map(([, entry]) => entry);
  }
  const text = leaf(value);
  if (text === undefined || admitted.has('array') || admitted.has('object')) return undefined;
  const readings = primitive(admitted, text);
  return readings.length === 1 ? readings[0] : undefined;
}

/** Whether a query parameter of any name may be one of the operation's: a property of an object spread over the query. */
export const takesAnyQuery = (schemas: Schemas, { parameters }: Operation): boolean =>
  parameters.some(
    ({ in: place, style, explode, mediaType, schema }) =>
      place === 'query' &&
      style === 'form' &&
      explode &&
      mediaType === undefined &&
      variants(schemas, [{ pointer: schema, certain: true }])
        .flatMap(types)
        .includes('object'),
  );

function primitive(admitted: ReadonlySet<Type>, text: string): Value[] {
  const numeric = (admitted.has('integer') || admitted.has('number')) && NUMBER.test(text);
  const boolean = admitted.has('boolean') && /^(?:true|false)$/.test(text);
  const found: Value[] = [
    ...(numeric ? [new Literal(text)] : []),
    ...(boolean ? [text === 'true'] : []),
    ...(admitted.has('string') ? [text] : []),
  ];
  return found.length > 0 ? found : [text]; // nothing fits: as text it breaks `type`
}

/**
 * An object as `application/x-www-form-urlencoded`: arrays as repeated names.
 *
 * @returns undefined where the value has no unmistakable form.
 */
export function formEncoded(value: Value): string | undefined {
  if (!(value instanceof Map) || value.size === 0) return undefined;
  const pairs = [...value].flatMap(([name, member]) => {
    const texts = Array.isArray(member) ? member.map(leaf) : [leaf(member)];
    return texts.length === 0 ? [undefined] : texts.map((text) => text?.isWellFormed() && pair(name, text));
  });
  const sure = pairs.filter((entry) => typeof entry === 'string');
  return sure.length === pairs.length ? sure.join('&') : undefined;
}

const pair = (name: string, text: string): string =>
  `${encodeURIComponent(name)}=${encodeURIComponent(text)}`;
