import type { Parameter } from '../document/model';
import { NumberLiteral, print, type Value } from '../json/value';

/** Text that every style, proxy and cookie parser decodes the same way. */
const UNRESERVED_TEXT = /^[\w-]+(?:\.\w+)?$/;

const HEADER_VALUE = /^[!-~](?:[ -~]*[!-~])?$/;

/**
 * Serializes a parameter: as the content of a path segment, the pairs of a query, the value of a header, or a cookie
 * pair.
 *
 * @returns undefined if the style has no unambiguous form for the value
 * @see https://spec.openapis.org/oas/v3.1.0#style-examples
 */
export function serializeParameter(parameter: Parameter, value: Value): string | undefined {
  const { in: location, style, explode } = parameter;
  const name = encodeName(location, parameter.name);
  if (parameter.mediaType !== undefined) return addPrefix(parameter, percentEncode(location, print(value)));
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
    case 'deepObject':
      return value instanceof Map
        ? keyed.map(([key, text]) => `${name}%5B${key}%5D=${text}`).join('&')
        : undefined;
    default:
      return explode ? assigned.join(location === 'cookie' ? '; ' : '&') : `${name}=${flat.join(',')}`;
  }
}

/** Adds the prefix of the style to an encoded primitive. */
function addPrefix({ name: plain, in: location, style }: Parameter, text: string): string {
  const name = encodeName(location, plain);
  if (style === 'label') return `.${text}`;
  if (style === 'matrix') return `;${name}=${text}`;
  return location === 'query' || location === 'cookie' ? `${name}=${text}` : text;
}

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
