import { connect, type Socket } from 'node:net';
import {
  errorOf,
  EXAMPLE,
  HEAD,
  MISMATCH,
  portOf,
  send,
  STATUS_LINE,
  SUCCESS,
  waitingRequest,
} from '../support/client';
import { startProgram } from '../support/program';
import { TOKEN } from '../support/service';
import { exchange } from '../support/wire';

jest.setTimeout(30_000);

test('beyond MAX_REQUESTS at once requests are refused early, and those accepted are answered', async () => {
  const server = await startProgram({ API_TOKENS: TOKEN, MAX_REQUESTS: '3' });
  const requests = [
    [EXAMPLE.text, STATUS_LINE],
    [MISMATCH, 'HTTP/1.1 400 Bad Request\r\n'],
    [MISMATCH, 'HTTP/1.1 400 Bad Request\r\n'],
  ] as const;
  const accepted = await Promise.all(
    requests.map(async ([body, expected]) => {
      const socket = connect(portOf(server), '127.0.0.1').setEncoding('utf8');
      const asked = new Promise((resolve) => socket.once('data', resolve)); // for the body: it is under way
      socket.write(waitingRequest(body));
      await asked;
      return { socket, body, expected };
    }),
  );
  const refused = await send(server);
  expect([refused.status, refused.headers.get('retry-after'), await errorOf(refused)]).toEqual([
    503,
    '1',
    50300,
  ]);
  expect((await fetch(`${server.url}/-/live`)).status).toBe(200);
  for (const { socket, body, expected } of accepted) {
    const answer = new Promise((resolve) => socket.once('data', resolve));
    socket.write(body);
    expect(await answer).toContain(expected);
    socket.destroy();
  }
  expect((await send(server, {}, MISMATCH)).status).toBe(400);
  expect(await server.stop()).toBe(0);
});

test('a request that breaks off is not under way any more', async () => {
  const server = await startProgram({
    API_TOKENS: TOKEN,
    MAX_REQUESTS: '1',
    REQUEST_TIMEOUT: '2',
    HEADERS_TIMEOUT: '1',
  });
  const half = `${HEAD}Content-Length: 9\r\n\r\n{`;
  const breakOff = (end: (socket: Socket) => void) =>
    new Promise<void>((resolve) => {
      const socket = connect({ port: portOf(server), host: '127.0.0.1', allowHalfOpen: true }, () => {
        socket.write(half, () => {
          end(socket);
        });
      });
      socket.resume().on('end', () => socket.end());
      socket
        .on('error', () => undefined)
        .on('close', () => {
          resolve();
        });
    });
  await breakOff((socket) => socket.end());
  expect((await send(server, {}, MISMATCH)).status).toBe(400);
  await breakOff(() => undefined); // the server loses its patience
  expect((await send(server)).status).toBe(SUCCESS);
  expect(await server.stop()).toBe(0);
});

test('beyond MAX_CONNECTIONS a connection is closed, and counted', async () => {
  const server = await startProgram({ API_TOKENS: TOKEN, MAX_CONNECTIONS: '2' });
  const open = () => {
    const socket = connect(portOf(server), '127.0.0.1');
    const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
    return { socket, closed };
  };
  const ask = 'GET /-/metrics HTTP/1.1\r\nHost: x\r\n\r\n';
  const [first, second] = [open(), open()];
  for (const { socket } of [first, second]) {
    socket.write(ask);
    await new Promise((resolve) => socket.once('data', resolve));
  }
  await open().closed;
  let text = '';
  const told = new Promise<void>((resolve) => {
    first.socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('http_dropped_connections_total 1')) resolve();
    });
  });
  first.socket.write(ask);
  await told;
  for (const { socket } of [first, second]) socket.destroy();
  expect(await server.stop()).toBe(0);
});

test('a client that is slow to ask is hung up on, by the timeouts of the configuration', async () => {
  const server = await startProgram({ API_TOKENS: TOKEN, HEADERS_TIMEOUT: '1', REQUEST_TIMEOUT: '2' });
  const [reply] = await exchange(portOf(server), 'POST / HTTP/1.1\r\n');
  expect([reply?.status, reply?.headers['connection']]).toEqual([408, 'close']);
  expect(await server.stop()).toBe(0);
});

test('a connection on which nothing more is asked is closed after KEEP_ALIVE_TIMEOUT', async () => {
  const server = await startProgram({ API_TOKENS: TOKEN, KEEP_ALIVE_TIMEOUT: '1' });
  const replies = await exchange(portOf(server), 'GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n', 2);
  expect(replies.map(({ status }) => status)).toEqual([404]);
  expect(await server.stop()).toBe(0);
});

test('headers larger than MAX_HEADER_SIZE are refused', async () => {
  const server = await startProgram({ API_TOKENS: TOKEN, MAX_HEADER_SIZE: '4096' });
  const response = await send(server, { 'X-Large': 'x'.repeat(4096) });
  expect([response.status, await errorOf(response)]).toEqual([431, 43100]);
  expect(await server.stop()).toBe(0);
});
