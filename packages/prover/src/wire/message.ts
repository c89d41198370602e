import { parseOrUndefined, type Value } from '../json/value';

/** A request, byte for byte. */
export interface RawRequest {
  readonly method: string;
  /** The path and the query of the request line, encoded. */
  readonly target: string;
  /** In the order sent. {@link encodeRequest} adds Host, the length and Connection. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer;
  /** In the place of `body`: sent in chunks, at the pace of the server, until the exchange ends. */
  readonly pieces?: AsyncIterable<Uint8Array>;
  /**
   * `whole`, the default: with Content-Length. `chunked`: in chunks; `bytewise`: in chunks of a byte. `withheld`: with
   * Content-Length but without the body; the server must answer nevertheless. `interrupted`: first the half, on a connection that
   * the client closes, then the whole on another.
   */
  readonly sending?: 'whole' | 'chunked' | 'bytewise' | 'withheld' | 'interrupted';
}

export interface RawResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Without its content codings. */
  readonly body: Buffer;
  /** Set if the body is only the start of the content: who ended it, and why, in words. */
  readonly cut?: { readonly by: 'prover' | 'server'; readonly reason: string };
}

/** A response, or why there is none. */
export type Outcome = RawResponse | NoResponse;

/** What is wrong with a response, in words. */
export class Malformed extends Error {}

/** The start of a text of a server. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);

export interface NoResponse {
  /** Completes the sentence `expected a response, got ...`. */
  readonly noResponse: string;
  /** Whether the server has sent something. */
  readonly isMalformed?: true;
}

/** Whether a server has done what a request asks. */
export const isSuccess = (outcome: Outcome | undefined): outcome is RawResponse =>
  outcome !== undefined && !('noResponse' in outcome) && outcome.status >= 200 && outcome.status < 300;

/** The values of the header lines with this name. */
export const headerLines = ({ headers }: Pick<RawResponse, 'headers'>, name: string): string[] =>
  headers.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value);

/** The value of the first header line with this name. */
export const header = (message: Pick<RawResponse, 'headers'>, name: string): string | undefined =>
  headerLines(message, name)[0];

/** The items of a header that is a list (RFC 9110 section 5.6.1). */
export const headerItems = (message: Pick<RawResponse, 'headers'>, name: string): string[] =>
  headerLines(message, name).flatMap((value) => value.split(',').map((item) => item.trim()));

/** Whether a header field carries the text: no control character but a tab, and no character beyond Latin-1 (RFC 9110 section 5.5). */
export const isFieldValue = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(text);

/** The request with one header of this name, or with none if the value is undefined. */
export function withHeader(request: RawRequest, name: string, value: string | undefined): RawRequest {
  const others = request.headers.filter(([key]) => key.toLowerCase() !== name.toLowerCase());
  return { ...request, headers: value === undefined ? others : [...others, [name, value]] };
}

/** The request with a pair appended to its query. */
export function withQuery(request: RawRequest, pair: string): RawRequest {
  return { ...request, target: `${request.target}${request.target.includes('?') ? '&' : '?'}${pair}` };
}

/** The path of a request. */
export const pathOf = ({ target }: RawRequest): string => target.split('?', 1)[0] ?? '';

/** The request with another path. */
export const withPath = (request: RawRequest, path: string): RawRequest => ({
  ...request,
  target: path + request.target.slice(pathOf(request).length),
});

/** The JSON value of a body; undefined if it is none. */
export function jsonOf({ body }: { readonly body?: Buffer }): Value | undefined {
  return body && parseOrUndefined(body.toString());
}

/** The request without its body and without Content-Type. */
export const withoutBody = (request: RawRequest): RawRequest => ({
  method: request.method,
  target: request.target,
  headers: withHeader(request, 'Content-Type', undefined).headers,
});

/** The bytes of a request, but for those of `pieces`. */
export function encodeRequest(request: RawRequest): Buffer {
  const { body, pieces, sending = pieces ? 'chunked' : 'whole' } = request;
  const isChunked = sending === 'chunked' || sending === 'bytewise';
  const present = new Set(request.headers.map(([name]) => name.toLowerCase()));
  const isFramed = present.has('content-length') || present.has('transfer-encoding');
  const lines = [
    `${request.method} ${request.target} HTTP/1.1`,
    ...(present.has('host') ? [] : ['Host: localhost']),
    ...request.headers.map(([name, value]) => `${name}: ${value}`),
    ...(!isFramed && (body ?? pieces) && isChunked ? ['Transfer-Encoding: chunked'] : []),
    ...(!isFramed && body && !isChunked ? [`Content-Length: ${body.length}`] : []),
    'Connection: close',
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  if (!body || sending === 'withheld') return head;
  if (!isChunked) return Buffer.concat([head, body]);
  const parts: Buffer[] = [head];
  const size = sending === 'bytewise' ? 1 : Math.max(1, Math.ceil(body.length / 3));
  for (let from = 0; from < body.length; from += size) {
    const piece = body.subarray(from, from + size);
    parts.push(chunk(piece));
  }
  return Buffer.concat([...parts, chunk(Buffer.alloc(0))]);
}

/** A chunk (RFC 9112 section 7.1); the last one if it is empty. */
const chunk = (piece: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);

/** The chunks of a body that is sent piece by piece. */
export async function* encodePieces(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) if (piece.length > 0) yield chunk(piece);
  yield chunk(Buffer.alloc(0));
}

/** The status and the start of the body, for messages. */
export function summarize({ status, body }: RawResponse): string {
  return `${status} ${body.length === 0 ? 'without a body' : body.toString('utf8', 0, 200)}`;
}
