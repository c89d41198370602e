import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import {
  errorOf,
  EXAMPLE,
  HEAD,
  MISMATCH,
  portOf,
  REQUEST,
  send,
  STATUS_LINE,
  SUCCESS,
  waitingRequest,
} from '../support/client';
import { type Program, useServers, withHandlers } from '../support/program';
import { TOKEN } from '../support/service';
import { exchange } from '../support/wire';

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

test('hanging handlers hold no slots after their clients have disconnected', async () => {
  const server = await start({ MAX_REQUESTS: '2', ...HANGING });
  const clients = await Promise.all([open(server, REQUEST), open(server, REQUEST)]);
  await server.printed(/(entered[^]*){2}/);
  expect((await send(server)).status).toBe(503);
  for (const client of clients) client.destroy();
  await server.printed(/"status":499[^]*"status":499/);
  void server.stop('SIGUSR2');
  expect((await send(server, {}, MISMATCH)).status).toBe(400);
});

test('known tokens are accepted while the keys of JWTs are unavailable', async () => {
  const issuer = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(issuer, 'listening');
  const server = await start({
    MAX_REQUESTS: '3',
    AUTH_JWKS_URL: `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/keys`,
    AUTH_ISSUER: 'https://issuer.example.com',
    AUTH_AUDIENCE: 'plants',
  });
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const token = `${part({ alg: 'RS256', kid: 'unknown' })}.${part({ sub: 'x' })}.c2ln`;
  const stranger = REQUEST.replace(TOKEN, token);
  const strangers = await Promise.all(Array.from({ length: 8 }, () => open(server, stranger)));
  for (let i = 0; i < 3; i++) expect((await send(server, {}, MISMATCH)).status).toBe(400);
  for (const socket of strangers) socket.destroy();
  issuer.close();
  issuer.closeAllConnections();
});

test('slow bodies hold no slots', async () => {
  const server = await start({ MAX_REQUESTS: '2' });
  const slow = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const socket = await open(server, waitingRequest());
      await once(socket, 'data'); // 100 Continue
      return socket;
    }),
  );
  for (let i = 0; i < 3; i++) expect((await send(server, {}, MISMATCH)).status).toBe(400);
  const [first] = slow;
  first?.write(EXAMPLE.text);
  expect(await new Promise((resolve) => first?.once('data', resolve))).toContain(STATUS_LINE);
  for (const socket of slow) socket.destroy();
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

test('an aborted request is no longer open', async () => {
  const server = await start({
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
  await breakOff(() => undefined); // until the server times out
  expect((await send(server)).status).toBe(SUCCESS);
});

test('a connection beyond MAX_CONNECTIONS is closed and counted', async () => {
  const server = await start({ MAX_CONNECTIONS: '2' });
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
  const counted = new Promise<void>((resolve) => {
    first.socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('http_dropped_connections_total 1')) resolve();
    });
  });
  first.socket.write(ask);
  await counted;
  for (const { socket } of [first, second]) socket.destroy();
});

test('the configured timeouts close the connection of a slow client', async () => {
  const server = await start({ HEADERS_TIMEOUT: '1', REQUEST_TIMEOUT: '2' });
  const [reply] = await exchange(portOf(server), 'POST / HTTP/1.1\r\n');
  expect([reply?.status, reply?.headers['connection']]).toEqual([408, 'close']);
});

test('an idle connection is closed after KEEP_ALIVE_TIMEOUT', async () => {
  const server = await start({ KEEP_ALIVE_TIMEOUT: '1' });
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
  const server = await start({ MAX_HEADER_SIZE: '4096' });
  const response = await send(server, { 'X-Large': 'x'.repeat(4096) });
  expect([response.status, await errorOf(response)]).toEqual([431, 43100]);
});
