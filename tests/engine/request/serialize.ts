import type { Parameter } from '../document/document';
import { NumberLiteral, print, type Value } from '../json/value';

/** Text that no style, proxy or cookie parser reads in two ways. */
const UNRESERVED_TEXT = /^[\w-]+(?:\.\w+)?$/;

const HEADER_VALUE = /^[!-~](?:[ -~]*[!-~])?$/;

/**
 * A parameter's value as it stands on the wire: the filling of a path segment, the pairs of a query string, a header's
 * value or a cookie pair.
 *
 * @returns undefined where the style has no unmistakable form for the value.
 * @see https://spec.openapis.org/oas/v3.1.0#style-examples
 */
export function serializeParameter(parameter: Parameter, value: Value): string | undefined {
  const { name, in: place, style, explode } = parameter;
  if (parameter.mediaType !== undefined) return addPrefix(parameter, percentEncode(place, print(value)));
  if (!Array.isArray(value) && !(value instanceof Map)) {
    const text = primitiveText(value);
    if (text === undefined || !isUnambiguous(place, text)) return undefined;
    return addPrefix(parameter, percentEncode(place, text));
  }
  const pairs = value instanceof Map ? [...value] : value.map((entry): [string, Value] => ['', entry]);
  const texts = pairs.map(([key, entry]): [string, string | undefined] => [key, primitiveText(entry)]);
  const dotted = style === 'label' && explode ? /^[\w-]+$/ : UNRESERVED_TEXT;
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
function addPrefix({ name, in: place, style }: Parameter, text: string): string {
  if (style === 'label') return `.${text}`;
  if (style === 'matrix') return `;${name}=${text}`;
  return place === 'query' || place === 'cookie' ? `${name}=${text}` : text;
}

const percentEncode = (place: Parameter['in'], text: string): string =>
  place === 'header' ? text : encodeURIComponent(text);

function isUnambiguous(place: Parameter['in'], text: string): boolean {
  if (!text.isWellFormed() || text === '') return false;
  if (place === 'header') return HEADER_VALUE.test(text);
  if (place === 'cookie') return UNRESERVED_TEXT.test(text);
  return place === 'query' || !/^\.+$/.test(text);
}

export function primitiveText(value: Value): string | undefined {
  if (value instanceof NumberLiteral) return value.text;
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' ? String(value) : undefined;
}

/**
 * An object as `application/x-www-form-urlencoded`: arrays as repeated names.
 *
 * @returns undefined where the value has no unmistakable form.
 */
export function encodeForm(value: Value): string | undefined {
  if (!(value instanceof Map) || value.size === 0) return undefined;
  const pairs = [...value].flatMap(([name, member]) => {
    const texts = Array.isArray(member) ? member.map(primitiveText) : [primitiveText(member)];
    return texts.length === 0
      ? [undefined]
      : texts.map((text) => text?.isWellFormed() && encodePair(name, text));
  });
  const sure = pairs.filter((entry) => typeof entry === 'string');
  return sure.length === pairs.length ? sure.join('&') : undefined;
}

const encodePair = (name: string, text: string): string =>
  `${encodeURIComponent(name)}=${encodeURIComponent(text)}`;
