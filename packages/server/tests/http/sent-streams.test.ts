import { EventEmitter, on, once } from 'node:events';
import { createReadStream } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import type { Answer, OwnStreamCodec, ServiceOptions } from 'contract-first-server';
import type { OperationalKind } from 'contract-first-server/runtime';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';
import { exchangeBytes } from '../../../../scripts/testing/wire';
import { bytes, lines } from './codecs';

const ROW = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'integer', format: 'int64' }, name: { type: 'string', maxLength: 5 } },
};
const CONTENT = {
  'application/octet-stream': {},
  'application/jsonl': { schema: { type: 'array', items: ROW } },
  ...json({}),
};
const DOCUMENT = buildDocument({
  paths: {
    '/things': {
      get: {
        operationId: 'getThings',
        responses: {
          200: { description: '', content: CONTENT },
          204: { description: '', content: CONTENT },
          default: { description: '', content: json({}) },
        },
      },
    },
  },
});

interface Given {
  readonly signal: AbortSignal;
}

/** A service whose only operation answers with a stream. */
function serve(
  body: (given: Given) => unknown,
  options: Partial<ServiceOptions<OperationalKind>> = {},
  answer: Partial<Answer> = {},
) {
  const faults: unknown[] = [];
  let end: () => void = () => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  const { app, outcomes } = buildService({
    document: DOCUMENT,
    codecs: [bytes, lines],
    handlers: {
      getThings: async (given: Given) => {
        const made = await body(given);
        return { status: 200, contentType: 'application/octet-stream', ...answer, body: made };
      },
    },
    reportFault: (error) => {
      faults.push(error);
      end();
    },
    afterResponse: ({ problem }) => {
      if (problem?.kind !== 'unavailable') end();
    },
    ...options,
  });
  return { app, outcomes, faults, over };
}

const STREAMS = { most: 1_000, itemTimeout: 600_000, heartbeat: 0 };

const request = (method = 'GET', version = '1.1') =>
  `${method} /things HTTP/${version}\r\nHost: x\r\nConnection: close\r\n\r\n`;

/** Codecs of which one writes bytes in its own way. Untyped code may return anything. */
const writing = (encode: (items: AsyncIterable<unknown>) => unknown): OwnStreamCodec[] => [
  { ...bytes, compile: () => ({ encode: encode as () => AsyncIterable<string> }) },
  lines,
];

/** A stream whose use is recorded. */
function recorded(items: readonly unknown[], given?: Given) {
  const calls: string[] = [];
  const next = () => {
    calls.push('next');
    const index = calls.filter((call) => call === 'next').length - 1;
    if (index < items.length) return Promise.resolve({ done: false as const, value: items[index] });
    return new Promise<never>(() => undefined);
  };
  const end = () => {
    calls.push(`return, ${given?.signal.aborted === true ? 'aborted' : 'not aborted'}`);
    return Promise.resolve({ done: true as const, value: undefined });
  };
  return { calls, stream: { [Symbol.asyncIterator]: () => ({ next, return: end }) } };
}

async function* counted(count: number, size: number, taken: (index: number) => void = () => undefined) {
  for (let i = 0; i < count; i++) {
    taken(i);
    await Promise.resolve();
    yield Buffer.alloc(size, 0x61);
  }
}

/** What chunks hold. Node decides which pieces share one. */
const joined = (chunks: string) => chunks.replace(/(?<=^|\r\n)[\da-f]+\r\n(a*)\r\n/g, '$1');
const THREE = 'a'.repeat(12);
const STEPS = [{ value: 'a' }, { done: true }];

test.each<[string, string, ...Parameters<typeof serve>]>([
  ['an AsyncIterable', THREE, () => counted(3, 4)],
  ['a ReadableStream', THREE, () => ReadableStream.from(counted(3, 4))],
  ['a Readable', THREE, () => Readable.from(counted(3, 4))],
  ['an empty piece', 'aaaa', () => Readable.from(['', 'aaaa', ''].map((text) => Buffer.from(text)))],
  [
    'what a codec returns without promises',
    'a',
    () => counted(1, 1),
    { codecs: writing(() => ({ [Symbol.asyncIterator]: () => ({ next: () => STEPS.shift() }) })) },
  ],
])('%s is sent in chunks, and its exchange ends with it', async (_, expected, ...given) => {
  const { app, outcomes, faults } = serve(...given);
  const text = String(await listening(app, (port) => exchangeBytes(port, request())));
  const [head = '', content] = text.split('\r\n\r\n', 1).concat(text.slice(text.indexOf('\r\n\r\n') + 4));
  expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(head).toMatch(/\r\nContent-Type: application\/octet-stream\r\n[^]*Transfer-Encoding: chunked/);
  expect(head).not.toMatch(/Content-Length/i);
  expect(content).toMatch(/\r\n0\r\n\r\n$/);
  expect(joined(content ?? '')).toBe(expected);
  expect([outcomes.map(({ status, problem }) => [status, problem]), faults]).toEqual([
    [[200, undefined]],
    [],
  ]);
});

test('the connection goes on after a stream', async () => {
  const { app } = serve(() => counted(2, 4));
  const text = await listening(app, (port) =>
    exchangeBytes(port, request().replace('Connection: close\r\n', '').repeat(3) + request()),
  );
  expect(joined(String(text)).match(/\r\n\r\naaaaaaaa(?=HTTP|$)/g)).toHaveLength(4);
});

test('the head leaves before the first item', async () => {
  let give: () => void = () => undefined;
  const { app } = serve(async function* () {
    await new Promise<void>((resolve) => (give = resolve));
    yield Buffer.from('a');
  });
  await listening(app, async (port) => {
    const client = connect(port, '127.0.0.1').setEncoding('latin1');
    client.write(request());
    const [head] = (await once(client, 'data')) as [string];
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n$/);
    give();
    const [piece] = (await once(client, 'data')) as [string];
    expect(piece.startsWith('1\r\na\r\n')).toBe(true);
    client.destroy();
  });
});

test('a client that reads slowly holds the stream', async () => {
  const [count, size] = [1_000, 65_536];
  let received = 0;
  let most = 0;
  const { app } = serve(() =>
    counted(count, size, (index) => {
      most = Math.max(most, index * size - received);
    }),
  );
  await listening(app, async (port) => {
    const client = connect(port, '127.0.0.1');
    client.write(request());
    for await (const piece of client) {
      received += (piece as Buffer).length;
      await new Promise(setImmediate);
    }
  });
  expect(received).toBeGreaterThan(count * size);
  expect(most).toBeLessThan(16_777_216); // the operating system has buffers of some megabytes
});

describe('a stream that does not end by itself', () => {
  const first = Buffer.from('first');

  test.each<[string, (client: Socket) => void]>([
    ['the client leaves', (client) => client.destroy()],
    ['the client resets the connection', (client) => client.resetAndDestroy()],
    ['the client closes its side', (client) => client.end()],
  ])('is ended if %s: the signal is aborted, then return() is called', async (_, leave) => {
    const made: ReturnType<typeof recorded>[] = [];
    const { app, outcomes, faults, over } = serve(
      (given) => {
        made.push(recorded([first], given));
        return made.at(-1)?.stream;
      },
      { maxRequests: 1, streams: { ...STREAMS, most: 1 } },
    );
    await listening(app, async (port) => {
      const client = connect(port, '127.0.0.1').on('error', () => undefined);
      client.write(request());
      let text = '';
      while (!text.includes('first')) text += String((await once(client, 'data')) as [Buffer]);
      // It has its place until it ends.
      expect(String(await exchangeBytes(port, request()))).toMatch(/^HTTP\/1\.1 503 /);
      leave(client);
      await over;
      const next = connect(port, '127.0.0.1');
      next.write(request());
      expect(String(((await once(next, 'data')) as [Buffer])[0])).toMatch(/^HTTP\/1\.1 200 /);
      client.destroy();
      next.destroy();
    });
    expect(made[0]?.calls).toEqual(['next', 'next', 'return, aborted']);
    expect(outcomes.find(({ status }) => status === 200)).toMatchObject({ problem: undefined });
    expect(faults).toEqual([]);
  });

  test('is ended if the client reads nothing for the time that the server gives it', async () => {
    let isAborted = false;
    const { app, over } = serve(async function* ({ signal }) {
      try {
        yield* counted(Infinity, 65_536);
      } finally {
        isAborted = signal.aborted;
      }
    });
    const limits: object = { sendTimeout: 200 };
    await listening(
      app,
      async (port) => {
        const client = connect(port, '127.0.0.1').pause();
        client.write(request());
        await over;
        client.destroy();
      },
      limits,
    );
    expect(isAborted).toBe(true);
  });

  test('is ended if a Readable or a ReadableStream waits for its next piece, too', async () => {
    const never = new Promise<never>(() => undefined);
    const ends: string[] = [];
    const readable = new Readable({ read: () => undefined, destroy: () => ends.push('Readable') });
    const web = new ReadableStream({ pull: () => never, cancel: () => void ends.push('ReadableStream') });
    for (const body of [readable, web]) {
      const { app, over } = serve(() => body);
      await listening(app, async (port) => {
        const client = connect(port, '127.0.0.1');
        client.write(request());
        await once(client, 'data');
        client.resetAndDestroy();
        await over;
      });
    }
    expect(ends).toEqual(['Readable', 'ReadableStream']);
  });

  /** How the connection of a client ends, whether its response is complete, and what is reported. */
  async function broken(version: '1.0' | '1.1', ...given: Parameters<typeof serve>): Promise<unknown[]> {
    const { app, outcomes, over, faults } = serve(...given);
    const ended = await listening(app, async (port) => {
      // Node 22 reads an end where a reset comes with the last bytes: a write notices it.
      const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      let text = '';
      let end = 'end';
      client.on('error', (error: NodeJS.ErrnoException) => (end = String(error.code)));
      client.on('data', (piece) => (text += String(piece)));
      client.on('end', () => (version === '1.0' ? client.end('x') : client.end()));
      client.write(request('GET', version));
      await once(client, 'close').catch(() => undefined);
      await over;
      return [end, text.endsWith('\r\n0\r\n\r\n')];
    });
    const [outcome] = outcomes;
    const { status, problem } = outcome ?? {};
    return [
      ...ended,
      status,
      problem?.kind,
      problem?.message,
      String((problem?.cause as Error | undefined)?.message ?? problem?.cause),
      faults,
    ];
  }

  const LINES = { contentType: 'application/jsonl' };
  test.each<[string, Parameters<typeof serve>, string, string]>([
    [
      'throws',
      [
        async function* () {
          yield first;
          await Promise.resolve();
          throw new Error('lost');
        },
      ],
      'at its item 0',
      'lost',
    ],
    [
      'throws before its first item',
      [() => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('lost')) }) })],
      'before its first item',
      'lost',
    ],
    ['fails to open', [() => createReadStream('/nowhere')], 'before its first item', 'ENOENT'],
    [
      'has an item that the codec cannot write',
      [() => recorded([first, 7]).stream],
      'at its item 1',
      'expected bytes',
    ],
    [
      'has an item that the document does not allow',
      [() => recorded([{ id: 1 }, { id: 2, name: 'longer' }]).stream, {}, LINES],
      'at its item 1',
      'the response: body/1/name must NOT have more than 5 characters',
    ],
    [
      'has an item that is not JSON',
      [() => recorded([{ id: () => 1 }]).stream, {}, LINES],
      'at its item 0',
      'body/id is of the type function, which JSON does not have',
    ],
    ...['\ud800', 7, null, undefined, {}, new Uint16Array(1)].map(
      (piece): [string, Parameters<typeof serve>, string, string] => [
        `has a piece that is neither text nor bytes: ${typeof piece} ${JSON.stringify(piece)}`,
        [
          () => counted(1, 1),
          {
            codecs: writing(async function* (items) {
              for await (const item of items) yield item && piece;
            }),
          },
        ],
        'at its item 0',
        'encode() returned neither well-formed text nor a Uint8Array',
      ],
    ),
    [
      'has a codec that makes no stream of it',
      [() => counted(1, 1), { codecs: writing(() => ['a']) }],
      'before its first item',
      'encode() did not return an AsyncIterable',
    ],
    [
      'waits too long',
      [() => recorded([first]).stream, { streams: { ...STREAMS, itemTimeout: 100 } }],
      'at its item 0',
      'the next piece of the body did not arrive within 100 ms',
    ],
  ])('is incomplete for its client, and is reported, if it %s', async (_, given, place, cause) => {
    const reported: unknown[] = [
      200,
      'unexpected',
      `the response broke off ${place}`,
      expect.stringContaining(cause),
      [],
    ];
    expect(await broken('1.1', ...given)).toEqual(['end', false, ...reported]);
  });

  test('resets its connection in HTTP/1.0, where the end of the connection is that of the response', async () => {
    const [end, isComplete, status] = await broken('1.0', () => recorded([first, 7]).stream);
    expect([end, isComplete, status]).toEqual(['ECONNRESET', false, 200]);
  });

  test('is ended after an error of an item: the signal is aborted, then return() is called', async () => {
    let calls: readonly string[] = [];
    await broken(
      '1.1',
      (given) => {
        const made = recorded([{ id: 'a' }], given);
        ({ calls } = made);
        return made.stream;
      },
      {},
      LINES,
    );
    expect(calls).toEqual(['next', 'return, aborted']);
  });
});

describe('a stream that breaks off delivers what it has written', () => {
  const KINDS = {
    'an error': () => Promise.reject(new Error('lost')),
    'its time': () => new Promise<never>(() => undefined),
  };
  // The operating system holds the first two; the last waits for its client.
  const SIZES = [
    [1, 5],
    [40, 1_000],
    [300, 65_536],
  ] as const;
  const CASES = Object.entries(KINDS).flatMap(([kind, fail]) =>
    SIZES.map(([count, size]) => ({ kind, count, size, fail })),
  );

  /** Calls `read` once the stream has broken off, or waits for its client. */
  async function whenBroken<T>(
    { count, size, fail }: (typeof CASES)[0],
    read: (port: number, broken: () => Promise<void>) => Promise<T>,
  ) {
    const { app, over } = serve(
      async function* () {
        yield* counted(count, size);
        await fail();
      },
      { streams: { ...STREAMS, itemTimeout: 100 } },
    );
    return listening(app, (port) => read(port, () => (count * size < 1_000_000 ? over : Promise.resolve())));
  }

  test.each(CASES)('to a socket: $count pieces of $size bytes, then $kind', async (given) => {
    const body = await whenBroken(given, async (port, broken) => {
      const client = connect(port, '127.0.0.1').pause();
      client.write(request().replace('Connection: close\r\n', ''));
      await broken();
      const chunks: Buffer[] = [];
      for await (const chunk of client) chunks.push(chunk as Buffer); // throws if it is reset
      const text = Buffer.concat(chunks).toString('latin1');
      return joined(text.slice(text.indexOf('\r\n\r\n') + 4));
    });
    expect([body.length, /^a*$/.test(body)]).toEqual([given.count * given.size, true]); // no last chunk
  });

  test.each(CASES)('to the client of Node: $count pieces of $size bytes, then $kind', async (given) => {
    await whenBroken(given, async (port, broken) => {
      const [response] = (await once(get({ port, path: '/things' }), 'response')) as [IncomingMessage];
      await broken();
      let received = 0;
      const read = async () => {
        for await (const chunk of response) received += (chunk as Buffer).length;
      };
      await expect(read()).rejects.toThrow('aborted');
      expect([received, response.complete]).toEqual([given.count * given.size, false]);
    });
  });

  test('but not for ever: a client that does not read is given up', async () => {
    const stopping = new AbortController();
    let ended: (closed: Promise<unknown>) => void = () => undefined;
    const closed = new Promise<unknown>((resolve) => (ended = resolve));
    const large: OwnStreamCodec = {
      ...lines,
      compile: () => ({
        async *encode(items) {
          for await (const item of items) if (item) yield Buffer.alloc(30_000_000);
        },
      }),
    };
    const { app } = serve(
      () => recorded([{ id: 1 }]).stream,
      {
        codecs: [bytes, large],
        streams: { ...STREAMS, stopping: stopping.signal },
        afterResponse: (_, { socket }) => {
          ended(once(socket, 'close'));
        },
      },
      { contentType: 'application/jsonl' },
    );
    await listening(
      app,
      async (port) => {
        const client = connect(port, '127.0.0.1');
        client.write(request());
        await once(client, 'readable');
        stopping.abort();
        await closed;
        client.destroy();
      },
      { sendTimeout: 200 } as object,
    );
  });
});

test.each<[string, unknown, unknown[]]>([
  ['is reported', new Error('lost'), [new Error('lost')]],
  ['is not reported if it is the abort', undefined, []],
])('an error of a stream after its client has left %s', async (_, error, expected) => {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const { app, faults } = serve(async function* ({ signal }) {
    yield Buffer.from('a');
    try {
      await once(signal, 'abort');
      await new Promise(setImmediate);
      throw error ?? signal.reason;
    } finally {
      setImmediate(end);
    }
  });
  await listening(app, async (port) => {
    const client = connect(port, '127.0.0.1').on('error', () => undefined);
    client.write(request());
    await once(client, 'data');
    client.resetAndDestroy();
    await ended;
  });
  expect(faults).toEqual(expected);
});

test.each<[string, (many: AsyncIterable<unknown>) => Parameters<typeof serve>]>([
  [
    'items that its codec leaves out',
    (many) => [
      () => many,
      {
        codecs: writing(async function* (items) {
          for await (const item of items) if (!item) yield '';
        }),
      },
    ],
  ],
  ['empty pieces', (many) => [() => counted(1, 1), { codecs: writing(() => many) }]],
])('a stream of many %s leaves other requests their turn', async (_, made) => {
  let isTurn = false;
  let before = 0;
  const many = counted(1_000, 0, (index) => {
    if (index === 0) setImmediate(() => (isTurn = true));
    if (!isTurn) before = index;
  });
  await listening(serve(...made(many)).app, (port) => exchangeBytes(port, request()));
  expect(before).toBeLessThan(999);
});

test('items are judged and cut one by one', async () => {
  async function* rows() {
    yield { id: 9007199254740993n, secret: 1 };
    await Promise.resolve();
    yield { id: 2, name: 'a' };
  }
  const { app } = serve(rows, {}, { contentType: 'application/jsonl' });
  const text = String(await listening(app, (port) => exchangeBytes(port, request())));
  expect(text.match(/\{.*\}/g)).toEqual(['{"id":9007199254740993}', '{"id":2,"name":"a"}']);
});

interface Unbegun {
  readonly method?: string;
  readonly answer?: Partial<Answer>;
  readonly deadline?: number;
}

test.each<[string, RegExp, Unbegun]>([
  [
    'by HEAD',
    /^HTTP\/1\.1 200 OK\r\n(?![^]*Content-Length)[^]*Content-Type: application\/octet-stream\r\n[^]*\r\n\r\n$/,
    { method: 'HEAD' },
  ],
  ['by a status without content', /^HTTP\/1\.1 204 /, { answer: { status: 204 } }],
  ['in the place of another body', /^HTTP\/1\.1 500 /, { answer: { contentType: 'application/json' } }],
  ['with an undocumented header', /^HTTP\/1\.1 500 /, { answer: { headers: { 'X-A': 'b' } } }],
  ['if it comes after the deadline', /^HTTP\/1\.1 503 /, { deadline: 20 }],
])('a stream is not begun, and is released, %s', async (_, expected, { method, answer, deadline }) => {
  const ends: string[] = [];
  const { calls, stream } = recorded([]);
  const emitter = new EventEmitter();
  const bodies = [
    on(emitter, 'item'), // listens from the beginning
    stream,
    new Readable({ read: () => ends.push('read'), destroy: () => ends.push('Readable') }),
    new ReadableStream({ cancel: () => void ends.push('ReadableStream') }, { highWaterMark: 0 }),
  ];
  for (const body of bodies) {
    const { app, over } = serve(
      async ({ signal }) => {
        if (deadline !== undefined) await once(signal, 'abort');
        return body;
      },
      { deadline },
      answer,
    );
    const head = await listening(app, async (port) => {
      const bytes = await exchangeBytes(port, request(method));
      await over;
      return bytes;
    });
    expect(String(head)).toMatch(expected);
  }
  expect([calls, ends, emitter.eventNames()]).toEqual([[], ['Readable', 'ReadableStream'], []]);
});

async function over(end: (stream: ReadableStream) => Promise<void>) {
  const stream = ReadableStream.from([]);
  await end(stream);
  return stream;
}

test.each<[string, unknown]>([
  ['a text', 'text'],
  ['nothing', undefined],
  ['an array', [Buffer.from('a')]],
  ['a Readable that was read', Readable.from([]).resume()],
  ['a Readable that was destroyed', Readable.from([Buffer.from('a')]).destroy()],
  ['a ReadableStream that was read', over((stream) => stream.pipeTo(new WritableStream()))],
  ['a ReadableStream that was cancelled', over((stream) => stream.cancel())],
  [
    'a ReadableStream that has failed',
    new ReadableStream({ start: () => Promise.reject(new Error('lost')) }),
  ],
  [
    'a stream that somebody reads',
    (() => {
      const stream = ReadableStream.from([]);
      stream.getReader();
      return stream;
    })(),
  ],
])('%s is no stream: 500', async (_, body) => {
  const { app, outcomes } = serve(() => body);
  const text = String(await listening(app, (port) => exchangeBytes(port, request())));
  expect(text).toMatch(/^HTTP\/1\.1 500 /);
  expect(String(outcomes[0]?.problem?.cause)).toContain('expected a stream for application/octet-stream');
});
