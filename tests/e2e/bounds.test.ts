import { connect, type Socket } from 'node:net';
import {
  errorOf,
  EXAMPLE,
  HEAD,
  MISMATCH,
  portOf,
  REQUEST,
  send,
  SUCCESS,
} from '../../scripts/testing/client';
import { type Program, startProgram, useServers, withHandlers } from '../../scripts/testing/program';
import { TOKEN } from '../../scripts/testing/plant-service';
import { exchange } from '../../scripts/testing/wire';

const start = useServers({ API_TOKENS: TOKEN });

/** The handlers of the server wait for SIGUSR2. */
const HANGING = withHandlers(
  "(console.log('entered'), signaled.then(() => handler(request)))",
  "const signaled = new Promise((resolve) => process.once('SIGUSR2', resolve));",
);

/** A connection with an open request. */
async function open(server: Program, bytes: string): Promise<Socket> {
  const socket = connect(portOf(server), '127.0.0.1').setEncoding('utf8');
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.write(bytes, resolve));
  return socket;
}

test('requests beyond MAX_REQUESTS are refused early, and accepted ones are answered', async () => {
  const server = await start({ MAX_REQUESTS: '3', ...HANGING });
  const accepted = await Promise.all([REQUEST, REQUEST, REQUEST].map((bytes) => open(server, bytes)));
  const answers = accepted.map((socket) => new Promise((resolve) => socket.once('data', resolve)));
  await server.printed(/(entered[^]*){3}/);
  const refused = await send(server);
  expect(refused.status).toBe(503);
  expect([refused.headers.get('retry-after'), await errorOf(refused)]).toEqual(['1', 50300]);
  expect((await fetch(`${server.url}/-/live`)).status).toBe(200);
  void server.stop('SIGUSR2');
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 [2-4]/);
  for (const socket of accepted) socket.destroy();
  expect((await send(server, {}, MISMATCH)).status).toBe(400);
});

test('a hanging handler ends with a response at REQUEST_DEADLINE and frees its slot', async () => {
  const server = await start({
    MAX_REQUESTS: '1',
    REQUEST_DEADLINE: '300',
    ...HANGING,
  });
  for (let i = 0; i < 2; i++) {
    const response = await send(server);
    expect([response.status, response.headers.get('retry-after'), await response.json()]).toEqual([
      503,
      '1',
      { error: 50300, message: 'the request was not answered within 300 ms' },
    ]);
  }
});

test('with OPS_PORT probes and metrics are served only there, for any number of client connections', async () => {
  const server = await start({ MAX_CONNECTIONS: '20', OPS_PORT: '0' });
  const [, ops] = await server.printed(/probes and metrics on (http:\/\/[\d.]+:\d+)/);
  const status = async (url: string) => (await fetch(url, { headers: { connection: 'close' } })).status;
  for (const path of ['live', 'ready', 'metrics']) {
    expect([path, await status(`${ops}/-/${path}`)]).toEqual([path, 200]);
    expect([path, await status(`${server.url}/-/${path}`)]).toEqual([path, 404]);
  }
  for (const path of ['docs', 'openapi.json']) expect(await status(`${server.url}/-/${path}`)).toBe(200);
  expect([await status(`${ops}/-/docs`), await status(`${ops}${EXAMPLE.path}`)]).toEqual([404, 404]);
  const idle = await Promise.all(Array.from({ length: 20 }, () => open(server, '')));
  await expect(fetch(`${server.url}/-/docs`)).rejects.toThrow();
  expect([await status(`${ops}/-/live`), await status(`${ops}/-/ready`)]).toEqual([200, 200]);
  expect(await (await fetch(`${ops}/-/metrics`)).text()).toMatch(/http_dropped_connections_total [1-9]/);
  for (const socket of idle) socket.destroy();
});

/** Of several bounds: none of the tests that share it reaches that of another. */
let server: Program;
beforeAll(async () => {
  server = await startProgram({
    API_TOKENS: TOKEN,
    MAX_REQUESTS: '1',
    REQUEST_TIMEOUT: '2',
    HEADERS_TIMEOUT: '1',
    KEEP_ALIVE_TIMEOUT: '1',
    MAX_HEADER_SIZE: '4096',
  });
});
test('an aborted request is no longer open', async () => {
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
  await breakOff(() => undefined); // until the server times out
  expect((await send(server)).status).toBe(SUCCESS);
});

test('the configured timeouts close the connection of a slow client', async () => {
  const [reply] = await exchange(portOf(server), 'POST / HTTP/1.1\r\n');
  expect([reply?.status, reply?.headers['connection']]).toEqual([408, 'close']);
});

test('an idle connection is closed after KEEP_ALIVE_TIMEOUT', async () => {
  const replies = await exchange(portOf(server), 'GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n', 2);
  expect(replies.map(({ status }) => status)).toEqual([404]);
});

test('a client that reads nothing is disconnected after SEND_TIMEOUT, even if it keeps sending', async () => {
  const server = await start({ SEND_TIMEOUT: '200' });
  const page = 'GET /-/docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n';
  const socket = (await open(server, page.repeat(20))).pause();
  const drip = setInterval(() => socket.write('\r\n'), 50);
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(drip);
  expect((await fetch(`${server.url}/-/live`)).status).toBe(200);
  expect(await (await fetch(`${server.url}/-/metrics`)).text()).toContain(
    'http_unread_connections_total{reason="timeout"} 1',
  );
  await server.printed(
    /"connections":1,"msg":"closed connections whose clients did not read their responses"/,
  );
});

test('headers larger than MAX_HEADER_SIZE are refused', async () => {
  const response = await send(server, { 'X-Large': 'x'.repeat(4096) });
  expect([response.status, await errorOf(response)]).toEqual([431, 43100]);
});
