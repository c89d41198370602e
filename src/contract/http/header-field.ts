import type { IncomingMessage } from 'node:http';

/** A field name (RFC 9110 section 5.1) is a token (section 5.6.2). */
const FIELD_NAME = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;
/** A field value (RFC 9110 section 5.5) in ASCII: recipients disagree on what other bytes mean. */
const FIELD_VALUE = /^[\t\x20-\x7e]*$/;
/** Fields that describe the connection or the framing (RFC 9110 section 7.6.1, RFC 9112 sections 6 and 7). */
const MANAGED = /^(connection|content-length|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*)$/i;

/** Whether a recipient reads exactly this text: it strips whitespace at both ends. */
export function isFieldValue(text: string): boolean {
  return FIELD_VALUE.test(text) && text.trim() === text;
}

/** Why a response header of this name cannot be served; undefined if it can. */
export function unservableField(name: string): string | undefined {
  if (!FIELD_NAME.test(name)) return 'is not the name of a header: expected a token (RFC 9110 section 5.6.2)';
  if (MANAGED.test(name)) return 'belongs to the connection: the server alone sends it, and no handler can';
  return undefined;
}

/**
 * The value of a header that the document does not describe.
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
 * @throws {TypeError} if it is something else, such as a Map, of which nothing would be sent
 */
export function headerEntries(headers: unknown): [name: string, value: unknown][] {
  if (headers === undefined || headers === null) return [];
  if (typeof headers === 'object' && Object.prototype.toString.call(headers) === '[object Object]')
    return Object.entries(headers);
  throw new TypeError('expected the headers to be an object of names and values, got something else');
}

/** How many lines of a request are of this field: Node keeps the first of some, and joins others. The name is in lower case. */
export function countLines({ rawHeaders }: IncomingMessage, field: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === field.length && name.toLowerCase() === field) count++;
  }
  return count;
}

/** One `Vary` field for several (RFC 9110 section 12.5.5). */
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
