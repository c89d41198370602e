import { execFileSync } from 'node:child_process';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { curlCommand } from './curl';
import { encodeRequest, type RawRequest, readResponse } from './message';
import { send } from './send';

const post: RawRequest = {
  method: 'POST',
  target: '/a?b=c',
  headers: [['X', 'y']],
  body: Buffer.from('hello'),
};

describe('a request on the wire', () => {
  const text = (request: RawRequest): string => encodeRequest(request).toString('latin1');

  test('has its length and its body', () => {
    expect(text(post)).toBe(
      'POST /a?b=c HTTP/1.1\r\nHost: localhost\r\nX: y\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello',
    );
  });

  test('is sent in chunks, or announces a body that it withholds', () => {
    expect(text({ ...post, sending: 'chunked' })).toMatch(
      /\r\n\r\n2\r\nhe\r\n2\r\nll\r\n1\r\no\r\n0\r\n\r\n$/,
    );
    expect(text({ ...post, sending: 'withheld' })).toMatch(/Content-Length: 5\r\nConnection: close\r\n\r\n$/);
  });
});

describe('a response on the wire', () => {
  const read = (text: string, method = 'GET', closed = false) =>
    readResponse(Buffer.from(text), method, closed)?.body.toString();
  test.each([
    ['with a length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi', 'hi'],
    ['that is incomplete', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi', undefined],
    ['in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nh\r\n1\r\ni\r\n0\r\n\r\n', 'hi'],
    [
      'after an interim response',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi',
      'hi',
    ],
    ['without a body', 'HTTP/1.1 204 No Content\r\n\r\n', ''],
  ])('is read %s', (_, text, want) => {
    expect(read(text)).toBe(want);
  });

  test('to HEAD has a length and no body', () => {
    expect(read('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n', 'HEAD')).toBe('');
  });

  test('without a length ends with the connection', () => {
    expect(read('HTTP/1.1 200 OK\r\n\r\nhi')).toBeUndefined();
    expect(read('HTTP/1.1 200 OK\r\n\r\nhi', 'GET', true)).toBe('hi');
  });
});

describe('sending', () => {
  const serving = async <T>(
    serve: (socket: Socket) => void,
    use: (port: number) => Promise<T>,
  ): Promise<T> => {
    const server = createServer(serve);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      return await use((server.address() as AddressInfo).port);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  };

  test('returns the response of a server that closes early', async () => {
    const outcome = await serving(
      (socket) =>
        socket
          .on('error', () => undefined)
          .resume()
          .end('HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n'),
      (port) => send('127.0.0.1', port, { ...post, body: Buffer.alloc(100_000) }),
    );
    expect(outcome).toMatchObject({ status: 413 });
  });

  test('reports a missing response', async () => {
    const outcome = await serving(
      (socket) => socket.destroy(),
      (port) => send('127.0.0.1', port, post),
    );
    expect(outcome).toHaveProperty('noResponse');
  });
});

describe('the curl line', () => {
  /** The input of curl when a shell runs the line. */
  const input = (request: RawRequest): Buffer =>
    execFileSync('bash', ['-c', `curl() { cat; }; ${curlCommand(request)}`]);

  test('contains a printable body', () => {
    const line = curlCommand({ ...post, body: Buffer.from(`it's`) });
    expect(line).toBe(
      `curl -i --path-as-is -X POST -H 'X: y' -H 'Content-Type:' --data-binary 'it'\\''s' "$BASE"'/a?b=c'`,
    );
  });

  test.each([
    ['control characters and broken UTF-8', Buffer.from([0, 10, 13, 0xc3, 0x28, 0xff])],
    ['a long run at the end', Buffer.concat([Buffer.from('{}\n'), Buffer.alloc(70_000, ' ')])],
  ])('sends the exact bytes of a body with %s', (_, body) => {
    expect(input({ ...post, body })).toEqual(body);
  });
});
