import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { send } from '../../src/wire/socket';
import { openServer } from '../../src/service/listen';
import type { Outcome, RawResponse } from '../../src/wire/message';
import type { OnContent } from '../../src/wire/response-reader';

const PIECE = Buffer.alloc(65_536, 'a');

/** Sends pieces to a server, and takes its content piece by piece. */
async function exchange(
  listener: RequestListener,
  pieces: AsyncIterable<Uint8Array>,
  onContent?: OnContent,
): Promise<Outcome> {
  const { port, close } = await openServer(createServer(listener));
  const request = { method: 'POST', target: '/', headers: [], pieces };
  const outcome = await send({ host: '127.0.0.1', port }, request, onContent ? { onContent } : {});
  await close();
  return outcome;
}

async function* count(pieces: number, taken: (index: number) => void = () => undefined) {
  for (let i = 0; i < pieces; i++) {
    taken(i);
    yield PIECE;
    await Promise.resolve();
  }
}

test('pieces are sent at the pace of the server', async () => {
  let read = 0;
  let most = 0;
  const pieces = count(500, (index) => (most = Math.max(most, index * PIECE.length - read)));
  const outcome = await exchange((request, response) => {
    request.on('data', (piece: Buffer) => {
      read += piece.length;
      request.pause();
      setImmediate(() => request.resume());
    });
    request.on('end', () => response.end(String(read)));
  }, pieces);
  expect(outcome).toMatchObject({ status: 200, body: Buffer.from(String(500 * PIECE.length)) });
  expect(most).toBeLessThan(16_777_216); // the operating system has buffers of some megabytes
});

test('pieces end when the server has responded', async () => {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  async function* endless() {
    try {
      yield* count(Infinity);
    } finally {
      end();
    }
  }
  const outcome = await exchange((_, response) => response.writeHead(413).end(), endless());
  expect(outcome).toMatchObject({ status: 413 });
  await ended;
});

test.each([
  ['of a length', { 'Content-Length': 300 * PIECE.length }],
  ['in chunks', {}],
])('content beyond the bound is taken piece by piece, %s', async (_, headers) => {
  let taken = 0;
  const outcome = await exchange(
    (_request, response) => {
      response.writeHead(200, headers);
      for (let i = 0; i < 300; i++) response.write(PIECE);
      response.end();
    },
    count(1),
    (piece) => (taken += piece.length) > 0,
  );
  expect(outcome).toMatchObject({ status: 200, body: Buffer.alloc(0) });
  expect(taken).toBe(300 * PIECE.length);
});

test('an endless response ends when enough has come', async () => {
  let left: () => void = () => undefined;
  const hasLeft = new Promise<void>((resolve) => (left = resolve));
  let taken = 0;
  const outcome = await exchange(
    (_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(PIECE));
      };
      response.on('drain', more).on('close', left);
      more();
    },
    count(1),
    (piece) => (taken += piece.length) < 1_000_000,
  );
  expect(outcome).toMatchObject({ status: 200 });
  await hasLeft;
});

/** The outcome for an address that waits this long, in milliseconds. */
async function outcomeOf(listener: RequestListener, timeout = 500): Promise<RawResponse> {
  const { port, close } = await openServer(createServer(listener));
  const outcome = await send(
    { host: '127.0.0.1', port, timeout },
    { method: 'GET', target: '/', headers: [] },
  );
  await close();
  if ('noResponse' in outcome) throw new Error(`expected a response, got ${outcome.noResponse}`);
  return outcome;
}
const STREAM = { 'Content-Type': 'application/jsonl; charset=utf-8' };
const FILE = { 'Content-Type': 'image/png' };

describe('of a stream', () => {
  test.each([
    ['is not ended', (response: ServerResponse) => response.write('1\n'), '1\n', 'prover'],
    [
      'has no item',
      (response: ServerResponse) => {
        response.flushHeaders();
      },
      '',
      'prover',
    ],
    [
      'is broken',
      (response: ServerResponse) => response.write('1\n', () => response.destroy()),
      '1\n',
      'server',
    ],
    ['is ended', (response: ServerResponse) => response.end('1\n'), '1\n', undefined],
  ] as const)('that %s, what has come is the outcome', async (_, write, body, by) => {
    const outcome = await outcomeOf((_request, response) => {
      write(response.writeHead(200, STREAM));
    });
    expect([outcome.status, outcome.body.toString(), outcome.cut?.by]).toEqual([200, body, by]);
  });

  test.each([
    ['gzip', gzipSync, constants.Z_SYNC_FLUSH],
    ['br', brotliCompressSync, constants.BROTLI_OPERATION_FLUSH],
  ] as const)('that is coded in %s, the start is decoded', async (coding, compress, finishFlush) => {
    const outcome = await outcomeOf((_request, response) => {
      response
        .writeHead(200, { ...STREAM, 'Content-Encoding': coding })
        .write(compress('1\n2\n', { finishFlush }));
    });
    expect(outcome.body.toString()).toBe('1\n2\n');
  });

  test('that is endless and fast, a megabyte is read', async () => {
    const outcome = await outcomeOf((_request, response) => {
      response.writeHead(200, STREAM);
      const more = (): void => {
        while (!response.destroyed && response.write(PIECE));
      };
      response.on('drain', more);
      more();
    }, 30_000);
    expect([outcome.body.length, outcome.cut?.by]).toEqual([1_000_000, 'prover']);
  });
});

describe('of a file', () => {
  test('that is larger than the bound, the start is read', async () => {
    const outcome = await outcomeOf((_request, response) => {
      response.writeHead(200, { ...FILE, 'Content-Length': 300 * PIECE.length });
      for (let i = 0; i < 300; i++) response.write(PIECE);
      response.end();
    }, 30_000);
    expect([outcome.body.length, outcome.cut?.by]).toEqual([10_000_000, 'prover']);
  });

  test('that is slow, the start is read', async () => {
    let timer: NodeJS.Timeout | undefined;
    const outcome = await outcomeOf((_request, response) => {
      response.writeHead(200, { ...FILE, 'Content-Length': PIECE.length });
      timer = setInterval(() => response.write('a'), 5);
    }, 2_000); // A busy machine may leave this process without a turn for longer than 500 ms.
    clearInterval(timer);
    expect([outcome.status, outcome.cut?.by]).toEqual([200, 'prover']);
  });

  test.each([
    ['stops', (response: ServerResponse) => response.write('a'), /the time-out of 500 ms is over/],
    [
      'is broken',
      (response: ServerResponse) => response.write('a', () => response.destroy()),
      /without the end of its body/,
    ],
  ] as const)('that %s, there is no outcome', async (_, write, expected) => {
    const outcome = outcomeOf((_request, response) => {
      write(response.writeHead(200, { ...FILE, 'Content-Length': 2 }));
    });
    await expect(outcome).rejects.toThrow(expected);
  });
});
