/** A request, byte for byte. */
export interface RawRequest {
  readonly method: string;
  /** The path and the query of the request line, encoded. */
  readonly target: string;
  /** In the order sent. {@link encodeRequest} adds Host, the length and Connection. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer;
  /**
   * `whole`, the default: with Content-Length. `chunked`: in chunks. `withheld`: with Content-Length but without the
   * body; the server must answer nevertheless.
   */
  readonly sending?: 'whole' | 'chunked' | 'withheld';
}

export interface RawResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** A response, or the reason why there is none. */
export type Outcome = RawResponse | { readonly noResponse: string };

/** The value of the first header with this name, which is in lower case. */
export function header(message: Pick<RawResponse, 'headers'>, name: string): string | undefined {
  return message.headers.find(([key]) => key.toLowerCase() === name)?.[1];
}

/** The request with one header of this name, or with none if the value is undefined. */
export function withHeader(request: RawRequest, name: string, value: string | undefined): RawRequest {
  const others = request.headers.filter(([key]) => key.toLowerCase() !== name.toLowerCase());
  return { ...request, headers: value === undefined ? others : [...others, [name, value]] };
}

/** The request with a pair appended to its query. */
export function withQuery(request: RawRequest, pair: string): RawRequest {
  return { ...request, target: `${request.target}${request.target.includes('?') ? '&' : '?'}${pair}` };
}

/** The request without its body and without Content-Type. */
export const withoutBody = (request: RawRequest): RawRequest => ({
  method: request.method,
  target: request.target,
  headers: withHeader(request, 'Content-Type', undefined).headers,
});

/** The bytes of a request. */
export function encodeRequest(request: RawRequest): Buffer {
  const { body, sending = 'whole' } = request;
  const present = new Set(request.headers.map(([name]) => name.toLowerCase()));
  const length = body && !present.has('content-length') && !present.has('transfer-encoding');
  const lines = [
    `${request.method} ${request.target} HTTP/1.1`,
    ...(present.has('host') ? [] : ['Host: localhost']),
    ...request.headers.map(([name, value]) => `${name}: ${value}`),
    ...(length && sending === 'chunked' ? ['Transfer-Encoding: chunked'] : []),
    ...(length && sending !== 'chunked' ? [`Content-Length: ${body.length}`] : []),
    'Connection: close',
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  if (!body || sending === 'withheld') return head;
  if (sending === 'whole') return Buffer.concat([head, body]);
  const pieces: Buffer[] = [head];
  const size = Math.max(1, Math.ceil(body.length / 3));
  for (let from = 0; from < body.length; from += size) {
    const piece = body.subarray(from, from + size);
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]);
}

/**
 * Parses a response (RFC 9112).
 *
 * @param closed whether the connection is closed, which ends a body without a length
 * @returns undefined if the response is incomplete
 */
export function readResponse(raw: Buffer, method: string, closed: boolean): RawResponse | undefined {
  const end = raw.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = raw.toString('latin1', 0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1]);
  const rest = raw.subarray(end + 4);
  if (status >= 100 && status < 200) return readResponse(rest, method, closed);
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const answer = { status, headers };
  if (method === 'HEAD' || status === 204 || status === 304) return { ...answer, body: Buffer.alloc(0) };
  if (header(answer, 'transfer-encoding')?.toLowerCase() === 'chunked') {
    const body = decodeChunked(rest);
    return body && { ...answer, body };
  }
  const length = header(answer, 'content-length');
  if (length === undefined) return closed ? { ...answer, body: rest } : undefined;
  return rest.length < Number(length) ? undefined : { ...answer, body: rest.subarray(0, Number(length)) };
}

function decodeChunked(raw: Buffer): Buffer | undefined {
  const pieces: Buffer[] = [];
  for (let at = 0; ;) {
    const line = raw.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = parseInt(raw.toString('latin1', at, line), 16);
    if (size === 0) return Buffer.concat(pieces);
    if (raw.length < line + 2 + size + 2) return undefined;
    pieces.push(raw.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}

/** The status and the start of the body, for messages. */
export function summarize({ status, body }: RawResponse): string {
  return `${status} ${body.length === 0 ? 'without a body' : body.toString('utf8', 0, 200)}`;
}
