/** A request of a walk, and what is known of its response. */
export interface Sent {
  readonly kind: string;
  /** Up to and including the blank line. */
  readonly head: string;
  readonly body: string;
  readonly statuses: readonly number[];
  /** The X-Request-Id of its response; undefined if the request is not well-formed HTTP. */
  readonly id: string | undefined;
  readonly isHead?: true;
  /** The body is sent after 100 Continue or the response. */
  readonly waits?: true;
}

const KEY = 'X-Key: walk\r\n';
const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
const H2C = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQ\r\n';

type Make = (id: string) => Omit<Sent, 'kind' | 'id'> & { readonly id?: undefined };

const request = (line: string, id: string, fields: string, body: string, ...statuses: number[]) => ({
  head: `${line}\r\nHost: x\r\nX-Request-Id: ${id}\r\n${fields}\r\n`,
  body,
  statuses,
});
const get =
  (path: string, fields = '', version = '1.1', status = 200): Make =>
  (id) =>
    request(`GET ${path} HTTP/${version}`, id, fields, '', status);
const post =
  (fields: string, ...statuses: number[]): Make =>
  (id) => {
    const body = JSON.stringify({ id });
    const typed = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n${fields}`;
    return request('POST /things HTTP/1.1', id, typed, body, ...statuses);
  };
const chunked =
  (fields: string, ...statuses: number[]): Make =>
  (id) => {
    const text = JSON.stringify({ id });
    const chunks = [text.slice(0, 5), text.slice(5)].map(
      (part) => `${part.length.toString(16)}\r\n${part}\r\n`,
    );
    const typed = `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n${fields}`;
    return request('POST /things HTTP/1.1', id, typed, `${chunks.join('')}0\r\nA: b\r\n\r\n`, ...statuses);
  };
/** Blank lines in the data of chunks are no end of a message. */
const blank: Make = (id) =>
  request(
    'POST /things HTTP/1.1',
    id,
    `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n${KEY}`,
    `d\r\n\r\n\r\n\r\n\r\n{"id"\r\n2\r\n:"\r\n${id.length.toString(16)}\r\n${id}\r\n8\r\n"\r\n}\r\n\r\n\r\n0\r\n\r\n`,
    200,
  );
const notHttp =
  (bytes: string, ...statuses: number[]): Make =>
  () => ({ head: bytes, body: '', statuses });

/** Every kind of request, by what it does to a connection. */
const KINDS: Readonly<Record<string, Make>> = {
  get: get('/things'),
  live: get('/-/live'),
  slow: get('/slow', KEY),
  large: get('/large'),
  file: get('/-/file'),
  'head of a page': (id) => ({ ...request('HEAD /large HTTP/1.1', id, '', '', 200), isHead: true }),
  'another path': get('/nowhere', '', '1.1', 404),
  'blank lines before': (id) => {
    const { head, ...rest } = get('/things')(id);
    return { head: `\r\n\r\n${head}`, ...rest };
  },
  post: post(KEY, 200),
  chunked: chunked(KEY, 200),
  'chunks with blank lines': blank,
  'late body': (id) => ({ ...post(`${KEY}Expect: 100-continue\r\n`, 200)(id), waits: true }),
  'no credentials': post('', 401),
  'no credentials, chunks': chunked('', 401),
  'no credentials, late body': (id) => ({ ...post('Expect: 100-continue\r\n', 401)(id), waits: true }),
  'no credentials, no body': (id) =>
    request('POST /things HTTP/1.1', id, 'Content-Length: 900000\r\n', '', 401),
  'body too large': (id) =>
    request(
      'POST /things HTTP/1.1',
      id,
      `${KEY}Content-Type: application/json\r\nContent-Length: 900000\r\n`,
      '',
      413,
    ),
  upgrade: get('/things', UPGRADE),
  'upgrade to h2c': get('/things', H2C),
  'upgrade with a body': post(`${KEY}${UPGRADE}`, 200),
  'upgrade with chunks': chunked(`${KEY}${UPGRADE}`, 200),
  'upgrade of the page': get('/-/file', UPGRADE),
  close: get('/things', 'Connection: close\r\n'),
  '1.0': get('/things', '', '1.0'),
  '1.0, kept alive': get('/things', 'Connection: keep-alive\r\n', '1.0'),
  connect: notHttp('CONNECT x:80 HTTP/1.1\r\nHost: x:80\r\n\r\n', 400),
  'preface of HTTP/2': notHttp('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 505),
  garbage: notHttp('\x16\x03\x01 garbage\r\n\r\n', 400),
  'no Host': notHttp('GET /things HTTP/1.1\r\n\r\n', 400),
  'two lengths': notHttp(
    'POST /things HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    400,
  ),
};

export const KIND_NAMES = Object.keys(KINDS);

/** @param breaksOff the client closes its side: a body that does not come may be refused for that */
export function makeRequest(kind: string, id: string, breaksOff = false): Sent {
  const make = KINDS[kind];
  if (!make) throw new Error(`there is no kind ${kind}`);
  const made = make(id);
  const isPartial = made.body === '' && made.head.includes('Content-Length: 900000');
  if (breaksOff && isPartial) return { kind, ...made, statuses: [...made.statuses, 400], id: undefined };
  return { kind, ...made, id: made.head.includes('X-Request-Id') ? id : undefined };
}
