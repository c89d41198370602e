import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { excerpt } from '../json/excerpt';
import { type Headers, type Problem, RequestProblem } from '../problem';

/** A field name (RFC 9110 section 5.1) is a token (section 5.6.2). */
const FIELD_NAME = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;
/** A field value (RFC 9110 section 5.5) in ASCII: recipients disagree on what other bytes mean. */
const FIELD_VALUE = /^[\t\x20-\x7e]*$/;
/** Fields of the connection and of the framing (RFC 9110 section 7.6.1, RFC 9112 sections 6 and 7). */
const MANAGED = /^(connection|content-length|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*)$/i;

/** Whether a recipient reads this text unchanged. Recipients strip whitespace at both ends. */
export function isFieldValue(text: string): boolean {
  return FIELD_VALUE.test(text) && text.trim() === text;
}

/** Whether a request or response can have a header of this name. */
export const isFieldName = (name: string): boolean => FIELD_NAME.test(name);

/** UTF-16 code units of a text of the document in a header field: clients bound the size of a head. */
const MAX_TEXT = 200;
/** What a field cannot carry as it is, or what would be ambiguous beside it. */
const UNSENDABLE = /[^ -~]|%|^ | $/gu;

/**
 * Converts any text of the document, such as an operationId, to the value of a header field. Percent-encodes what a field
 * cannot carry, and cuts what is too long.
 */
export function fieldText(text: string): string {
  return text.slice(0, MAX_TEXT).toWellFormed().replace(UNSENDABLE, encodeURIComponent);
}

/** UTF-16 code units of a value that a client sent, in a message. */
const MAX_RECEIVED = 100;

/**
 * The sentence about a value of a header field that the server does not support. HTTP gives control characters and bytes
 * beyond ASCII no meaning: U+FFFD replaces them.
 */
export function unsupported(name: string, received: string, expected: readonly string[]): string {
  const shown = excerpt(received, MAX_RECEIVED).replace(/[^ -~]/g, '\uFFFD');
  const cut = received.length > MAX_RECEIVED ? '...' : '';
  return `unsupported ${name} ${shown}${cut}; expected ${expected.join(' or ')}`;
}

/** The reason why a response header of this name cannot be served; undefined if it can. */
export function unservableField(name: string): string | undefined {
  if (!isFieldName(name)) return 'is not the name of a header: expected a token (RFC 9110 section 5.6.2)';
  if (MANAGED.test(name)) return 'belongs to the connection: only the server can send it';
  return undefined;
}

/**
 * Converts the value of a header that the document does not describe to text.
 *
 * @throws {TypeError} if the header cannot be sent
 */
export function fieldValue(name: string, value: unknown): string {
  const reason = unservableField(name);
  if (reason !== undefined) throw new TypeError(`the header ${name} ${reason}`);
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string')
    throw new TypeError(`the header ${name} is of the type ${typeof value}: expected a string`);
  if (!isFieldValue(text)) throw new TypeError(`the header ${name} has a value that a header cannot carry`);
  return text;
}

/**
 * The names and values of an object of headers.
 *
 * @throws {TypeError} for another value, such as a Map, whose entries are no properties
 */
export function headerEntries(headers: unknown): [name: string, value: unknown][] {
  if (headers === undefined || headers === null) return [];
  if (typeof headers === 'object' && Object.prototype.toString.call(headers) === '[object Object]')
    return Object.entries(headers);
  throw new TypeError('expected the headers to be an object of names and values, got something else');
}

/** The header fields of a request as it was sent, in which names and values alternate. */
export interface RawHeaders {
  readonly rawHeaders: readonly string[];
}

const NONE: readonly string[] = [];

/**
 * The values of all lines of a header field in a request. `request.headers` lacks the second line of some twenty fields, and
 * has those of others joined (https://nodejs.org/api/http.html#messageheaders).
 *
 * @param field in lower case
 */
export function fieldLines({ rawHeaders }: RawHeaders, field: string): readonly string[] {
  let lines: string[] | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === field.length && name.toLowerCase() === field)
      (lines ??= []).push(rawHeaders[i + 1] ?? '');
  }
  return lines ?? NONE;
}

/** The fields of requests that RFC 9110 and RFC 9111 define as lists: their lines are one list (RFC 9110 section 5.3). */
const LISTS = new Set(
  (
    'accept accept-charset accept-encoding accept-language accept-ranges allow authentication-info cache-control connection ' +
    'content-encoding content-language expect if-match if-none-match pragma proxy-authenticate proxy-authentication-info te ' +
    'trailer transfer-encoding upgrade vary via www-authenticate'
  ).split(' '),
);

/** Whether the lines of a field are one list by the definition of the field. */
export const isListField = (field: string): boolean => LISTS.has(field.toLowerCase());

/** The problem of a field that a request has more than once, and that is no list. */
export function repeatedField(name: string, headers?: Headers): Problem {
  const violations = [{ pointer: `/header/${name}`, keyword: 'style', message: 'is given more than once' }];
  return new RequestProblem('invalidRequest', `header/${name} is given more than once`, headers, {
    violations,
  });
}

/** Merges the values of several `Vary` fields (RFC 9110 section 12.5.5). */
export function mergeVary(values: readonly string[]): string {
  const names = new Map(
    values.flatMap((value) =>
      value.split(',').flatMap((part): [string, string][] => {
        const name = part.trim();
        return name === '' ? [] : [[name.toLowerCase(), name]];
      }),
    ),
  );
  return names.has('*') ? '*' : [...names.values()].join(', ');
}

/** Adds a name to the Vary field (RFC 9110 section 12.5.5). */
export function vary(headers: Record<string, string | readonly string[]>, name: string): void {
  const field = Object.keys(headers).find((other) => other.length === 4 && other.toLowerCase() === 'vary');
  if (field === undefined) headers['Vary'] = name;
  else headers[field] = mergeVary([headers[field] ?? [], name].flat());
}

/** Alternating names and values of header fields. Node takes two microseconds longer for an object. */
export type Fields = (string | number | string[])[];

/** A header field of every response, and its name in lower case. */
export interface Field {
  readonly name: string;
  readonly lower: string;
  readonly value: string;
}

/** Whether a field is among names in any case. */
export function hasField(names: readonly string[], lower: string): boolean {
  for (const name of names) if (name.length === lower.length && name.toLowerCase() === lower) return true;
  return false;
}

/**
 * Returns the header fields of a response.
 *
 * @param requestId its `X-Request-Id`, which a header of this response replaces
 * @param always the headers of every response; a header of this response replaces the one of the same name
 * @param vary the `Vary` field that an earlier middleware set
 */
export function fieldsOf(
  headers: Readonly<Record<string, string | readonly string[]>>,
  requestId: string,
  always: readonly Field[],
  vary: string | undefined,
): Fields {
  const own = Object.keys(headers);
  const fields: Fields = hasField(own, 'x-request-id') ? [] : ['X-Request-Id', requestId];
  const varying = vary === undefined ? [] : [vary];
  for (const { name, value, lower } of always) {
    if (lower === 'vary') varying.push(value);
    else if (!hasField(own, lower)) fields.push(name, value);
  }
  for (const name of own) {
    const value = headers[name] ?? '';
    if (typeof value === 'object') fields.push(name, [...value]);
    else if (name.length === 4 && name.toLowerCase() === 'vary') varying.push(value);
    else fields.push(name, value);
  }
  const [first] = varying;
  if (first !== undefined) fields.push('Vary', varying.length === 1 ? first : mergeVary(varying));
  return fields;
}

/** Text that is safe in a log line and in a header. */
const WELL_FORMED = /^[\w.~+/=:-]{1,128}$/;
/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-((?!0{32})[\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-|$)/;

/** The id of a request: its well-formed X-Request-Id, otherwise its W3C trace id, otherwise a new UUID. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  if (typeof given === 'string' && WELL_FORMED.test(given)) return given;
  const trace = headers['traceparent'];
  if (typeof trace === 'string') return TRACEPARENT.exec(trace)?.[1] ?? randomUUID();
  return randomUUID();
}
