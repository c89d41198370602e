import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { Outcome } from '../../src/wire/message';
import { createResponseReader } from '../../src/wire/response-reader';
import { send } from '../../src/wire/socket';

/** Misbehaviors of a server: the bytes of its response, and what the outcome must say. */
type Row = readonly [name: string, response: string | Buffer, expected: RegExp | number];

const OK = 'HTTP/1.1 200 OK\r\n';
const chunked = (body: string): string => `${OK}Transfer-Encoding: chunked\r\n\r\n${body}`;
const sized = (length: string, body = 'hi'): string => `${OK}Content-Length: ${length}\r\n\r\n${body}`;
const coded = (coding: string, body: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`${OK}Content-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`),
    body,
  ]);
const MEGABYTE = 'x'.repeat(1_000_000);
const BOMB = Buffer.alloc(20_000_000);

const CORRECT: readonly Row[] = [
  ['a length', sized('2'), 200],
  ['a repeated length', sized('2, 2'), 200],
  ['no body', 'HTTP/1.1 204 No Content\r\n\r\n', 204],
  ['no reason phrase', 'HTTP/1.1 404\r\nContent-Length: 0\r\n\r\n', 404],
  ['chunks', chunked('1\r\nh\r\n1;a="b"\r\ni\r\n0\r\nX-Sum: 1\r\n\r\n'), 200],
  ['a chunk size with zeros', chunked('0001\r\nh\r\n000\r\n\r\n'), 200],
  ['interim responses', `${'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n'.repeat(9)}${sized('2')}`, 200],
  ['HTTP/1.0 until the end', 'HTTP/1.0 200 OK\r\n\r\nhi', 200],
  ...(['gzip', 'x-gzip'] as const).map((name): Row => [name, coded(name, gzipSync('hi')), 200]),
  ['br', coded('br', brotliCompressSync('hi')), 200],
  ['deflate', coded('deflate', deflateSync('hi')), 200],
  ['deflate without the zlib format', coded('deflate', deflateRawSync('hi')), 200],
  ['two codings', coded('deflate, gzip', gzipSync(deflateSync('hi'))), 200],
];

const WRONG: readonly Row[] = [
  ...['zz', '-4', '', '0x10', '1e+20', '1 2', ' 1', '\u00b2', '"1"'].map((size): Row => [
    `the chunk size ${JSON.stringify(size)}`,
    chunked(`${size}\r\nhi\r\n0\r\n\r\n`),
    /the size of a chunk/,
  ]),
  ['a chunk size that is 7712', chunked('1e20\r\nhi\r\n0\r\n\r\n'), /an incomplete one/],
  ['a chunk size beyond all bounds', chunked(`${'f'.repeat(300)}\r\n`), /more than 10000000 bytes/],
  ['a chunk extension of a megabyte', chunked(`1;${MEGABYTE}\r\nh\r\n`), /the size of a chunk of more than/],
  ['a chunk that is longer than its size', chunked('1\r\nhi\r\n0\r\n\r\n'), /longer than its size/],
  ['trailers of a megabyte', chunked(`0\r\nA: ${MEGABYTE}\r\n\r\n`), /trailers.* of more than 65536 bytes/],
  ['a trailer without a name', chunked('0\r\n: x\r\n\r\n'), /the place of a header field/],
  ...['-1', '+2', '0x2', '1e1', '2.0', '', 'two', '2, 3'].map((length): Row => [
    `the length ${JSON.stringify(length)}`,
    sized(length),
    /Content-Length/,
  ]),
  ['two lengths', `${OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi!`, /Content-Length: 2, 3/],
  ['a length beyond all bounds', sized('1'.repeat(400)), /more than 10000000 bytes/],
  ['a length beside chunks', `${OK}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n`, /beside/],
  ['an unknown transfer coding', `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n`, /Transfer-Encoding: gzip/],
  ['chunks in HTTP/1.0', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', /HTTP\/1\.0/],
  ['a body that is longer than its length', sized('1'), /after the end of the response/],
  ['two responses', sized('2').repeat(2), /after the end of the response/],
  ['a body of 204', 'HTTP/1.1 204 No Content\r\n\r\nhi', /after the end of the response/],
  ['protocols that nobody asked for', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n', /101/],
  ...['HTTP/2 200 OK', 'HTTP/1.1 20 OK', 'HTTP/1.1 999 OK', 'ICY 200 OK', '', 'SSH-2.0-x'].map(
    (line): Row => [
      `the status line ${JSON.stringify(line)}`,
      `${line}\r\n\r\n`,
      /the place of a status line/,
    ],
  ),
  ...['no colon', ': no name', 'a b: c', 'A : b', ' folded', 'A: \u0001', 'A: \u0000b'].map((line): Row => [
    `the field ${JSON.stringify(line)}`,
    `${OK}A: b\r\n${line}\r\n\r\n`,
    /the place of a header field/,
  ]),
  ['lines that end without CR', 'HTTP/1.1 200 OK\n\n', /without CR/],
  ['a head of a megabyte', `${OK}A: ${MEGABYTE}\r\n\r\n`, /a head.* of more than 65536 bytes/],
  ['a head of many fields', `${OK}${'A: b\r\n'.repeat(100_000)}\r\n`, /a head.* of more than 65536 bytes/],
  [
    'endless interim responses',
    'HTTP/1.1 100 Continue\r\n\r\n'.repeat(10_000),
    /a head.* of more than 65536 bytes/,
  ],
  ...['gzip', 'br', 'deflate'].map((name): Row => {
    const compress = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync }[name] ?? gzipSync;
    return [`a bomb of ${name}`, coded(name, compress(BOMB)), /more than 10000000 bytes without its/];
  }),
  ['nested bombs', coded('gzip, gzip', gzipSync(gzipSync(BOMB))), /more than 10000000 bytes without its/],
  ['many codings', coded('gzip, gzip, gzip, gzip', gzipSync('hi')), /4 content codings/],
  ['a coding that it is not', coded('gzip', Buffer.from('hi')), /not in its content coding gzip/],
  ['an unknown coding', coded('constructor', Buffer.from('hi')), /the content coding constructor/],
];

/** The outcome when the response arrives in these pieces, and then the connection ends. */
function read(pieces: Iterable<Buffer>): Outcome {
  const reader = createResponseReader('GET');
  for (const piece of pieces) {
    const outcome = reader.take(piece);
    if (outcome) return outcome;
  }
  return reader.end();
}

function* cut(bytes: Buffer, size: number): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

const bytesOf = (response: string | Buffer): Buffer =>
  typeof response === 'string' ? Buffer.from(response, 'latin1') : response;

function expectOutcome(outcome: Outcome, expected: RegExp | number): void {
  if (typeof expected === 'number') expect(outcome).toMatchObject({ status: expected });
  else expect(outcome).toMatchObject({ noResponse: expect.stringMatching(expected) as string });
}

describe.each([...CORRECT, ...WRONG])('a response with %s', (_, response, expected) => {
  const bytes = bytesOf(response);

  test.each(bytes.length > 50_000 ? [997] : [1, 7, Infinity])('is read in pieces of %d bytes', (size) => {
    const outcome = read(cut(bytes, size));
    // Nobody waits for what comes after a complete response.
    if (String(expected).includes('after the end') && 'status' in outcome) return;
    expectOutcome(outcome, expected);
  });

  test('is an outcome wherever it ends', () => {
    for (let end = 0; end < Math.min(bytes.length, 300); end++) {
      const outcome = read([bytes.subarray(0, end)]);
      if (!('noResponse' in outcome)) continue;
      expect(outcome.noResponse).toMatch(/^(?:none|a malformed one|an incomplete one \(.*\)): ./);
      expect(outcome.isMalformed === true).toBe(end > 0);
    }
  });
});

test.each(CORRECT)('a response with %s has its body without codings', (_, response) => {
  const outcome = read([bytesOf(response)]);
  const body = 'body' in outcome ? outcome.body.toString() : undefined;
  expect(['hi', 'h', '']).toContain(body);
});

test('what endless pieces of one byte cost is linear', () => {
  const cost = (bytes: number): number => {
    const body = Buffer.from(`${OK}\r\n${'x'.repeat(bytes)}`);
    const began = process.cpuUsage().user;
    read(cut(body, 1));
    return process.cpuUsage().user - began;
  };
  cost(100_000);
  expect(cost(800_000)).toBeLessThan(24 * Math.max(cost(100_000), 10_000));
});

describe('a server', () => {
  let server: Server;
  let port: number;
  let behave: (socket: Socket) => void;
  const sockets = new Set<Socket>();
  beforeAll(async () => {
    server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
      behave(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const ask = (timeout = 30_000, body?: Buffer): Promise<Outcome> =>
    send(
      { host: '127.0.0.1', port, timeout },
      { method: 'POST', target: '/', headers: [], ...(body && { body }) },
    );

  test.each([...CORRECT, ...WRONG])(
    'that answers with %s ends in an outcome',
    async (_, response, expected) => {
      behave = (socket) => {
        socket.resume().end(bytesOf(response));
      };
      expectOutcome(await ask(), expected);
    },
  );

  test('that resets the connection at any byte ends in an outcome', async () => {
    const bytes = bytesOf(chunked('1\r\nh\r\n1\r\ni\r\n0\r\n\r\n'));
    for (let end = 0; end < bytes.length; end += 3) {
      behave = (socket) => {
        socket.once('data', () => socket.write(bytes.subarray(0, end), () => socket.resetAndDestroy()));
      };
      expectOutcome(await ask(), /^(?:none|an incomplete one \(.*\)): the connection was reset$/);
    }
  });

  test.each<[name: string, behavior: (socket: Socket) => void, expected: RegExp | number]>([
    ['says nothing and closes', (socket) => socket.end(), /^none: the connection was closed/],
    ['says nothing', () => undefined, /^none: the time-out of 50 ms is over/],
    [
      'stops in the head',
      (socket) => socket.write('HTTP/1.1 2'),
      /without the end of its head.*50 ms is over/,
    ],
    [
      'stops in the body',
      (socket) => socket.write(sized('3')),
      /status 200, without the end of its body.*over/,
    ],
    [
      'ends the body before its length',
      (socket) => socket.end(sized('3')),
      /status 200, without the end of its body.*the connection was closed/,
    ],
    ['never ends its body', (socket) => socket.write(`${OK}\r\nhi`), /without the end of its body.*over/],
    [
      'answers before the request, and a second time',
      (socket) => {
        socket.write(sized('2'));
        socket.once('data', () => socket.end(sized('2')));
      },
      200,
    ],
    ['closes its half, and still reads', (socket) => socket.resume().end(sized('2')), 200],
  ])('that %s ends in an outcome', async (_, behavior, expected) => {
    behave = behavior;
    expectOutcome(await ask(typeof expected === 'number' ? 30_000 : 50), expected);
  });

  test.each<[name: string, head: string, piece: string, expected: RegExp]>([
    ['a body', `${OK}\r\n`, MEGABYTE, /a body of more than 10000000 bytes/],
    ['chunks', chunked(''), `f4240\r\n${MEGABYTE}\r\n`, /a body of more than 10000000 bytes/],
    ['trailers', chunked('0\r\n'), 'A: b\r\n'.repeat(100), /trailers.* of more than 65536 bytes/],
    ['a head', OK, 'A: b\r\n'.repeat(100), /a head.* of more than 65536 bytes/],
    ['a line', OK, MEGABYTE, /a head.* of more than 65536 bytes/],
    ['interim responses', '', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(50), /a head.* of more than/],
    ['an extension', chunked('1;'), MEGABYTE, /the size of a chunk of more than/],
  ])('that never ends %s is given up, however long the time-out is', async (_, head, piece, expected) => {
    behave = (socket) => {
      socket.resume().write(head);
      const more = (): void => {
        while (!socket.destroyed && socket.write(piece));
      };
      socket.on('drain', more);
      more();
    };
    expectOutcome(await ask(), expected);
  });

  test('that drips one byte at a time is given up after the time-out', async () => {
    behave = (socket) => {
      const timer = setInterval(() => socket.write('x'), 5);
      socket
        .resume()
        .on('close', () => {
          clearInterval(timer);
        })
        .write(`${OK}\r\n`);
    };
    expectOutcome(await ask(100), /status 200, without the end of its body.*the time-out of 100 ms is over/);
  });

  test('that answers before it has read the request, and closes, is heard', async () => {
    behave = (socket) => {
      socket.resume().end('HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n');
    };
    expectOutcome(await ask(30_000, Buffer.alloc(100_000)), 413);
  });

  test('is not awaited after the signal', async () => {
    behave = (socket) => socket.resume();
    const interrupt = new AbortController();
    const outcome = send(
      { host: '127.0.0.1', port, timeout: 30_000 },
      { method: 'GET', target: '/', headers: [] },
      { signal: interrupt.signal },
    );
    interrupt.abort();
    expectOutcome(await outcome, /the run was interrupted/);
  });
});

test('the answer to HEAD has a length and no body', () => {
  const reader = createResponseReader('HEAD');
  expect(reader.take(Buffer.from(sized('2', '')))).toMatchObject({ status: 200, body: Buffer.alloc(0) });
});
