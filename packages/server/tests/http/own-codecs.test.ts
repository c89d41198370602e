import { type Answer, type Coder, InvalidContract, type OwnCodec } from 'contract-first-server';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, buildService } from '../../../../scripts/testing/service';
import { cbor, csv, encodeCbor, encodeCsv, encodeLines, ndjson } from './codecs';

const BIG = 9007199254740993n;

/** The schema of rows. */
const ROWS = {
  type: 'array',
  maxItems: 3,
  items: {
    type: 'object',
    required: ['id', 'name'],
    properties: {
      id: { type: 'integer', format: 'int64' },
      name: { type: 'string', maxLength: 5 },
      done: { type: 'boolean' },
      secret: { type: 'string', writeOnly: true },
    },
  },
};

interface Sent {
  readonly type: string;
  readonly schema?: unknown;
  readonly codecs: readonly OwnCodec[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** The result of the handler. Default: the received body. */
  readonly returned?: unknown;
  /** Whether only requests have the media type. */
  readonly received?: boolean;
}

/** Sends a body to a service whose requests and responses have one media type. */
async function exchange(sent: Sent) {
  const { type, schema = {}, codecs, headers = {}, body, received = false } = sent;
  const content = { [type]: { schema } };
  const document = buildDocument({
    operation: {
      requestBody: { content },
      responses: { 200: { description: '', ...(!received && { content }) } },
    },
  });
  const seen: unknown[] = [];
  const postThing = (given: { readonly body?: unknown }): Promise<Answer> => {
    seen.push(given.body);
    const returned = 'returned' in sent ? sent.returned : given.body;
    return Promise.resolve(received ? { status: 200 } : { status: 200, body: returned });
  };
  const { app, outcomes } = buildService({
    document,
    codecs,
    handlers: { postThing },
    reportFault: () => undefined,
  });
  const answer = await listening(app, async (port) => {
    const response = await fetch(`http://127.0.0.1:${port}/things`, {
      method: 'POST',
      headers: { 'Content-Type': type, ...headers },
      body: Buffer.from(body as Uint8Array),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, type: response.headers.get('Content-Type'), bytes };
  });
  const [outcome] = outcomes;
  return { ...answer, kind: outcome?.problem?.kind, message: outcome?.problem?.message, seen, outcome };
}

const TYPES: readonly (readonly [string, string, OwnCodec, (value: unknown) => string | Buffer])[] = [
  ['NDJSON', 'application/x-ndjson', ndjson, encodeLines],
  ['CSV', 'text/csv', csv, encodeCsv],
  ['CBOR', 'application/cbor', cbor, encodeCbor],
  ['CBOR by its suffix', 'application/rows+cbor', cbor, encodeCbor],
];

describe.each(TYPES)('%s', (_name, type, codec, encode) => {
  const rows = [
    { id: BIG, name: 'a', done: true },
    { id: 2n, name: 'b', done: false },
  ];
  const sent = { type, schema: ROWS, codecs: [codec] };

  it('is received and sent with exact integers', async () => {
    const body = encode(rows);
    const { status, type: answered, bytes, seen } = await exchange({ ...sent, body });
    expect([status, answered]).toEqual([200, type === 'text/csv' ? 'text/csv; charset=utf-8' : type]);
    expect(seen).toEqual([rows]);
    expect(bytes).toEqual(Buffer.from(body as Uint8Array));
  });

  it.each<[string, unknown, string]>([
    ['a text', [{ id: 1n, name: 'longer' }], 'body/0/name must NOT have more than 5 characters'],
    ['an int64', [{ id: 2n ** 63n, name: 'a' }], 'body/0/id must match format "int64"'],
    ['a list', [1n, 2n, 3n, 4n].map((id) => ({ id, name: 'a' })), 'body must NOT have more than 3 items'],
    ['a property', [{ name: 'a' }], "body/0 must have required property 'id'"],
  ])('is validated by its schema: %s, in both directions', async (_, value, message) => {
    const refused = await exchange({ ...sent, body: encode(value) });
    expect(refused).toMatchObject({ status: 400, kind: 'invalidRequest', message, seen: [] });
    const hidden = await exchange({ ...sent, body: encode(rows), returned: value });
    expect(hidden).toMatchObject({ status: 500, kind: 'unexpected' });
    expect(String(hidden.outcome?.problem?.cause)).toContain(message);
  });

  it('removes unlisted and writeOnly properties from responses', async () => {
    const returned = [{ id: BIG, name: 'a', more: 1, secret: 'x', when: undefined }];
    const { bytes } = await exchange({ ...sent, body: encode(rows), returned });
    expect(bytes).toEqual(Buffer.from(encode([{ id: BIG, name: 'a' }]) as Buffer));
  });

  it('passes plain data to the codec for any result of the handler', async () => {
    const row = { id: 1, get name() { return 'a'; }, toJSON: () => ({ id: BIG, name: 'b' }) }; // prettier-ignore
    const { bytes } = await exchange({ ...sent, body: encode(rows), returned: [row] });
    expect(bytes).toEqual(Buffer.from(encode([{ id: BIG, name: 'b' }]) as Uint8Array));
  });
});

const deep = (depth: number) => Buffer.concat([Buffer.alloc(depth, 0x81), Buffer.from([0])]);
const double = (value: number) => Buffer.concat([Buffer.from([0xfb]), new Uint8Array(new Float64Array([value]).buffer).reverse()]); // prettier-ignore

it.each<[string, string, OwnCodec, string | Uint8Array, string]>([
  [
    'JSON of a line',
    'application/x-ndjson',
    ndjson,
    '{"a":1}\n{"a"',
    'NDJSON: expected ":", got the end at position 4',
  ],
  [
    'a name twice',
    'application/x-ndjson',
    ndjson,
    '{"a":1,"a":2}',
    'NDJSON: the property name "a" occurs twice',
  ],
  ['a row', 'text/csv', csv, 'a,b\n1', 'CSV: expected 2 cells in each row'],
  ['UTF-8', 'text/csv', csv, Buffer.from([0x61, 0xff]), 'UTF-8'],
  ['bytes', 'application/cbor', cbor, Buffer.from([0x82, 0x01]), 'CBOR: it ends early'],
  ['nesting', 'application/cbor', cbor, deep(65), 'CBOR: nested more than 64 deep'],
  ['NaN', 'application/cbor', cbor, double(NaN), 'CBOR: it has a number NaN'],
  [
    'infinity in a list',
    'application/cbor',
    cbor,
    Buffer.concat([Buffer.from([0x81]), double(Infinity)]),
    'CBOR: it has a number Infinity',
  ],
  [
    '__proto__',
    'application/cbor',
    cbor,
    encodeCbor(JSON.parse('{"__proto__":1}')),
    'CBOR: the property name "__proto__"',
  ],
])('refuses malformed bodies before their handler: %s', async (_, type, codec, body, message) => {
  const refused = await exchange({ type, codecs: [codec], body });
  expect(refused).toMatchObject({ status: 400, kind: 'malformed', seen: [] });
  expect(refused.message).toContain(message);
});

it('refuses a charset, and passes the parameters of the media type to the codec', async () => {
  const sent = { type: 'text/csv', schema: ROWS, codecs: [csv] };
  const latin1 = { 'Content-Type': 'text/csv; charset=latin1' };
  expect(await exchange({ ...sent, headers: latin1, body: 'id,name\n1,a' })).toMatchObject({ status: 415 });
  const absent = { 'Content-Type': 'text/csv; charset=UTF-8; header=absent' };
  const { seen } = await exchange({ ...sent, headers: absent, body: '1,a,true,x' });
  expect(seen).toEqual([[{ id: 1n, name: 'a', done: true, secret: 'x' }]]);
});

it('replaces a built-in codec, including the one that refuses multipart bodies', async () => {
  const pairs: OwnCodec = {
    name: 'form data',
    mediaTypes: ['multipart/form-data'],
    isText: true,
    compile: () => ({
      decode(text, { parameters }) {
        const parts = text.split(`--${parameters.get('boundary') ?? ''}`).slice(1, -1);
        const name = (part: string) => /name="(\w+)"/.exec(part)?.[1] ?? '';
        const valueOf = (part: string) => part.split('\r\n\r\n')[1]?.trim();
        return Object.fromEntries(parts.map((part): [string, unknown] => [name(part), valueOf(part)]));
      },
    }),
  };
  const schema = { type: 'object', properties: { a: { type: 'string', maxLength: 2 } } };
  const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
  const part = (text: string) =>
    `--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n${text}\r\n--x--\r\n`;
  const sent = { type: 'multipart/form-data', schema, codecs: [pairs], headers, received: true };
  expect(await exchange({ ...sent, body: part('ab') })).toMatchObject({ status: 200, seen: [{ a: 'ab' }] });
  expect(await exchange({ ...sent, body: part('abc') })).toMatchObject({
    status: 400,
    kind: 'invalidRequest',
  });
});

describe('a codec that fails', () => {
  let unhandled: unknown[];
  const note = (reason: unknown) => unhandled.push(reason);
  beforeEach(() => {
    unhandled = [];
    process.on('unhandledRejection', note);
  });
  afterEach(async () => {
    await new Promise(setImmediate);
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  const failing = (coder: Partial<Coder<Uint8Array>>): OwnCodec => ({
    name: 'X',
    mediaTypes: ['application/x'],
    isText: false,
    compile: () => ({
      decode: (bytes) => String(bytes),
      encode: (value) => Buffer.from(String(value)),
      ...coder,
    }),
  });
  const shared = () => Array.from({ length: 60 }).reduce<unknown>((inner) => [inner, inner], []);
  const cyclic = () => {
    const list: unknown[] = [];
    return list.concat([list, list.push(list)]);
  };
  const thrown = (value: unknown) => () => {
    throw value;
  };
  const VALUES: readonly (readonly [string, () => unknown])[] = [
    ['throws an error', thrown(new Error('a secret cause'))],
    ['throws undefined', thrown(undefined)],
    ['throws a promise', () => thrown(Promise.reject(new Error('a secret cause')))()],
    ['throws an object without a prototype', thrown(Object.create(null))],
    ['returns nothing', () => undefined],
    ['returns a promise', () => Promise.reject(new Error('a secret cause'))],
    [
      'returns promises',
      () => [1, Promise.reject(new Error('a')), Promise.reject(new Error('a secret cause'))],
    ],
    ['returns a function', () => thrown],
    ['returns a symbol', () => Symbol('a')],
    ['returns a Map', () => new Map([['a', 1]])],
    ['returns a class', () => ({ a: new Set([1]) })],
    ['returns a throwing object', () => ({ get a() { throw new Error('a secret cause'); } })], // prettier-ignore
    ['returns a value that is not JSON', () => ({ toJSON: thrown(new Error('a secret cause')) })],
  ];
  /** Results of a codec that a client can cause. */
  const MALFORMED: readonly (readonly [string, () => unknown])[] = [
    ['returns a value in 2^60 places', shared],
    ['returns a cycle', cyclic],
    [
      'returns a value with too much nesting',
      () => Array.from({ length: 200 }).reduce<unknown>((inner) => [inner], []),
    ],
    ['returns half of a surrogate pair', () => ['\ud800']],
  ];
  const sent = { type: 'application/x', body: 'x' };

  test.each(VALUES)('to decode: %s', async (_, decode) => {
    const answer = await exchange({ ...sent, codecs: [failing({ decode })] });
    expect(answer).toMatchObject({ status: 500, kind: 'unexpected', seen: [] });
    expect(String(answer.bytes)).not.toContain('secret');
  });

  test.each(MALFORMED)('to decode: %s, which a client can cause', async (_, decode) => {
    expect(await exchange({ ...sent, codecs: [failing({ decode })] })).toMatchObject({
      status: 400,
      kind: 'malformed',
      seen: [],
    });
  });

  test.each([...VALUES, ...MALFORMED])('to encode: %s', async (_, encode) => {
    const answer = await exchange({ ...sent, codecs: [failing({ encode: encode as () => Uint8Array })] });
    expect(answer).toMatchObject({ status: 500, kind: 'unexpected' });
    expect(String(answer.bytes)).not.toContain('secret');
  });

  test.each<[string, Partial<Coder<Uint8Array>>]>([
    ['encodes another value', { encode: () => Buffer.from('something else') }],
    ['decodes another value', { decode: (bytes) => (String(bytes) === 'x' ? 'x' : 1n) }],
    ['refuses its own bytes', { decode: (bytes) => String(bytes) === 'x' ? 'x' : thrown(new SyntaxError('a'))() }], // prettier-ignore
    ['encodes no bytes', { encode: () => 'abc\ud800' as never }],
  ])('to encode what it decodes: %s', async (_, coder) => {
    const schema = { type: 'string', maxLength: 3 };
    const codecs = [failing(coder)];
    expect(await exchange({ ...sent, schema, codecs, returned: 'y' })).toMatchObject({
      status: 500,
      seen: ['x'],
    });
  });

  it('to keep its results unchanged: the validated value is sent', async () => {
    let kept = Buffer.alloc(0);
    const decode = (bytes: Uint8Array) => {
      const text = String(bytes);
      for (const one of [bytes, kept]) one.fill(0x78);
      return text;
    };
    const codecs = [failing({ encode: () => (kept = Buffer.from('abc')), decode })];
    expect(String((await exchange({ ...sent, codecs })).bytes)).toBe('abc');
  });

  it('to omit absent members', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const codec = failing({ decode: () => ({ a: 'x', more: 1n }) });
    expect(await exchange({ ...sent, schema, codecs: [codec] })).toMatchObject({ status: 500 });
  });
});

describe('at start', () => {
  const start =
    (type: string, schema: unknown, codec: OwnCodec, direction = 'request') =>
    () => {
      const content = { [type]: { schema } };
      const operation = direction === 'request' ? { requestBody: { content } } : { responses: { 200: { description: '', content } } }; // prettier-ignore
      const handlers = { postThing: () => Promise.resolve({ status: 204 }) };
      buildService({ document: buildDocument({ operation }), codecs: [codec], handlers });
    };

  it('names the place of a schema that a codec does not support, and a remedy', () => {
    const place = '#/paths/~1things/post/requestBody/content/application~1x-ndjson/schema';
    expect(start('application/x-ndjson', { type: 'object' }, ndjson)).toThrow(
      `${place}: NDJSON carries arrays: use type array`,
    );
  });

  it('names the place of a response that a codec cannot encode', () => {
    const received: OwnCodec = { ...cbor, isText: false, compile: () => ({ decode: () => 1 }) };
    const refused = start('application/cbor', {}, received, 'response');
    expect(refused).toThrow(InvalidContract);
    expect(refused).toThrow('a body of application/cbor can only be received: its codec has no encode()');
    expect(start('application/cbor', {}, received)).not.toThrow();
  });

  it.each(['cbor', 'text/csv; header=absent', ''])('refuses a codec of %p', (mediaType) => {
    expect(start('application/json', {}, { ...cbor, mediaTypes: [mediaType] })).toThrow(
      `codecs: CBOR: expected media types without parameters, got "${mediaType}"`,
    );
  });

  it('refuses the document without the codec', () => {
    expect(start('application/cbor', ROWS, csv)).toThrow(
      'a body of application/cbor cannot be validated by a schema',
    );
  });
});

describe('a parameter is read by a codec for texts', () => {
  const text = 'id,name\n9007199254740993,a+b';
  const encoded = encodeURIComponent(text);
  const rows = [{ id: BIG, name: 'a+b' }];
  const row = {
    type: 'object',
    properties: { id: { type: 'integer', format: 'int64' }, name: { type: 'string' } },
  };
  const content = { 'text/csv': { schema: { type: 'array', items: row } } };

  async function received(
    parameter: object,
    query: string,
    headers = {},
    codecs: readonly OwnCodec[] = [csv],
  ) {
    const seen: unknown[] = [];
    const postThing = (given: unknown): Promise<Answer> => {
      seen.push(given);
      return Promise.resolve({ status: 204 });
    };
    const { app, outcomes } = buildService({
      document: buildDocument({
        openapi: '3.2.0',
        operation: { parameters: [{ name: 'rows', content, ...parameter }] },
      }),
      codecs,
      handlers: { postThing },
    });
    const answer = await listening(app, (port) =>
      fetch(`http://127.0.0.1:${port}/things${query}`, { method: 'POST', headers }),
    );
    return answer.status === 204 ? seen[0] : [answer.status, outcomes[0]?.problem?.message];
  }

  it.each<[string, string, object, unknown]>([
    ['query', `?rows=${encoded}`, {}, { query: { rows } }],
    ['querystring', `?${encoded}`, {}, { query: rows }],
    ['header', '', { rows: 'id,name' }, { header: { rows: [] } }],
    ['cookie', '', { Cookie: `rows=${encoded}` }, { cookie: { rows } }],
    [
      'query',
      '?rows=id,name%0A1',
      {},
      [400, 'the body is not well-formed CSV: expected 2 cells in each row'],
    ],
    ['query', `?rows=${encoded}&rows=a`, {}, [400, 'query/rows is given more than once']],
    ['querystring', '?id%0Ax', {}, [400, 'query/0/id must be integer']],
    ['query', '?rows=%ff', {}, [400, 'query/rows is not percent-encoded UTF-8']],
  ])('in %s: %s %j', async (place, query, headers, expected) => {
    expect(await received({ in: place }, query, headers)).toMatchObject(expected as object);
  });

  it('whose error has the place of the parameter', async () => {
    const media = { content: { 'application/x-ndjson': {} } };
    expect(await received({ in: 'query', ...media }, '?rows=1%0A%7B', {}, [ndjson])).toEqual([
      400,
      'query/rows is not well-formed NDJSON: expected a property name, got the end at position 1',
    ]);
  });

  it.each(['query', 'querystring', 'header', 'cookie'])(
    'and without one stops the start: in %s',
    async (place) => {
      const refused = received({ in: place, content: { 'application/x-rows': {} } }, '', {}, [csv, cbor]);
      await expect(refused).rejects.toThrow(
        place === 'querystring'
          ? 'expected a form, JSON or text, got application/x-rows'
          : 'application/x-rows is neither JSON nor a text that a codec of the service reads',
      );
    },
  );
});
