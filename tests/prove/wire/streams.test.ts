import { createServer, type RequestListener } from 'node:http';
import { send } from '../../../scripts/prove/wire/socket';
import { openServer } from '../../../scripts/prove/service/listen';
import type { Outcome } from '../../../scripts/prove/wire/message';
import type { OnContent } from '../../../scripts/prove/wire/response-reader';

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
