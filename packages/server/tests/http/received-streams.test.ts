import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { type Answer, type OwnStreamCodec, Problem, type ServiceOptions } from 'contract-first-server';
import type { OperationalKind } from 'contract-first-server/runtime';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';
import { exchange } from '../../../../scripts/testing/wire';
import { bytes, lines } from './codecs';

const ROW = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'integer', format: 'int64' }, name: { type: 'string', maxLength: 5 } },
};
const ROWS = { type: 'array', items: { $ref: '#/components/schemas/Row' } };
const ITEMS = { 'x-item-schema': { $ref: '#/components/schemas/Row' } };
const BODIES = {
  'application/octet-stream': { 'x-stream': true },
  'application/x-own': {},
  'application/jsonl': { schema: ROWS },
  'application/x-ndjson': ITEMS,
  'application/json-seq': ITEMS,
  'application/x-jsonlines': { 'x-item-schema': true },
};
const own: OwnStreamCodec = { ...bytes, mediaTypes: ['application/x-own'] };

interface Given {
  readonly body: AsyncIterable<unknown>;
  readonly signal: AbortSignal;
}

/** A service whose only operation receives bytes or rows, piece by piece. */
function serve(
  postThing: (given: Given) => Promise<Answer>,
  options: Partial<ServiceOptions<OperationalKind>> = {},
) {
  const responses = { 200: { description: '', content: { ...json({}), 'application/x-own': {} } } };
  const document = buildDocument({
    operation: { requestBody: { content: BODIES }, responses },
    components: { schemas: { Row: ROW } },
  });
  return buildService({ document, codecs: [own, lines], handlers: { postThing }, ...options });
}

const headOf = (fields: string, type = 'application/x-own') =>
  `POST /things HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\n${fields}\r\n`;
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const post = (text: string, type?: string) => headOf(`Content-Length: ${text.length}\r\n`, type) + text;

async function all(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const item of items) found.push(item);
  return found;
}
const textOf = async (body: AsyncIterable<unknown>) =>
  Buffer.concat((await all(body)) as Buffer[]).toString();
const echo = async ({ body }: Given): Promise<Answer> => ({ status: 200, body: await textOf(body) });

describe.each([
  ['bytes, by x-stream', 'application/octet-stream'],
  ['bytes, by a codec of the service', 'application/x-own'],
])('%s', (_, type) => {
  const head = (fields: string) => headOf(fields, type);
  const post = (text: string) => head(`Content-Length: ${text.length}\r\n`) + text;

  test.each([
    ['at once', post('hello')],
    ['in chunks', head(CHUNKED) + chunk('he') + chunk('llo') + chunk('').replace(/\r\n$/, '\r\n')],
    ['byte by byte', head(CHUNKED) + 'hello'.split('').map(chunk).join('') + chunk('')],
  ])('are received %s, and the connection goes on', async (_, request) => {
    const replies = await listening(serve(echo).app, (port) => exchange(port, request + request, 2));
    expect(replies.map(({ status, body }) => [status, body])).toEqual([
      [200, '"hello"'],
      [200, '"hello"'],
    ]);
  });

  test('a handler that reads slowly holds its client: the server holds a bounded part of the body', async () => {
    const total = 32 * 1_048_576;
    let socket: Pick<Socket, 'bytesRead'> | undefined;
    let most = 0;
    let consumed = 0;
    const { app } = serve(
      async ({ body }) => {
        for await (const piece of body) {
          consumed += (piece as Buffer).length;
          for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
          most = Math.max(most, (socket?.bytesRead ?? 0) - consumed);
        }
        return { status: 200, body: consumed };
      },
      {
        bodyLimit: total,
        afterAuthentication: ({ request }) => {
          ({ socket } = request);
          return undefined;
        },
      },
    );
    await listening(app, async (port) => {
      const client = connect(port, '127.0.0.1');
      client.write(head(`Content-Length: ${total}\r\n`));
      client.write(Buffer.alloc(total));
      const [reply] = (await once(client, 'data')) as [Buffer];
      expect(reply.toString()).toContain(`\r\n\r\n${total}`);
      client.destroy();
    });
    expect(most).toBeLessThan(1_048_576);
  });

  test.each([
    ['declared: before its handler', head('Content-Length: 101\r\n'), 0],
    ['in the middle', head(CHUNKED) + chunk('x'.repeat(60)) + chunk('x'.repeat(60)) + chunk(''), 1],
    ['without an end', head(CHUNKED) + chunk('x'.repeat(200)), 1],
  ])('more than the limit, %s: 413, whatever the handler makes of it', async (_, request, calls) => {
    for (const isSwallowed of [true, false]) {
      let called = 0;
      const { app } = serve(
        async ({ body }) => {
          called++;
          try {
            await all(body);
          } catch (error) {
            if (!isSwallowed) throw error;
          }
          return { status: 200, body: 'fine' };
        },
        { bodyLimit: 100 },
      );
      const replies = await listening(app, (port) => exchange(port, request, 2));
      expect(replies.map(({ status, headers }) => [status, headers['connection']])).toEqual([[413, 'close']]);
      expect(called).toBe(calls);
    }
  });

  test.each([
    ['reads nothing', () => Promise.resolve()],
    [
      'reads the first piece',
      async (body: AsyncIterable<unknown>) => {
        for await (const piece of body) if (piece) break;
      },
    ],
    [
      'reads nothing more',
      (body: AsyncIterable<unknown>) =>
        body[Symbol.asyncIterator]()
          .next()
          .then(() => undefined),
    ],
  ])('the rest is discarded if a handler %s', async (_, read) => {
    const { app } = serve(
      async ({ body }) => {
        await read(body);
        return { status: 200, body: 'fine' };
      },
      { bodyLimit: 1_000_000 },
    );
    const large = 'x'.repeat(900_000);
    const declared = await listening(app, (port) => exchange(port, post(large) + post('next'), 2));
    expect(declared.map(({ status }) => status)).toEqual([200, 200]);
    // The rest of unknown length may be endless.
    const endless = head(CHUNKED) + chunk(large).repeat(5);
    const [reply] = await listening(app, (port) => exchange(port, endless, 2));
    expect([reply?.status, reply?.headers['connection']]).toEqual([200, 'close']);
  });

  test('are asked for when the handler reads them, and not before', async () => {
    const { app } = serve(({ body }) => textOf(body).then((text) => ({ status: 200, body: text })));
    const refusing = serve(() => Promise.reject(new Problem('forbidden', 'no'))).app;
    const request = head('Expect: 100-continue\r\nContent-Length: 5\r\n');
    const ask = (port: number) =>
      new Promise<string>((resolve) => {
        const socket = connect(port, '127.0.0.1').setEncoding('latin1');
        let text = '';
        socket.on('data', (data: string) => {
          text += data;
          if (data.includes(' 100 Continue')) socket.write('hello');
        });
        socket.on('close', () => {
          resolve(text);
        });
        socket.write(request.replace('Host', 'Connection: close\r\nHost'));
      });
    expect(await listening(app, ask)).toMatch(/^HTTP\/1.1 100 [^]*"hello"$/);
    expect(await listening(refusing, ask)).toMatch(/^HTTP\/1.1 403 /);
  });

  test('are sent back while they are received, and the client is held in both directions', async () => {
    const total = 20 * 1_048_576;
    const { app } = serve(
      ({ body }) => Promise.resolve({ status: 200, contentType: 'application/x-own', body }),
      { bodyLimit: total },
    );
    await listening(app, async (port) => {
      const client = connect(port, '127.0.0.1');
      client.write(head(`Content-Length: ${total}\r\n`));
      const a = 0x61;
      client.write(Buffer.alloc(total, a));
      let received = 0;
      for await (const piece of client) for (const byte of piece as Buffer) if (byte === a) received++;
      expect(received).toBeGreaterThanOrEqual(total); // and the sizes of chunks
    });
  });

  test.each<[string, ServiceOptions['bodyLimit'], string, string]>([
    ['too large', 4, CHUNKED, 'Problem: the body is larger than 4 bytes'],
    ['asked for by 100 Continue', 5, 'Expect: 100-continue\r\nContent-Length: 5\r\n', 'undefined'],
  ])('are sent back: %s', async (_, bodyLimit, fields, problem) => {
    const { app, outcomes } = serve(
      ({ body }) => Promise.resolve({ status: 200, contentType: 'application/x-own', body }),
      { bodyLimit },
    );
    const text = await listening(app, async (port) => {
      const client = connect(port, '127.0.0.1').on('error', () => undefined);
      client.write(head(`Connection: close\r\n${fields}`));
      const [first] = (await once(client, 'data')) as [Buffer];
      client.write(fields === CHUNKED ? chunk('hello') : 'hello');
      const pieces = [first];
      client.on('data', (piece) => pieces.push(piece));
      await new Promise((resolve) => client.on('close', resolve));
      return Buffer.concat(pieces).toString();
    });
    expect(String(outcomes[0]?.problem)).toBe(problem);
    if (problem === 'undefined')
      expect(text).toMatch(/^HTTP\/1.1 100 [^]*\nHTTP\/1.1 200 [^]*\r\nhello\r\n0\r\n\r\n$/);
  });

  test('are sent back by HTTP/1.0: a client that the server gives up does not take its part for all', async () => {
    const { app } = serve(
      ({ body }) => Promise.resolve({ status: 200, contentType: 'application/x-own', body }),
      { uploadTimeout: 50 },
    );
    const code = await listening(app, async (port) => {
      const client = connect(port, '127.0.0.1').resume();
      client.write(head('Content-Length: 5\r\n').replace('HTTP/1.1', 'HTTP/1.0') + 'a');
      return once(client, 'close').catch((error: unknown) => (error as NodeJS.ErrnoException).code);
    });
    expect(code).toBe('ECONNRESET');
  });

  test('are discarded behind an answer that breaks off, and its client gets what was written', async () => {
    async function* answer() {
      yield Buffer.from('hello');
      await Promise.reject(new Error('lost'));
    }
    const { app } = serve(
      () => Promise.resolve({ status: 200, contentType: 'application/x-own', body: answer() }),
      { bodyLimit: 1_000_000 },
    );
    await listening(app, async (port) => {
      const client = connect(port, '127.0.0.1');
      client.write(head('Content-Length: 1000000\r\n') + 'x'.repeat(900_000));
      let text = '';
      for await (const piece of client) text += String(piece); // throws if it is reset
      expect(text).toMatch(/^HTTP\/1.1 200 [^]*\r\n5\r\nhello\r\n$/);
    });
  });

  test('that a handler has begun to read are discarded behind its answer, too', async () => {
    let isComplete: boolean | undefined;
    const { app } = serve(
      async ({ body }) => {
        await body[Symbol.asyncIterator]().next();
        return { status: 200, contentType: 'application/x-own', body: Readable.from([]) };
      },
      { bodyLimit: 1_000_000, afterResponse: (_, { complete }) => void (isComplete = complete) },
    );
    await listening(app, async (port) => {
      const client = connect(port, '127.0.0.1').resume();
      client.write(post('x'.repeat(900_000)));
      await once(client, 'close');
    });
    expect(isComplete).toBe(true);
  });

  test('are read once', async () => {
    const { app } = serve(async ({ body }) => {
      const [first, second] = await Promise.allSettled([textOf(body), textOf(body)]);
      return { status: 200, body: [first, second].map(({ status }) => status) };
    });
    const [reply] = await listening(app, (port) => exchange(port, post('a')));
    expect(reply?.body).toBe('["fulfilled","rejected"]');
  });

  test('a hook before the handler sees the same stream', async () => {
    let seen: unknown;
    const { app } = serve(async ({ body }) => ({ status: 200, body: [body === seen, await textOf(body)] }), {
      beforeHandler: (_, { body }) => void (seen = body),
    });
    const [reply] = await listening(app, (port) => exchange(port, post('a')));
    expect(reply?.body).toBe('[true,"a"]');
  });
});

describe('an exchange that ends while its body is read', () => {
  /** The error of the reader, whether the signal was aborted before it, and the outcome. */
  async function endedBy(
    end: (client: Socket) => void,
    options: Partial<ServiceOptions<OperationalKind>> = {},
  ) {
    let reading = () => undefined as unknown;
    const begun = new Promise<void>((resolve) => (reading = resolve));
    let done: (value: readonly unknown[]) => void = () => undefined;
    const ended = new Promise<readonly unknown[]>((resolve) => (done = resolve));
    const { app, outcomes } = serve(
      async ({ body, signal }) => {
        try {
          for await (const piece of body) if (piece) reading();
        } catch (error) {
          done([String(error), signal.aborted]);
        }
        return { status: 200 };
      },
      { reportFault: () => undefined, ...options },
    );
    const found = await listening(app, async (port) => {
      const client = connect(port, '127.0.0.1')
        .on('error', () => undefined)
        .resume();
      client.write(headOf(CHUNKED) + chunk('a'));
      await begun;
      end(client);
      const found = await ended;
      client.destroy();
      return found;
    });
    return [...found, outcomes.map(({ status }) => status)];
  }

  test.each<[string, (client: Socket) => void, Partial<ServiceOptions<OperationalKind>>, unknown[]]>([
    ['the client leaves', (client) => client.destroy(), {}, ['Error: the client has left', true, []]],
    [
      'the client resets',
      (client) => client.resetAndDestroy(),
      {},
      ['Error: the client has left', true, [400]],
    ],
    [
      'the deadline passes',
      () => undefined,
      { deadline: 50 },
      ['Problem: the request was not answered within 50 ms', true, [503]],
    ],
  ])('%s', async (_, end, options, expected) => {
    expect(await endedBy(end, options)).toEqual(expected);
  });

  test('with an answer: what reads on is told so', async () => {
    let late: Promise<unknown> = Promise.resolve();
    const { app } = serve(({ body }) => {
      late = all(body).catch((error: unknown) => String(error));
      return Promise.resolve({ status: 200, body: '' });
    });
    const [reply] = await listening(app, (port) => exchange(port, headOf(CHUNKED) + chunk('a')));
    expect(reply?.status).toBe(200);
    expect(await late).toBe('Error: the exchange has ended, and its body with it');
  });
});

describe('items', () => {
  const rows = (...texts: string[]) => post(texts.join('\n'), 'application/jsonl');
  const collect = serve(async ({ body }) => ({ status: 200, body: await all(body) }));

  test.each([
    [
      rows('{"id":9007199254740993,"more":1}', '{"id":2,"name":"a"}'),
      200,
      '[{"id":9007199254740993},{"id":2,"name":"a"}]',
    ],
    [rows('{"id":1}', '{"id":1,"name":"longer"}'), 400, 'body/1/name must NOT have more than 5 characters'],
    [rows('{"id":1}', '{}'), 400, "body/1 must have required property 'id'"],
    [rows('{"id":1}', '{"id"'), 400, 'the body is not well-formed'],
  ])('are judged one by one: %#', async (request, status, text) => {
    const [reply] = await listening(collect.app, (port) => exchange(port, request));
    expect([reply?.status, reply?.body]).toEqual([
      status,
      expect.stringContaining(text.replaceAll('"', status === 200 ? '"' : '\\"')) as string,
    ]);
  });
});

describe('items that the core reads', () => {
  const [NDJSON, SEQ, ANY] = ['application/x-ndjson', 'application/json-seq', 'application/x-jsonlines'];
  const collect = serve(async ({ body }) => ({ status: 200, body: await all(body) }));
  const exact = '[{"id":9007199254740993},{"id":2,"name":"ä"}]';
  const good = '{"id":9007199254740993,"more":1}\n{"id":2,"name":"ä"}';

  test.each<[string, string, string | Buffer, number, string]>([
    ['lines', NDJSON, good, 200, exact],
    ['lines that all end', NDJSON, `${good}\n`, 200, exact],
    [
      'lines with CR and LF, and white space',
      NDJSON,
      ` \r\n${good.replace('\n', ' \r\n\n\t')}\r\n\r\n`,
      200,
      exact,
    ],
    ['no lines', NDJSON, '\n\n', 200, '[]'],
    ['values of any type', ANY, 'null\n1\n"a"\n[]\ntrue', 200, '[null,1,"a",[],true]'],
    ['a sequence', SEQ, `\x1e${good.replace('\n', '\n\x1e')}\n`, 200, exact],
    ['a sequence with a second separator', SEQ, '\x1e\x1e{"id":1}\n', 200, '[{"id":1}]'],
    [
      'an item that is not as documented',
      NDJSON,
      '{"id":1}\n{}',
      400,
      "body/1 must have required property 'id'",
    ],
    [
      'an item of a sequence that is not',
      SEQ,
      '\x1e{"id":1}\n\x1e{}\n',
      400,
      "body/1 must have required property 'id'",
    ],
    [
      'a line that is no JSON',
      NDJSON,
      '{"id":1}\n\n{"id":',
      400,
      'the body is not well-formed JSON lines: item 1: ',
    ],
    [
      'two values in a line',
      NDJSON,
      '{"id":1}{"id":2}',
      400,
      'the body is not well-formed JSON lines: item 0: ',
    ],
    [
      'a name that stands twice',
      NDJSON,
      '{"id":1,"id":2}',
      400,
      'the body is not well-formed JSON lines: item 0: ',
    ],
    ['a byte order mark', NDJSON, '\ufeff{"id":1}', 400, 'the body starts with a byte order mark'],
    [
      'bytes that are not UTF-8',
      NDJSON,
      Buffer.from('{"id":1,"name":"\xff"}', 'latin1'),
      400,
      'the body is not UTF-8',
    ],
    ['a sequence without separators', SEQ, '{"id":1}\n', 400, 'expected a record separator before each item'],
    ['a sequence whose number may be cut', SEQ, '\x1e12', 400, 'expected a line feed after each item'],
  ])('%s', async (_, type, text, status, expected) => {
    const body = Buffer.from(text);
    const requests = [
      Buffer.concat([Buffer.from(headOf(`Content-Length: ${body.length}\r\n`, type)), body]),
      Buffer.concat([
        Buffer.from(headOf(CHUNKED, type)),
        ...[...body].flatMap((byte) => [Buffer.from('1\r\n'), Buffer.of(byte), Buffer.from('\r\n')]),
        Buffer.from(chunk('')),
      ]),
    ];
    for (const request of requests) {
      const [reply] = await listening(collect.app, (port) => exchange(port, request));
      const shown =
        status === 200 ? reply?.body : (JSON.parse(reply?.body ?? '') as { message: string }).message;
      expect([reply?.status, shown]).toEqual([status, expect.stringContaining(expected)]);
    }
  });
});

test('an item that the core reads is bounded by the limit of bodies, however large the whole may be', async () => {
  const document = buildDocument({
    operation: {
      requestBody: { content: { 'application/jsonl': { 'x-item-schema': {} } } },
      responses: { 200: { description: '', content: json({}) } },
      'x-body-limit': 1_000_000,
    },
  });
  const postThing = async ({ body }: Given) => ({ status: 200, body: (await all(body)).length });
  const { app } = buildService({ document, handlers: { postThing }, bodyLimit: 100 });
  const send = (text: string) => listening(app, (port) => exchange(port, post(text, 'application/jsonl')));
  const [fits] = await send(`"${'x'.repeat(98)}"\n`.repeat(1_000));
  const [large] = await send(`"a"\n"${'x'.repeat(99)}"\n`);
  expect([fits?.status, fits?.body]).toEqual([200, '1000']);
  expect([large?.status, large?.body]).toEqual([413, expect.stringContaining('than 100 bytes') as string]);
});

test.each([
  ['wrong', '{"id":"a"}', 400],
  ['malformed', '{"id"', 400],
])('a handler that passes over an item that is %s answers no success', async (_, text, expected) => {
  const { app } = serve(({ body }) =>
    all(body).then(
      () => ({ status: 200 }),
      () => ({ status: 200, body: '' }),
    ),
  );
  const [reply] = await listening(app, (port) => exchange(port, post(text, 'application/jsonl')));
  expect(reply?.status).toBe(expected);
});

test('many items that arrive together leave other requests their turn', async () => {
  let isTurn = false;
  let before = 0;
  const { app } = serve(async ({ body }) => {
    setImmediate(() => (isTurn = true));
    for await (const item of body) if (item && !isTurn) before++;
    return { status: 200, body: before };
  });
  await listening(app, (port) => exchange(port, post('{"id":1}\n'.repeat(1_000), 'application/jsonl')));
  expect(before).toBeLessThan(1_000);
});

describe('a value that is collected', () => {
  const collector = (released: string[]): OwnStreamCodec => ({
    name: 'parts',
    mediaTypes: ['application/x-parts'],
    isText: false,
    isStream: true,
    compile: () => ({
      async collect(body) {
        body.whenOver(() => released.push('over'));
        const value = await textOf(body).catch(() => 'part'); // the failure of a body stays one
        if (value === 'wrong') throw new Problem('malformed', 'wrong');
        return { value };
      },
    }),
  });
  const schema = { type: 'object', properties: { value: { type: 'string', maxLength: 5 } } };
  const done = () => Promise.resolve({ status: 200 });

  test.each<[string, string, number[], (() => Promise<Answer>)?]>([
    ['answered', post('a', 'application/x-parts'), [200]],
    ['refused by the codec', post('wrong', 'application/x-parts'), [400]],
    ['refused by its schema', post('longer', 'application/x-parts'), [400]],
    ['too large', headOf(CHUNKED, 'application/x-parts') + chunk('x'.repeat(200)), [413]],
    ['a failure', post('a', 'application/x-parts'), [500], () => Promise.reject(new Error('a'))],
    ['late', post('a', 'application/x-parts'), [503], () => new Promise(() => undefined)],
    ['broken off', headOf(CHUNKED, 'application/x-parts') + chunk('a'), []],
  ])('is released when its exchange has ended: %s', async (name, request, statuses, handle = done) => {
    const released: string[] = [];
    let ended = () => undefined as unknown;
    const over = new Promise<void>((resolve) => (ended = resolve));
    const { app, outcomes } = buildService({
      document: buildDocument({
        operation: {
          requestBody: { content: { 'application/x-parts': { schema } } },
          responses: { 200: { description: '' } },
        },
      }),
      codecs: [collector(released)],
      handlers: {
        postThing: () => {
          expect(released).toEqual([]);
          return handle();
        },
      },
      bodyLimit: 100,
      deadline: name === 'late' ? 50 : 40_000,
      afterResponse: () => {
        ended();
      },
    });
    await listening(app, async (port) => {
      const client = connect(port, '127.0.0.1')
        .on('error', () => undefined)
        .resume();
      client.write(request);
      if (name === 'broken off') client.end();
      await over;
      await new Promise(setImmediate);
      client.destroy();
    });
    expect([outcomes.map(({ status }) => status), released]).toEqual([statuses, ['over']]);
  });

  test('the oldest is given up if all together have more bytes than the bound', async () => {
    const released: string[] = [];
    const { app } = buildService({
      document: buildDocument({
        operation: { requestBody: { content: { 'application/x-parts': { schema } } } },
      }),
      codecs: [collector(released)],
      handlers: { postThing: () => Promise.resolve({ status: 204 }) },
      bodyLimit: 100,
      maxRequests: 1,
    });
    await listening(app, async (port) => {
      const [first, second] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
      const part = headOf(CHUNKED, 'application/x-parts') + chunk('x'.repeat(60));
      first.write(part);
      second.write(part);
      const [reply] = (await Promise.race([once(first, 'data'), once(second, 'data')])) as [Buffer];
      expect(reply.toString()).toMatch(/^HTTP\/1\.1 503 [^]*too many bodies are being received/);
      expect(released).toEqual(['over']);
      first.destroy();
      second.destroy();
    });
  });
});
