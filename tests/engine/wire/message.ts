/** One request, to the byte. */
export interface RawRequest {
  readonly method: string;
  /** As on the request line: path and query, encoded. */
  readonly target: string;
  /** In the order sent; Host, Connection and the length are added by {@link send} unless given. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer;
  /**
   * `whole` (the default): with its length. `chunked`: in chunks. `withheld`: the length is declared, not a byte follows,
   * and the answer has to come all the same.
   */
  readonly sending?: 'whole' | 'chunked' | 'withheld';
}

export interface RawResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** What came back: an answer, or in words why there is none. */
export type Outcome = RawResponse | { readonly silence: string };

export function header(message: Pick<RawResponse, 'headers'>, name: string): string | undefined {
  return message.headers.find(([key]) => key.toLowerCase() === name)?.[1];
}

/** The bytes of a request as they go to the server. */
export function encodeRequest(request: RawRequest): Buffer {
  const { body, sending = 'whole' } = request;
  const given = new Set(request.headers.map(([name]) => name.toLowerCase()));
  const length = body && !given.has('content-length') && !given.has('transfer-encoding');
  const lines = [
    `${request.method} ${request.target} HTTP/1.1`,
    ...(given.has('host') ? [] : ['Host: localhost']),
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

/** Reads a response out of its bytes (RFC 9112), or undefined while it is not complete. */
export function readResponse(raw: Buffer, method: string, closed: boolean): RawResponse | undefined {
  const end = raw.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = raw.toString('latin1', 0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1]);
  const rest = raw.subarray(end + 4);
  if (status >= 100 && status < 200) return readResponse(rest, method, closed);
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const answer = { status, headers };
  if (method === 'HEAD' || status === 204 || status === 304) return { ...answer, body: Buffer.alloc(0) };
  if (header(answer, 'transfer-encoding') === 'chunked') {
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

/** An answer in a few words, for messages. */
export function summarize({ status, body }: RawResponse): string {
  return `${status} ${body.length === 0 ? 'without a body' : body.toString('utf8', 0, 200)}`;
}
