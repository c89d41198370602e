import { connect } from 'node:net';

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

/** Milliseconds that an answer may take. */
const PATIENCE = 3000;
/** Milliseconds for an answer that needs no byte of a body: enough for a busy machine, too short for a body timeout. */
const PROMPT = 1500;
/** Most bytes of one response. */
const MOST = 10_000_000;

export function header(message: Pick<RawResponse, 'headers'>, name: string): string | undefined {
  return message.headers.find(([key]) => key.toLowerCase() === name)?.[1];
}

/** The bytes of a request as they go to the server. */
export function bytes(request: RawRequest): Buffer {
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

/** Sends a request on a connection of its own and reads the one answer to it, within a bounded time. */
export function send(host: string, port: number, request: RawRequest): Promise<Outcome> {
  return new Promise((resolve) => {
    const received: Buffer[] = [];
    let size = 0;
    const socket = connect({ host, port, noDelay: true });
    const patience = request.sending === 'withheld' ? PROMPT : PATIENCE;
    const end = (silence: string, closed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      const answer = readResponse(Buffer.concat(received), request.method, closed);
      resolve(answer ?? { silence });
    };
    const timer = setTimeout(() => {
      end(`no answer within ${patience} ms`, false);
    }, patience);
    socket.on('data', (chunk) => {
      received.push(chunk);
      size += chunk.length;
      if (size > MOST) end(`an answer of more than ${MOST} bytes`, false);
      else if (readResponse(Buffer.concat(received), request.method, false)) end('', false);
    });
    // The server may close before it has read everything: what it said until then is its answer.
    socket.on('error', (error) => {
      end(`no answer: ${error.message}`, true);
    });
    socket.on('close', () => {
      end('the connection was closed without an answer', true);
    });
    socket.write(bytes(request));
  });
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
    const body = unchunk(rest);
    return body && { ...answer, body };
  }
  const length = header(answer, 'content-length');
  if (length === undefined) return closed ? { ...answer, body: rest } : undefined;
  return rest.length < Number(length) ? undefined : { ...answer, body: rest.subarray(0, Number(length)) };
}

function unchunk(raw: Buffer): Buffer | undefined {
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
export function told({ status, body }: RawResponse): string {
  return `${status} ${body.length === 0 ? 'without a body' : body.toString('utf8', 0, 200)}`;
}

/** A shell line that sends the same request: `BASE=http://127.0.0.1:3000` in front points it at a server. */
export function curl(request: RawRequest): string {
  const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  const { body } = request;
  const plain = body && /^[\x20-\x7e]*$/.test(body.toString('latin1')) && body.length < 10_000;
  const parts = [
    'curl -i --path-as-is',
    request.method === 'HEAD' ? '-I' : `-X ${request.method}`,
    ...request.headers.map(([name, value]) => `-H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`),
    ...(request.sending === 'chunked' ? [`-H 'Transfer-Encoding: chunked'`] : []),
    ...(body && !request.headers.some(([name]) => name.toLowerCase() === 'content-type')
      ? [`-H 'Content-Type:'`]
      : []),
    ...(body ? [plain ? `--data-binary ${quote(body.toString('latin1'))}` : '--data-binary @-'] : []),
    `"$BASE"${quote(request.target)}`,
  ];
  if (!body || plain) return parts.join(' ');
  return `${printer(body)} | ${parts.join(' ')}`;
}

/** A command that prints the bytes; a long run of one byte at the end, as in an oversized body, is not spelled out. */
function printer(body: Buffer): string {
  const last = body.at(-1) ?? 0;
  let run = 0;
  while (run < body.length && body[body.length - 1 - run] === last) run++;
  if (run < 1000) return `printf %s '${body.toString('base64')}' | base64 -d`;
  const tail = `head -c ${run} /dev/zero | tr '\\0' '\\${last.toString(8).padStart(3, '0')}'`;
  return `{ ${printer(Buffer.concat([body.subarray(0, -run)]))}; ${tail}; }`;
}
