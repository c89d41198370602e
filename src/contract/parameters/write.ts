import { stringifyJson } from '../json/stringify';
import type { Parameter } from '../operations/operations';

const PREFIXES: Readonly<Record<string, string>> = { label: '.', matrix: ';' };
const DELIMITERS: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '%7C' };

/** Visible characters, and spaces between them (RFC 9110 section 5.5, without the obsolete bytes). */
const FIELD_VALUE = /^(?:[!-~](?:[ -~]*[!-~])?)?$/;

/**
 * Encodes a value in the style of its parameter (OpenAPI 3.1 section 4.8.12.3). The readers of this folder do the reverse.
 *
 * @returns the text of the template expression in a path, the pairs of a query, the value of a header, or the pair of a
 *   cookie; undefined if a header cannot carry the value
 */
export function writeParameter(parameter: Parameter, value: unknown): string | undefined {
  const { in: place, json } = parameter;
  const encode = place === 'header' ? (text: string) => text : encodeText;
  const text = json ? named(parameter, encode(stringifyJson(value))) : styled(parameter, value, encode);
  return place === 'header' && !FIELD_VALUE.test(text) ? undefined : text;
}

/** `name=text` for a query or a cookie, else the text. */
const named = ({ in: place, name }: Parameter, text: string): string =>
  place === 'query' || place === 'cookie' ? `${encodeText(name)}=${text}` : text;

/** Percent-encodes a text. UTF-8 has no half of a surrogate pair. */
const encodeText = (text: string): string => encodeURIComponent(text.toWellFormed());

function styled(parameter: Parameter, value: unknown, encode: (text: string) => string): string {
  const { name, in: place, style, explode } = parameter;
  const key = encode(name);
  const prefix = PREFIXES[style] ?? '';
  const text = (part: unknown) => encode(typeof part === 'string' ? part : stringifyJson(part));
  const separator = style === 'form' ? (place === 'cookie' ? '; ' : '&') : prefix || ',';
  const whole = (inner: string) =>
    style === 'matrix' ? `;${key}=${inner}` : `${prefix}${named(parameter, inner)}`;
  if (Array.isArray(value)) {
    const parts = value.map(text);
    if (!explode || style === 'simple') return whole(parts.join(DELIMITERS[style] ?? ','));
    return style === 'label' ? whole(parts.join('.')) : prefixed(parts.map((part) => `${key}=${part}`));
  }
  if (typeof value !== 'object' || value === null) return whole(text(value));
  const pairs = Object.entries(value).map(([member, part]) => [encode(member), text(part)] as const);
  if (style === 'deepObject') return pairs.map(([member, part]) => `${key}%5B${member}%5D=${part}`).join('&');
  if (explode) return prefixed(pairs.map(([member, part]) => `${member}=${part}`));
  return whole(pairs.flat().join(DELIMITERS[style] ?? ','));

  function prefixed(parts: readonly string[]): string {
    return prefix + parts.join(separator);
  }
}
