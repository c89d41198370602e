import { isObject } from '../document/document';
import { stringifyJson } from '../json/stringify';
import type { Parameter } from '../operations/operations';

const PREFIXES: ReadonlyMap<string, string> = new Map([
  ['label', '.'],
  ['matrix', ';'],
]);
const DELIMITERS: ReadonlyMap<string, string> = new Map([
  ['spaceDelimited', '%20'],
  ['pipeDelimited', '%7C'],
]);

/** What is not percent-encoded: not each text can be carried. */
const CARRIED: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    // Visible characters, and spaces between them (RFC 9110 section 5.5, without the obsolete bytes).
    header: /^(?:[!-~](?:[ -~]*[!-~])?)?$/,
    // RFC 6265 section 4.2.1
    cookie: /^[!-:<-~]*(?:; [!-:<-~]*)*$/,
  }),
);
const ANY = /^/;

/**
 * Encodes a value in the style of its parameter (OpenAPI 3.1 section 4.8.12.3). The readers of this folder do the reverse.
 *
 * @returns the text of the template expression in a path, the pairs of a query, the whole query unless it is a form
 *   (codecs/form.ts), the value of a header, or the pair of a cookie; undefined if it cannot carry the value
 */
export function writeParameter(parameter: Parameter, value: unknown): string | undefined {
  const { in: place, style, json, content } = parameter;
  if (place === 'querystring') return wholeQuery(parameter, value);
  if (content && !json) return undefined; // the codec of a service reads it
  const encode = place === 'header' ? asIs : style === 'cookie' ? cookieText : encodeText;
  const text = json ? named(parameter, encode(stringifyJson(value))) : styled(parameter, value, encode);
  return (CARRIED.get(style === 'cookie' ? style : place) ?? ANY).test(text) ? text : undefined;
}

const asIs = (text: string): string => text;
/** A semicolon in a value would end it: it becomes a character that no cookie carries. */
const cookieText = (text: string): string => text.replaceAll(';', '\0');

/** The query of a value (OpenAPI 3.2 section 4.12.1). */
function wholeQuery({ json }: Parameter, value: unknown): string | undefined {
  if (isObject(value) && !json) return undefined;
  return encodeText(typeof value === 'string' && !json ? value : stringifyJson(value));
}

/** `name=text` for a query or a cookie, else the text. */
const named = ({ in: place, name }: Parameter, text: string): string =>
  place === 'query' || place === 'cookie' ? `${encodeText(name)}=${text}` : text;

/** Percent-encodes a text. UTF-8 has no half of a surrogate pair. */
const encodeText = (text: string): string => encodeURIComponent(text.toWellFormed());

/** The pairs of a value whose name continues in brackets, with an index for each item of a list (brackets.ts). */
function deepPairs(name: string, value: unknown, encode: (text: string) => string): string[] {
  if (typeof value !== 'object' || value === null)
    return [`${name}=${encode(typeof value === 'string' ? value : stringifyJson(value))}`];
  return Object.entries(value).flatMap(([step, part]) =>
    deepPairs(`${name}%5B${encode(step)}%5D`, part, encode),
  );
}

function styled(parameter: Parameter, value: unknown, encode: (text: string) => string): string {
  const { name, in: place, style, explode } = parameter;
  const key = encode(name);
  if (style === 'deepObject') return deepPairs(key, value, encode).join('&');
  const prefix = PREFIXES.get(style) ?? '';
  const text = (part: unknown) => encode(typeof part === 'string' ? part : stringifyJson(part));
  const separator = place === 'cookie' ? '; ' : style === 'form' ? '&' : prefix || ',';
  const whole = (inner: string) =>
    style === 'matrix' ? `;${key}=${inner}` : `${prefix}${named(parameter, inner)}`;
  if (Array.isArray(value)) {
    const parts = value.map(text);
    if (!explode || style === 'simple') return whole(parts.join(DELIMITERS.get(style) ?? ','));
    return style === 'label' ? whole(parts.join('.')) : prefixed(parts.map((part) => `${key}=${part}`));
  }
  if (typeof value !== 'object' || value === null) return whole(text(value));
  const pairs = Object.entries(value).map(([member, part]) => [encode(member), text(part)] as const);
  if (explode) return prefixed(pairs.map(([member, part]) => `${member}=${part}`));
  return whole(pairs.flat().join(DELIMITERS.get(style) ?? ','));

  function prefixed(parts: readonly string[]): string {
    return prefix + parts.join(separator);
  }
}
