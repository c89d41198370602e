import { connect } from 'node:net';
import type { Answer, ServiceOptions } from 'contract-first-server';
import type { OperationalKind } from 'contract-first-server/runtime';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';

const ROW = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'integer', format: 'int64' }, name: { type: 'string', maxLength: 5 } },
};
const EVENT = {
  type: 'object',
  required: ['data'],
  properties: {
    event: { type: 'string' },
    id: { type: 'string' },
    retry: { type: 'integer' },
    data: { type: 'string' },
  },
};
/** An event whose data is JSON. */
const jsonEvent = (contentSchema: unknown, more: object = {}) => ({
  type: 'object',
  properties: {
    event: { type: 'string' },
    data: { type: 'string', contentMediaType: 'application/json', contentSchema, ...more },
  },
});

/** A service of one operation, whose handler answers with a body of the first of these media types. */
export function serve(
  content: Record<string, object>,
  body: unknown,
  options: Partial<ServiceOptions<OperationalKind>> = {},
  components: object = {},
) {
  const faults: unknown[] = [];
  const responses = { 200: { description: '', content }, default: { description: '', content: json({}) } };
  const { app, outcomes } = buildService({
    document: buildDocument({
      paths: { '/things': { get: { operationId: 'getThings', responses } } },
      components,
    }),
    handlers: {
      getThings: (given: object) =>
        Promise.resolve({
          status: 200,
          contentType: Object.keys(content)[0],
          body: typeof body === 'function' ? (body as (given: object) => unknown)(given) : body,
        } as Answer),
    },
    reportFault: (error) => faults.push(error),
    ...options,
  });
  return { app, outcomes, faults };
}

export async function* all(items: readonly unknown[]): AsyncGenerator {
  for (const item of items) {
    await Promise.resolve();
    yield item;
  }
}

/** What HTTP/1.0, which has no chunks, gets for a body; and how that ended. */
async function sent(...given: Parameters<typeof serve>) {
  const { app, outcomes, faults } = serve(...given);
  const text = await listening(app, receive);
  const [{ status, problem, brokenAt }] = outcomes as [(typeof outcomes)[0]];
  const cause = (problem?.cause as Error | undefined)?.message ?? problem?.message;
  return { body: text.slice(text.indexOf('\r\n\r\n') + 4), status, brokenAt, cause, faults };
}

/** All bytes until the connection ends, in any way. */
const receive = (port: number) =>
  new Promise<string>((resolve) => {
    const pieces: Buffer[] = [];
    const client = connect(port, '127.0.0.1');
    client.on('error', () => undefined).on('data', (piece) => pieces.push(piece));
    client.on('close', () => {
      resolve(Buffer.concat(pieces).toString());
    });
    client.write('GET /things HTTP/1.0\r\nHost: x\r\n\r\n');
  });

test.each<[string, unknown, unknown[], string]>([
  ['a text', EVENT, [{ data: 'a' }], 'data: a\n\n'],
  [
    'all fields',
    EVENT,
    [{ retry: 5, id: '1', data: '', event: 'e' }],
    'event: e\nid: 1\nretry: 5\ndata: \n\n',
  ],
  ['lines', EVENT, [{ data: 'a\rb\nc\r\nd\n' }], 'data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n'],
  [
    'lines of a text that toJSON() makes',
    EVENT,
    [{ data: { toJSON: () => 'a\rid: 1' } }],
    'data: a\ndata: id: 1\n\n',
  ],
  ['unlisted properties', EVENT, [{ data: 'a', more: 1 }], 'data: a\n\n'],
  ['properties without a schema', true, [{ data: 'a', more: 1 }], 'data: a\n\n'],
  ['leading space', EVENT, [{ data: ' a' }], 'data:  a\n\n'],
  ['undefined fields', EVENT, [{ event: undefined, data: 'a' }], 'data: a\n\n'],
  [
    'JSON',
    jsonEvent(ROW),
    [{ data: { id: 9007199254740993n, more: 1 } }],
    'data: {"id":9007199254740993}\n\n',
  ],
  ['a JSON string', jsonEvent({ type: 'string' }), [{ data: 'a\nb' }], 'data: "a\\nb"\n\n'],
  ['any JSON', jsonEvent(true), [{ data: null }, { data: [1] }], 'data: null\n\ndata: [1]\n\n'],
  [
    'JSON without a schema',
    {
      properties: { data: { type: ['string'], contentMediaType: 'application/problem+json; charset=utf-8' } },
    },
    [{ data: { a: 1 } }],
    'data: {"a":1}\n\n',
  ],
  [
    'JSON in an encoding, which is a text',
    { properties: { data: { contentMediaType: 'application/json', contentEncoding: 'base64' } } },
    [{ data: 'e30=' }],
    'data: e30=\n\n',
  ],
  [
    'JSON or a text, by branch',
    {
      oneOf: [jsonEvent(ROW), { required: ['data'], properties: { data: { const: '[DONE]' } } }],
    },
    [{ data: { id: 1, x: 2 } }, { data: '[DONE]' }],
    'data: {"id":1}\n\ndata: [DONE]\n\n',
  ],
  [
    'JSON by allOf, beside a text that says nothing else',
    { allOf: [EVENT, jsonEvent(ROW)] },
    [{ id: 'x', data: { id: 1 } }],
    'id: x\ndata: {"id":1}\n\n',
  ],
  [
    'JSON by a discriminator',
    { $ref: '#/components/schemas/Any' },
    [
      { event: 'row', data: { id: 1, x: 1 } },
      { event: 'list', data: [1] },
    ],
    'event: row\ndata: {"id":1}\n\nevent: list\ndata: [1]\n\n',
  ],
  [
    'JSON by a schema that says in one branch what another says always',
    {
      oneOf: [
        {
          allOf: [
            { $ref: '#/components/schemas/Text' },
            { properties: { id: { const: '1' } }, required: ['id'] },
          ],
        },
        { properties: { data: jsonEvent({ type: 'array' }).properties.data }, not: { required: ['id'] } },
      ],
    },
    [{ id: '1', data: 'a' }, { data: [1] }],
    'id: 1\ndata: a\n\ndata: [1]\n\n',
  ],
])('an event stream writes %s', async (_, schema, items, expected) => {
  const schemas = {
    Any: {
      oneOf: [{ $ref: '#/components/schemas/Row' }, { $ref: '#/components/schemas/list' }],
      discriminator: { propertyName: 'event', mapping: { row: 'Row' } },
    },
    Row: jsonEvent(ROW),
    Text: EVENT,
    list: jsonEvent({ type: 'array' }),
  };
  const content = { 'text/event-stream': { 'x-item-schema': schema } };
  expect(await sent(content, all(items), {}, { schemas })).toEqual({
    body: expected,
    status: 200,
    brokenAt: undefined,
    cause: undefined,
    faults: [],
  });
});

test.each<[string, unknown, unknown, string]>([
  ['no object', EVENT, 'a', 'an event is not an object'],
  ['null', EVENT, null, 'an event is not an object'],
  ['without data', true, { id: '1' }, 'the data of an event is missing'],
  ['without its data', EVENT, { id: '1' }, "body/1 must have required property 'data'"],
  [
    'whose data has a line too many, by what toJSON() makes',
    { properties: { data: { type: 'string', pattern: '^[^\\n]*$' } } },
    { data: { toJSON: () => 'a\rb' } },
    'body/1/data must match pattern',
  ],
  ['whose data is no text', true, { data: 7 }, 'the data of an event is not text'],
  ['whose data is no text, by its schema', EVENT, { data: 7 }, 'body/1/data must be string'],
  [
    'whose data is half of a surrogate pair',
    true,
    { data: '\ud800' },
    'body/data has half of a surrogate pair',
  ],
  [
    'whose JSON is wrong',
    jsonEvent(ROW),
    { data: { id: 1, name: 'longer' } },
    'body/1/data/name must NOT have more',
  ],
  ['whose JSON is its text', jsonEvent(ROW), { data: '{"id":1}' }, 'body/1/data must be object'],
  ['whose JSON is no JSON', jsonEvent(true), { data: () => 1 }, 'body/data is of the type function'],
  ...['\n', '\r', '\0', 7].flatMap((value): [string, unknown, unknown, string][] => [
    [
      `with the id ${JSON.stringify(value)}`,
      true,
      { data: '', id: value },
      'the id of an event must be text',
    ],
    [
      `with the event ${JSON.stringify(value)}`,
      true,
      { data: '', event: value },
      'the event of an event must be text',
    ],
  ]),
  ...[-1, 1.5, '1', 2 ** 53, null].map((retry): [string, unknown, unknown, string] => [
    `with the retry ${retry}`,
    true,
    { data: '', retry },
    'the retry of an event is not a number of milliseconds',
  ]),
  ['with the retry NaN', true, { data: '', retry: NaN }, 'body/retry is NaN'],
  [
    'with a getter that throws',
    true,
    {
      get data() {
        throw new Error('lost');
      },
    },
    'lost',
  ],
])('an event %s breaks the stream off and is reported with its index', async (_, schema, item, cause) => {
  const good = { data: JSON.stringify(schema).includes('contentSchema') ? { id: 1 } : 'a' };
  const content = { 'text/event-stream': { 'x-item-schema': schema } };
  expect(await sent(content, all([good, item]))).toMatchObject({
    status: 200,
    brokenAt: 1,
    cause: expect.stringContaining(cause) as string,
    faults: [],
  });
});

const LINES = ['application/jsonl', 'application/x-ndjson', 'application/ndjson', 'application/x-jsonlines'];
const SEQUENCES = ['application/json-seq', 'application/geo+json-seq'];

test.each([...LINES.map((key) => [key, ''] as const), ...SEQUENCES.map((key) => [key, '\x1e'] as const)])(
  'items of %s are written, cut and judged one by one',
  async (key, start) => {
    const content = { [key]: { 'x-item-schema': ROW } };
    const good = [
      { id: 9007199254740993n, more: 1 },
      { id: 2, name: 'a\n' },
    ];
    const { body, cause } = await sent(content, all(good));
    expect([body, cause]).toEqual([
      `${start}{"id":9007199254740993}\n${start}{"id":2,"name":"a\\n"}\n`,
      undefined,
    ]);
    for (const bad of [{ id: 'a' }, {}, { id: 1, name: 'longer' }, undefined, NaN, { id: () => 1 }])
      expect(await sent(content, all([...good, bad]))).toMatchObject({
        status: 200,
        brokenAt: 2,
        faults: [],
      });
  },
);

describe('beside the schema of items', () => {
  const items = { 'x-item-schema': ROW };
  const defined = (media: object) => JSON.parse(JSON.stringify(media)) as object;
  test.each<[string, string, object, unknown, number, string]>([
    [
      'a text of lines without any schema',
      'application/jsonl',
      { 'x-item-schema': undefined },
      '1\n',
      200,
      '1\n',
    ],
    ['a text', 'application/jsonl', { schema: { type: 'string', maxLength: 5 } }, 'a\n', 200, 'a\n'],
    [
      'a text of events',
      'text/event-stream',
      { schema: { type: 'string' } },
      'data: 1\n\n',
      200,
      'data: 1\n\n',
    ],
    [
      'items',
      'application/jsonl',
      { schema: { type: 'string', maxLength: 5 } },
      () => all([{ id: 1 }]),
      200,
      '{"id":1}\n',
    ],
    [
      'a text that does not conform',
      'application/jsonl',
      { schema: { type: 'string', maxLength: 5 } },
      'longer',
      500,
      'than 5 characters',
    ],
    [
      'a text without a schema',
      'application/jsonl',
      {},
      'a\n',
      500,
      'expected a stream for application/jsonl',
    ],
    ['an array', 'application/jsonl', {}, [{ id: 1 }], 500, 'expected a stream for application/jsonl'],
  ])('%s', async (_, key, media, body, status, expected) => {
    const answer = await sent({ [key]: defined({ ...items, ...media }) }, body);
    expect([answer.status, answer.cause ?? answer.body]).toEqual([status, expect.stringContaining(expected)]);
  });

  test.each<[string, string, object, string]>([
    [
      'no such schema, but one of an object',
      'text/event-stream',
      { 'x-item-schema': undefined, schema: ROW },
      'or itemSchema of OpenAPI 3.2, or x-item-schema, for its items',
    ],
    [
      'no such schema, but one of an array',
      'application/jsonl',
      { 'x-item-schema': undefined, schema: { type: 'array', items: ROW } },
      'or itemSchema of OpenAPI 3.2, or x-item-schema, for its items',
    ],
    [
      'another schema',
      'application/jsonl',
      { schema: { type: 'array' } },
      'describes a whole text: use type string',
    ],
    [
      'a type that is no sequence',
      'application/json',
      {},
      'a body of application/json is not a sequence of items',
    ],
    ['a range', 'application/*', {}, 'a body of application/* is not a sequence of items'],
    ['text', 'text/plain', { schema: { type: 'string' } }, 'a body of text/plain is not a sequence of items'],
  ])('%s is a finding', (_, key, media, expected) => {
    expect(() => serve({ [key]: defined({ ...items, ...media }) }, '')).toThrow(expected);
  });
});

test.each<[string, unknown, string]>([
  ['text of data that is JSON', jsonEvent(ROW, { maxLength: 5 }), 'data that is JSON has the type string'],
  [
    'a type of data that is JSON',
    jsonEvent(ROW, { type: 'object' }),
    'data that is JSON has the type string',
  ],
  [
    'data that is JSON in a branch',
    { properties: { data: { anyOf: [{ contentMediaType: 'application/json' }, {}] } } },
    'data that is JSON has the type string',
  ],
  [
    'a text of data that is JSON, in another schema',
    { allOf: [jsonEvent(ROW), { properties: { data: { type: 'string', minLength: 3 } } }] },
    'another schema of the event describes as JSON',
  ],
  [
    'whole events, and data that is JSON',
    { ...jsonEvent(ROW), enum: [{ data: '{}' }] },
    'compares whole events',
  ],
  [
    'the JSON of its data in its place',
    { oneOf: [{ required: ['data', 'n'] }, { allOf: [{ required: ['end'] }] }] },
    'requires what no event has',
  ],
  [
    'JSON that may be a string, where another event has a text',
    { oneOf: [jsonEvent({ type: ['object', 'string'] }), { properties: { data: { const: 'end' } } }] },
    'admits a string',
  ],
])('a schema of events with %s is a finding', (_, schema, expected) => {
  expect(() => serve({ 'text/event-stream': { 'x-item-schema': schema } }, '')).toThrow(expected);
});

/** A stream that gives these items and then waits. Records how it is used. */
function waiting(items: readonly unknown[]) {
  const calls: string[] = [];
  let left = () => undefined as unknown;
  const over = new Promise<void>((resolve) => (left = resolve));
  const body = ({ signal }: { signal: AbortSignal }) => {
    const rest = [...items];
    const next = () =>
      rest.length > 0 ? Promise.resolve({ value: rest.shift() }) : new Promise<never>(() => undefined);
    const end = () => {
      calls.push(`return, ${signal.aborted ? 'aborted' : 'not aborted'}`);
      left();
      return Promise.resolve({ done: true, value: undefined });
    };
    return { [Symbol.asyncIterator]: () => ({ next, return: end }) };
  };
  return { body, calls, over };
}

const TIMES = { most: 10, itemTimeout: 60_000, heartbeat: 0 };
const EVENTS = { 'text/event-stream': { 'x-item-schema': EVENT } };
const ROWS = { 'application/jsonl': { 'x-item-schema': ROW } };

/** Opens a request, and resolves once the client has these bytes. */
async function until(port: number, text: string, request = 'GET /things HTTP/1.1\r\nHost: x\r\n\r\n') {
  const client = connect(port, '127.0.0.1')
    .setEncoding('latin1')
    .on('error', () => undefined);
  client.write(request);
  let received = '';
  const ended = new Promise<string>((resolve) => {
    client.on('close', (isBroken) => {
      resolve(isBroken ? 'reset' : 'closed');
    });
  });
  await new Promise<void>((resolve) => {
    client.on('data', (piece: string) => {
      received += piece;
      if (received.includes(text)) resolve();
    });
  });
  return { client, ended, received: () => received };
}

test('a comment is sent while no event comes, and between no other items', async () => {
  const comments = serve(EVENTS, waiting([{ data: 'a' }]).body, { streams: { ...TIMES, heartbeat: 5 } });
  await listening(comments.app, async (port) => {
    const { client } = await until(port, 'data: a\n\n\r\n3\r\n:\n\n\r\n3\r\n:\n\n');
    client.destroy();
  });
  for (const [content, items, heartbeat] of [
    [ROWS, [{ id: 1 }], 5],
    [EVENTS, [{ data: 'a' }], 0],
  ] as const) {
    const silent = serve(content, waiting(items).body, { streams: { ...TIMES, heartbeat, itemTimeout: 50 } });
    const text = await listening(silent.app, receive);
    expect(text).not.toContain(':\n');
  }
});

test('comments do not postpone the time of the next event', async () => {
  const { app, outcomes } = serve(EVENTS, waiting([]).body, {
    streams: { ...TIMES, heartbeat: 5, itemTimeout: 50 },
  });
  await listening(app, receive);
  expect([outcomes[0]?.brokenAt, String(outcomes[0]?.problem?.cause)]).toEqual([
    -1,
    'Error: the next piece of the body did not arrive within 50 ms',
  ]);
});

test('a stream has a place of its own: beyond them 503, its handler has none, and HEAD takes none', async () => {
  const { body, over } = waiting([{ data: 'a' }]);
  const { app, outcomes } = serve(EVENTS, body, { maxRequests: 1, streams: { ...TIMES, most: 2 } });
  const get = 'GET /things HTTP/1.1\r\nHost: x\r\n\r\n';
  await listening(app, async (port) => {
    const [first, second] = [await until(port, 'data: a'), await until(port, 'data: a')];
    const refused = await until(port, '"message"');
    expect(refused.received()).toMatch(
      /^HTTP\/1\.1 503 [^]*Retry-After: 1\r\n[^]*2 streams are already open/,
    );
    const head = await until(port, '\r\n\r\n', get.replace('GET', 'HEAD'));
    expect(head.received()).toMatch(
      /^HTTP\/1\.1 200 [^]*Content-Type: text\/event-stream; charset=utf-8\r\n/,
    );
    first.client.destroy();
    await over;
    const next = await until(port, 'data: a');
    for (const { client } of [second, refused, head, next]) client.destroy();
  });
  expect(outcomes.map(({ status, problem }) => [status, problem?.kind])).toContainEqual([503, 'unavailable']);
});

describe('when the server stops', () => {
  test.each([
    ['events end in order', EVENTS, [{ data: 'a' }], 'data: a\n\n\r\n0\r\n\r\n', undefined],
    ['other items are incomplete', ROWS, [{ id: 1 }], '{"id":1}\n\r\n', 'unavailable'],
  ])('%s: the signal is aborted, then return() is called', async (name, content, items, end, kind) => {
    const { body, calls, over } = waiting(items);
    const stopping = new AbortController();
    const { app, outcomes, faults } = serve(content, body, {
      streams: { ...TIMES, stopping: stopping.signal },
    });
    await listening(app, async (port) => {
      const open = await until(port, end.split('\n')[0] ?? '');
      stopping.abort();
      await over;
      if (kind === undefined) {
        while (!open.received().endsWith(end)) await new Promise(setImmediate);
        open.client.destroy();
      } else expect([await open.ended, open.received().endsWith(end)]).toEqual(['closed', true]);
      const late = await until(port, '"message"');
      expect(late.received()).toMatch(/^HTTP\/1\.1 503 [^]*Retry-After/);
      late.client.destroy();
    });
    expect([calls, faults]).toEqual([['return, aborted'], []]);
    expect(outcomes[0]).toMatchObject({ status: 200, brokenAt: undefined });
    expect(outcomes[0]?.problem?.kind).toBe(kind);
  });
});
