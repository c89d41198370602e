import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { compileContract } from 'contract-first-server/tools';
import { InvalidContract, type ServiceOptions } from 'contract-first-server';
import type { OperationalKind } from 'contract-first-server/runtime';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';
import { exchange } from '../../../../scripts/testing/wire';

const BYTES = 'application/octet-stream';
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const head = (type: string, fields: string, path = '/things') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\n${fields}\r\n`;
const declared = (type: string, text: string, path?: string) =>
  head(type, `Content-Length: ${text.length}\r\n`, path) + text;
const chunked = (type: string, text: string) => head(type, CHUNKED) + chunk(text) + chunk('');

const CONTENT = {
  [BYTES]: { schema: { type: 'string', format: 'binary' } },
  'application/x-stream': { 'x-stream': true },
  'text/csv': { 'x-stream': true },
  ...json({}),
  'text/plain': { schema: { type: 'string' } },
  'application/x-www-form-urlencoded': { schema: { type: 'object' } },
};
const TYPES = Object.keys(CONTENT);
/** A body of a number of bytes. */
const bodyOf = (type: string, size: number) =>
  type === 'application/json' ? `"${'x'.repeat(size - 2)}"` : 'x'.repeat(size);

interface Given {
  readonly body: unknown;
}

/** The handler reads the whole body, if it is a stream, and answers its kind. */
async function measure({ body }: Given) {
  let kind = body instanceof Uint8Array ? 'bytes' : typeof body;
  if (body instanceof ReadableStream) {
    kind = 'stream';
    for await (const piece of body) if (!(piece instanceof Uint8Array)) kind = 'no bytes';
  }
  return { status: 200, body: kind };
}

type Options = Partial<ServiceOptions<OperationalKind>>;

function serve(limit: number | undefined, options: Options = {}, handler: object = measure) {
  const operation = {
    ...(limit !== undefined && { 'x-body-limit': limit }),
    requestBody: { content: CONTENT },
    responses: { 200: { description: '', content: json({}) } },
  };
  const document = buildDocument({
    operation,
    paths: {
      '/things': { post: { operationId: 'postThing', ...operation } },
      '/others': { post: { operationId: 'postOther', ...operation, 'x-body-limit': undefined } },
    },
  });
  return buildService({
    document: JSON.parse(JSON.stringify(document)) as typeof document,
    handlers: { postThing: handler as typeof measure, postOther: measure },
    ...options,
  });
}

describe.each(TYPES)('x-body-limit of %s', (type) => {
  test.each([
    ['below the limit of the service', 10, 100, 10],
    ['above it', 100, 10, 100],
    ['left out', undefined, 50, 50],
  ])('%s', async (_, own, bodyLimit, most) => {
    const { app } = serve(own, { bodyLimit, maxRequests: 1 });
    const [last, first] = [bodyOf(type, most), bodyOf(type, most + 1)];
    await listening(app, async (port) => {
      for (const send of [declared, chunked]) {
        expect((await exchange(port, send(type, last)))[0]).toMatchObject({ status: 200 });
        const [refused] = await exchange(port, send(type, first), 2);
        expect([refused?.status, refused?.headers['connection'], refused?.body]).toEqual([
          413,
          'close',
          expect.stringContaining(`larger than ${most} bytes`),
        ]);
      }
    });
  });
});

test.each([
  [BYTES, '"bytes"'],
  ['application/x-stream', '"stream"'],
  ['text/csv', '"stream"'],
])('a body of %s is given as %s', async (type, kind) => {
  const [reply] = await listening(serve(undefined).app, (port) => exchange(port, chunked(type, 'abc')));
  expect(reply?.body).toBe(kind);
});

test.each([BYTES, 'application/x-stream'])('every byte of a large body of %s arrives', async (type) => {
  const sent = randomBytes(3_000_000);
  const hashed = async ({ body }: { readonly body: Uint8Array | ReadableStream<Uint8Array> }) => {
    const pieces: Uint8Array[] = [];
    if (body instanceof Uint8Array) pieces.push(body);
    else for await (const piece of body) pieces.push(piece);
    return { status: 200, body: Buffer.concat(pieces).equals(sent) };
  };
  const { app } = serve(4_000_000, {}, hashed);
  const size = sent.length;
  const requests = [
    [Buffer.from(head(type, `Content-Length: ${size}\r\n`)), sent],
    [Buffer.from(`${head(type, CHUNKED)}${size.toString(16)}\r\n`), sent, Buffer.from('\r\n0\r\n\r\n')],
  ];
  await listening(app, async (port) => {
    for (const request of requests) {
      const [first, next] = await exchange(port, Buffer.concat([...request, ...request]), 2);
      expect([first?.body, next?.body]).toEqual(['true', 'true']);
    }
  });
});

test('a body that an operation admits, and the service does not, is not read behind an early refusal', async () => {
  const { app } = serve(1_000, { bodyLimit: 10 }, () => Promise.reject(new Error('no')));
  const reply = async (size: number) => {
    const request = head('application/x-stream', `Content-Length: ${size}\r\n`);
    const [found] = await listening(app, (port) => exchange(port, request));
    return [found?.status, found?.headers['connection']];
  };
  expect(await reply(10)).toEqual([500, 'keep-alive']);
  expect(await reply(11)).toEqual([500, 'close']);
});

describe('what the document says in a wrong place is a finding', () => {
  const messages = (operation: object) => {
    try {
      compileContract(buildDocument({ operation }));
      return [];
    } catch (error) {
      if (!(error instanceof InvalidContract)) throw error;
      return error.findings.map(({ pointer, message }) => `${pointer} ${message}`);
    }
  };
  const stream = { 'x-stream': true };
  const text = { ...stream, schema: { type: 'string' } };

  test.each<[string, object]>([
    ['application/json', stream],
    ['text/plain', text],
    ['application/xml', text],
    ['application/jsonl', text],
    ['application/x-www-form-urlencoded', { ...stream, schema: { type: 'object' } }],
  ])('x-stream of %s', (type, media) => {
    const place = `/paths/~1things/post/requestBody/content/${type.replaceAll('/', '~1')}/x-stream`;
    expect(messages({ requestBody: { content: { [type]: media } } })).toEqual([
      `${place} a body of ${type} is not a stream of bytes: leave this out, or use application/octet-stream`,
    ]);
  });

  test.each<[string, object]>([
    ['application/octet-stream', stream],
    ['image/png', { ...stream, schema: { type: 'string', format: 'binary' } }],
    ['text/csv', stream],
    ['*/*', stream],
    ['application/jsonl', { ...stream, schema: { type: 'string', format: 'binary' } }],
  ])('x-stream of %s is none', (type, media) => {
    expect(messages({ requestBody: { content: { [type]: media } } })).toEqual([]);
  });

  test.each<[string, object, string]>([
    ['without a body', { 'x-body-limit': 1 }, 'the operation has no body'],
    [
      'beyond the memory',
      { 'x-body-limit': 2 ** 40, requestBody: { content: json({}) } },
      'a body of application/json is held in memory, at most 536870888 bytes',
    ],
  ])('x-body-limit %s', (_, operation, message) => {
    expect(messages(operation)).toEqual([`/paths/~1things/post/x-body-limit ${message}`]);
  });

  const media = (fields: object) => ({ requestBody: { content: { [BYTES]: fields } } });
  const post = '/paths/~1things/post';
  test.each<[string, object, string]>([
    [`${post}/x-stream`, { 'x-stream': true }, 'an Operation Object. It is one of a Media Type Object'],
    [
      `${post}/x-item-schema`,
      { 'x-item-schema': {} },
      'an Operation Object. It is one of a Media Type Object',
    ],
    [
      `${post}/requestBody/content/application~1octet-stream/x-body-limit`,
      media({ 'x-body-limit': 1 }),
      'a Media Type Object. It is one of an Operation Object',
    ],
  ])('%s', (place, operation, message) => {
    expect(messages(operation)).toEqual([`${place} is not a field of ${message}`]);
  });
});

/** Sends a request whose pieces leave some milliseconds apart. Resolves with the first bytes of the answer. */
async function slowly(port: number, type: string, pieces: number, milliseconds: number, path?: string) {
  const client = connect(port, '127.0.0.1').on('error', () => undefined);
  const answered = once(client, 'data') as Promise<[Buffer]>;
  client.write(head(type, CHUNKED, path) + chunk('"'));
  let left = pieces;
  const timer = setInterval(() => {
    if (client.writable) client.write(--left > 0 ? chunk('x') : chunk('"') + chunk(''));
    if (left <= 0) clearInterval(timer);
  }, milliseconds);
  const [answer] = await answered;
  clearInterval(timer);
  client.destroy();
  return answer.toString();
}

describe('the time of a long body', () => {
  test('is not bounded while it arrives; that of another body is', async () => {
    const { app } = serve(1_000, { deadline: 1_500, uploadTimeout: 1_500 });
    const limits = { headersTimeout: 1_000, requestTimeout: 1_000 };
    const all = (port: number) =>
      Promise.all([
        slowly(port, 'application/json', 24, 100),
        slowly(port, 'application/x-stream', 24, 100),
        slowly(port, 'application/x-stream', 24, 100, '/others'),
        slowly(port, 'application/json', 24, 100, '/others'),
      ]);
    const answers = await listening(app, all, limits);
    expect(answers.map((text) => text.slice(9, 12))).toEqual([
      '200',
      '200',
      '200',
      expect.stringMatching(/408|503/),
    ]);
  });

  test.each(TYPES)('ends if its client stops: %s, whatever the handler makes of it', async (type) => {
    const { app, outcomes } = serve(1_000, { uploadTimeout: 50 }, async ({ body }: Given) => {
      await measure({ body }).catch(() => undefined);
      return { status: 200, body: 'fine' };
    });
    const request = head(type, CHUNKED) + chunk('"');
    const [reply] = await listening(app, (port) => exchange(port, request, 2));
    expect([reply?.status, reply?.headers['connection'], reply?.body]).toEqual([
      408,
      'close',
      expect.stringContaining('no byte of the body arrived within 50 ms'),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([408]);
  });

  test('is that of the handler while the handler does not read', async () => {
    const waited = ({ body }: Given) =>
      new Promise((resolve) => {
        setTimeout(() => {
          resolve(measure({ body }));
        }, 100);
      });
    const { app } = serve(undefined, { uploadTimeout: 20 }, waited);
    const request = declared('application/x-stream', 'x'.repeat(200_000).slice(0, 90_000));
    const [reply] = await listening(app, (port) => exchange(port, request));
    expect(reply?.status).toBe(200);
    const never = serve(
      undefined,
      { deadline: 50, uploadTimeout: 20 },
      () => new Promise(() => undefined),
    ).app;
    const [late] = await listening(never, (port) => exchange(port, request));
    expect(late?.status).toBe(503);
  });

  test('ends the connection if its rest does not come behind the answer', async () => {
    const { app } = serve(undefined, {}, () => Promise.resolve({ status: 200, body: '' }));
    const request = head('application/x-stream', 'Content-Length: 5\r\n');
    const limits = { headersTimeout: 50, requestTimeout: 50 };
    const [reply] = await listening(app, (port) => exchange(port, request, 2), limits);
    expect([reply?.status, reply?.headers['connection']]).toEqual([200, 'keep-alive']);
  });
});

describe('the memory of long bodies', () => {
  const part = (size: number) => head('application/json', CHUNKED) + chunk(`"${'x'.repeat(size)}`);

  /** Opens a connection for each size, in turn, and sends so much of a body. Resolves with the first answer. */
  async function firstAnswer(port: number, sizes: readonly number[]): Promise<string> {
    const clients: Socket[] = [];
    const answers: Promise<string>[] = [];
    for (const size of sizes) {
      const client = connect(port, '127.0.0.1').on('error', () => undefined);
      clients.push(client);
      answers.push(once(client, 'data').then(([data]) => String(data)));
      client.write(part(size));
    }
    const first = await Promise.race(answers);
    for (const client of clients) client.destroy();
    return first;
  }

  test('the oldest is given up if all together have more bytes than the bound', async () => {
    const { app } = serve(1_000, { bodyLimit: 10, maxRequests: 1 });
    expect(await listening(app, (port) => firstAnswer(port, [600, 600]))).toMatch(
      /^HTTP\/1\.1 503 [^]*too many bodies are being received/,
    );
  });

  test('is bounded while handlers run, and leaves that of other bodies alone', async () => {
    let entered: () => void = () => undefined;
    const running = new Promise<void>((resolve) => (entered = resolve));
    const { app } = serve(1_000, { bodyLimit: 10, maxRequests: 2 }, () => {
      entered();
      return new Promise(() => undefined);
    });
    await listening(app, async (port) => {
      const client = connect(port, '127.0.0.1');
      client.write(head('application/json', CHUNKED) + chunk('"'));
      client.write(chunk(`${'x'.repeat(900)}"`) + chunk(''));
      await running;
      expect(await firstAnswer(port, [200])).toMatch(/^HTTP\/1\.1 503 /);
      expect((await exchange(port, declared('application/json', '1', '/others')))[0]?.status).toBe(200);
      client.destroy();
    });
  });
});
