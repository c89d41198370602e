/** Writes the parts of a request. */
import type { Style } from './plan';
import { UnwritableRequest } from './types';

/** Encodes a text, or refuses it. */
export type Encode = (text: string) => string;

/** The separators of lists that are one text; others have commas. */
const ENCODED: ReadonlyMap<string, string> = new Map([
  ['spaceDelimited', '%20'],
  ['pipeDelimited', '%7C'],
]);

/** Header fields carry visible ASCII, and spaces between (RFC 9110 section 5.5). */
const FIELD = /^(?:[!-~](?:[ -~]*[!-~])?)?$/;
/** RFC 6265 section 4.2.1 */
const COOKIE = /^[!-:<-~]*$/;

export const asIs: Encode = (text) => text;

export function percent(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw new UnwritableRequest(`a URL cannot carry half of a surrogate pair: ${JSON.stringify(text)}`);
  }
}

const only =
  (allowed: RegExp, what: string): Encode =>
  (text) => {
    if (allowed.test(text)) return text;
    throw new UnwritableRequest(`${what} cannot carry ${JSON.stringify(text)}`);
  };

export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** The text of a value that is neither a list nor an object. */
export function plain(value: unknown): string {
  if (typeof value === 'string') return value;
  const isText = typeof value === 'bigint' || typeof value === 'boolean' || Number.isFinite(value);
  if (isText) return String(value);
  throw new UnwritableRequest(`expected a string, a number or a boolean, got ${nameOf(value)}`);
}

const nameOf = (value: unknown): string =>
  value === null || typeof value === 'number' ? String(value) : isList(value) ? 'a list' : typeof value;

export const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).filter(([, part]) => part !== undefined)
    : [];

/** Whether a value is a list or an object that has nothing in it: it is left out where it may be (RFC 6570 section 2.3). */
export const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && (isList(value) ? value : entriesOf(value)).length === 0;

/** JSON text, with each bigint as an integer. Undefined for what JSON leaves out. */
export function stringify(value: unknown): string | undefined {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new UnwritableRequest(`JSON has no ${value}`);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (value instanceof Date) return JSON.stringify(value);
  if (isList(value)) return `[${Array.from(value, (item) => stringify(item) ?? 'null').join()}]`;
  const members = entriesOf(value).flatMap(([name, member]) => {
    const text = stringify(member);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${members.join()}}`;
}

/** @throws {UnwritableRequest} */
export function jsonOf(value: unknown): string {
  const text = stringify(value);
  if (text === undefined) throw new UnwritableRequest(`JSON has no ${typeof value}`);
  return text;
}

/** The text of a value that has a media type. */
export const wholeOf = ({ json }: Pick<Style, 'json'>, value: unknown): string =>
  json === true ? jsonOf(value) : plain(value);

/** Refuses a separator in a value: it would end the value. */
function whole(text: string, separator: string): string {
  if (!text.includes(separator)) return text;
  throw new UnwritableRequest(
    `${JSON.stringify(separator)} separates values, so a value cannot contain it: ${JSON.stringify(text)}`,
  );
}

/** The text of a path parameter or a header field. */
export function writeText(rule: Style, value: unknown, encode: Encode): string {
  const { name, style, explode } = rule;
  if (rule.json === true || rule.isText === true) return encode(wholeOf(rule, value));
  const prefix = style === 'label' ? '.' : style === 'matrix' ? ';' : '';
  const separator = explode && prefix !== '' ? prefix : ',';
  // A dot is no separator of a URL, but that of a label.
  const part = (one: unknown) =>
    whole(separator === '.' ? encode(plain(one)).replaceAll('.', '%2E') : encode(plain(one)), separator);
  const own = style === 'matrix' ? `${encode(name)}=` : '';
  if (isList(value)) {
    const parts = value.map(part);
    return prefix + (explode ? parts.map((text) => own + text).join(separator) : own + parts.join(separator));
  }
  if (typeof value !== 'object' || value === null) return prefix + own + encode(plain(value));
  const pairs = entriesOf(value).map(([key, member]) => [
    whole(part(key), explode ? '=' : separator),
    part(member),
  ]);
  return (
    prefix +
    (explode ? pairs.map((pair) => pair.join('=')).join(separator) : own + pairs.flat().join(separator))
  );
}

/** The pairs of a value whose name continues in brackets: with the name of each property, and the index of each item. */
function deepPairs(name: string, value: unknown, encode: Encode): [string, string][] {
  if (typeof value !== 'object' || value === null) return [[name, encode(plain(value))]];
  const parts = isList(value) ? [...value.entries()] : entriesOf(value);
  if (parts.length === 0)
    throw new UnwritableRequest('an empty list or object cannot be distinguished from none');
  return parts.flatMap(([step, part]) => {
    const inner = String(step);
    if (/^$|[[\]]/.test(inner))
      throw new UnwritableRequest(`brackets cannot carry the name ${JSON.stringify(inner)}`);
    return deepPairs(`${name}${encode('[')}${encode(inner)}${encode(']')}`, part, encode);
  });
}

/** The pairs of a value in a query, a cookie or a form. A list without items has none (RFC 6570 section 2.3). */
export function writePairs(
  rule: Style,
  value: unknown,
  encode: Encode,
  separators = ENCODED,
): [string, string][] {
  const { style, explode } = rule;
  const name = encode(rule.name);
  if (rule.json === true || rule.isText === true) return [[name, encode(wholeOf(rule, value))]];
  if (style === 'deepObject') return isEmpty(value) ? [] : deepPairs(name, value, encode);
  const separator = separators.get(style) ?? ',';
  const part = (one: unknown) => (explode ? encode(plain(one)) : whole(encode(plain(one)), separator));
  if (isList(value)) {
    const parts = value.map(part);
    return explode || parts.length === 0
      ? parts.map((text) => [name, text])
      : [[name, parts.join(separator)]];
  }
  if (typeof value !== 'object' || value === null) return [[name, encode(plain(value))]];
  const pairs = entriesOf(value).map(([key, member]): [string, string] => [part(key), part(member)]);
  return explode || pairs.length === 0 ? pairs : [[name, pairs.flat().join(separator)]];
}

export const inField = only(FIELD, 'a header field');
export const inName = only(/^[!#$%&'*+.^_`|~\w-]+$/, 'the name of a header field');
export const inCookie = only(COOKIE, 'a cookie');

/** The text of a query (https://url.spec.whatwg.org/#concept-urlencoded-serializer). */
export const queryOf = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.map((pair) => pair.join('=')).join('&');
