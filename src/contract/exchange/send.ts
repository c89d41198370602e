import type { IncomingMessage, ServerResponse } from 'node:http';
import { discardBody, isUnread } from '../http/body';
import { mergeVary } from '../http/header-field';
import type { Encoded } from './response';

/** Alternating names and values of header fields. Node takes two microseconds longer for an object. */
export type Fields = (string | number | string[])[];

/** A header field of every response, and its name in lower case. */
export interface Field {
  readonly name: string;
  readonly lower: string;
  readonly value: string;
}

/**
 * Returns the header fields of a response.
 *
 * @param always the headers of every response; a header of this response replaces the one of the same name
 * @param vary the `Vary` field that an earlier middleware set
 */
export function fieldsOf({ headers }: Encoded, always: readonly Field[], vary: string | undefined): Fields {
  const fields: Fields = [];
  const own = Object.keys(headers);
  const replaced = own.map((name) => name.toLowerCase());
  const varying = vary === undefined ? [] : [vary];
  for (const { name, value, lower } of always) {
    if (lower === 'vary') varying.push(value);
    else if (!replaced.includes(lower)) fields.push(name, value);
  }
  for (const name of own) {
    const value = headers[name] ?? '';
    if (typeof value === 'object') fields.push(name, [...value]);
    else if (name.length === 4 && name.toLowerCase() === 'vary') varying.push(value);
    else fields.push(name, value);
  }
  if (varying.length > 0) fields.push('Vary', mergeVary(varying));
  return fields;
}

/**
 * Sends a response.
 *
 * @param fields all but the Content-Length
 * @param limit bytes of an unread body up to which the connection stays open
 * @param failed receives an error that is thrown after this function returns
 */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body }: Encoded,
  fields: Fields,
  limit: number,
  failed: (error: unknown) => void,
): void {
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  const isUnmeasured = status === 204 || status === 304; // RFC 9110 section 8.6
  if (!isUnmeasured) fields.push('Content-Length', length);
  // A text of as many bytes as UTF-16 code units is ASCII. Node writes it, with the head before it, faster as latin1. Of
  // another text the socket would count the code units that wait, and not the bytes.
  const bytes = typeof body === 'string' && body.length !== length ? Buffer.from(body) : body;
  const { expect, 'content-length': declared = Infinity } = request.headers;
  if (!isUnread(request) || (Number(declared) <= limit && expect === undefined)) {
    response.writeHead(status, fields).end(bytes, 'latin1');
    return;
  }
  // Closing a connection with unread bytes resets it, and the client may lose the response: discard them first.
  response.writeHead(status, [...fields, 'Connection', 'close']);
  response.write(bytes ?? '');
  discardBody(request, () => {
    try {
      response.end();
    } catch (error) {
      failed(error);
    }
  });
}
