import { once } from 'node:events';
import { connect } from 'node:net';
import {
  EXAMPLE,
  MISMATCH,
  portOf,
  REQUEST,
  STATUS_LINE,
  SUCCESS,
  waitingRequest,
} from '../../scripts/testing/client';
import { type Program, startProgram, withHandlers } from '../../scripts/testing/program';
import { TOKEN } from '../../scripts/testing/plant-service';
import { parseReplies } from '../../scripts/testing/wire';

const LIVE = 'GET /-/live HTTP/1.1\r\nHost: x\r\n\r\n';

/** A connection and the bytes received on it. */
async function open(server: Program) {
  const socket = connect(portOf(server), '127.0.0.1').setEncoding('utf8');
  let text = '';
  const closed = new Promise<string>((resolve) => {
    socket
      .on('error', () => undefined)
      .on('close', () => {
        resolve(text);
      });
  });
  socket.on('data', (chunk: string) => (text += chunk));
  await once(socket, 'connect');
  /** Resolves after this text has arrived. */
  const received = async (end: string) => {
    while (!text.includes(end)) await once(socket, 'data');
  };
  return { socket, closed, received };
}

/** A connection with an open request, whose body the server waits for. */
async function openHalf(server: Program, body = EXAMPLE.text) {
  const connection = await open(server);
  connection.socket.write(waitingRequest(body));
  await connection.received('100 Continue');
  return connection;
}

const start = (env = {}) => startProgram({ API_TOKENS: TOKEN, ...env });

/** Sends SIGTERM and resolves when the shutdown starts. The result has a promise of the exit status. */
async function stopping(server: Program) {
  const ended = server.stop('SIGTERM');
  await server.printed(/"msg":"stopping"/);
  return { ended };
}

test('after the signal it is not ready, accepts no connections, and answers open requests', async () => {
  const server = await start();
  const [half, keptAlive] = [await openHalf(server), await open(server)];
  keptAlive.socket.write(LIVE);
  await keptAlive.received('200 OK');
  const { ended } = await stopping(server);
  keptAlive.socket.write('GET /-/ready HTTP/1.1\r\nHost: x\r\n\r\n');
  await expect(fetch(`${server.url}/-/live`)).rejects.toThrow();
  const answers = await keptAlive.closed;
  expect(answers).toContain('HTTP/1.1 503 Service Unavailable');
  expect(answers).toContain('"the server is shutting down"');
  expect(answers).toContain('Connection: close');
  half.socket.write(EXAMPLE.text);
  const [reply] = parseReplies(Buffer.from(await half.closed));
  expect(reply).toMatchObject({ status: SUCCESS, headers: { connection: 'close' } });
  expect(await ended).toBe(0);
});

test('answers all pipelined requests of a connection', async () => {
  const server = await start();
  const connection = await openHalf(server, MISMATCH);
  const { ended } = await stopping(server);
  connection.socket.write(MISMATCH + REQUEST + LIVE);
  const replies = parseReplies(Buffer.from(await connection.closed));
  expect(replies.map(({ status }) => status)).toEqual([400, SUCCESS, 200]);
  expect(await ended).toBe(0);
});

test('closes idle connections', async () => {
  const server = await start();
  const [silent, used] = [await open(server), await open(server)];
  used.socket.write(REQUEST);
  await used.received(STATUS_LINE);
  const ended = server.stop('SIGINT');
  expect(await silent.closed).toBe('');
  expect(await used.closed).toContain(STATUS_LINE);
  expect(await ended).toBe(0);
});

test('aborts an open request after SHUTDOWN_TIMEOUT', async () => {
  const server = await start({ SHUTDOWN_TIMEOUT: '1' });
  const half = await openHalf(server);
  expect(await server.stop('SIGTERM')).toBe(0);
  expect(await half.closed).not.toContain('HTTP/1.1 2');
});

test.each(['SIGTERM', 'SIGINT'] as const)('a second signal (%s) ends the process at once', async (signal) => {
  const server = await start();
  const half = await openHalf(server);
  const { ended } = await stopping(server);
  expect(await server.stop(signal)).toBe(1);
  expect(await ended).toBe(1);
  await half.closed;
});

test('with OPS_PORT it answers probes while it drains: live, but not ready', async () => {
  const server = await start({ OPS_PORT: '0' });
  const [, ops] = await server.printed(/probes and metrics on (http:\/\/[\d.]+:\d+)/);
  const half = await openHalf(server);
  const { ended } = await stopping(server);
  const ready = await fetch(`${ops}/-/ready`);
  expect([ready.status, await ready.json()]).toMatchObject([503, { message: 'the server is shutting down' }]);
  expect((await fetch(`${ops}/-/live`)).status).toBe(200);
  half.socket.write(EXAMPLE.text);
  expect(await half.closed).toContain(STATUS_LINE);
  expect(await ended).toBe(0);
});

/** Longer than a test: it ends by a further signal or an exception. */
const DELAY = { SHUTDOWN_DELAY: '3600000', SHUTDOWN_TIMEOUT: '5000' };

/** Sends SIGTERM and resolves when the server says that it is not ready any more. */
async function draining(server: Program) {
  const ended = server.stop('SIGTERM');
  await server.printed(/"delay":\d+,"msg":"draining"/);
  return { ended };
}

describe('for SHUTDOWN_DELAY', () => {
  test.each([{}, { OPS_PORT: '0' }])('it is not ready, and serves as before (%p)', async (ops) => {
    const server = await start({ ...DELAY, ...ops });
    const [, probes = server.url] = /probes and metrics on (http:[^"]+)/.exec(server.output()) ?? [];
    const keptAlive = await open(server);
    const { ended } = await draining(server);
    const ready = await fetch(`${probes}/-/ready`);
    expect([ready.status, await ready.json()]).toMatchObject([
      503,
      { message: 'the server is shutting down' },
    ]);
    expect((await fetch(`${probes}/-/live`)).status).toBe(200);
    for (const { socket, received } of [keptAlive, await open(server)]) {
      socket.write(REQUEST);
      await received(STATUS_LINE);
    }
    const stopped = server.stop('SIGTERM');
    const replies = parseReplies(Buffer.from(await keptAlive.closed));
    expect(replies.map(({ status, headers }) => [status, headers['connection']])).toEqual([
      [SUCCESS, 'keep-alive'],
    ]);
    expect([await ended, await stopped]).toEqual([0, 0]);
  });

  test('a second signal begins to stop, and a third ends the process at once', async () => {
    const server = await start(DELAY);
    const half = await openHalf(server);
    await draining(server);
    await stopping(server);
    await expect(fetch(`${server.url}/-/live`)).rejects.toThrow();
    expect(await server.stop('SIGINT')).toBe(1);
    await half.closed;
  });

  test('a connection that has been idle for less gets one more answer, which announces its end', async () => {
    const server = await start({ SHUTDOWN_DELAY: '3000' });
    const keptAlive = await open(server);
    keptAlive.socket.write(REQUEST);
    await keptAlive.received(STATUS_LINE);
    await stopping(server);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    keptAlive.socket.write(REQUEST);
    const replies = parseReplies(Buffer.from(await keptAlive.closed));
    expect(replies.map(({ status, headers }) => [status, headers['connection']])).toEqual([
      [SUCCESS, 'keep-alive'],
      [SUCCESS, 'close'],
    ]);
    expect(await server.exit).toBe(0);
  });

  test('an uncaught exception does not wait', async () => {
    const server = await start({
      ...DELAY,
      ...failing(`setImmediate(() => { throw new Error('left behind'); })`),
    });
    await draining(server);
    const { socket, closed } = await open(server);
    socket.write(REQUEST);
    expect(await closed).toContain(STATUS_LINE);
    expect(await server.exit).toBe(1);
  });

  test('it ends by itself, and SHUTDOWN_TIMEOUT begins behind it', async () => {
    const server = await start({ SHUTDOWN_DELAY: '100', SHUTDOWN_TIMEOUT: '1' });
    const half = await openHalf(server);
    expect(await server.stop('SIGTERM')).toBe(0);
    expect(server.output()).toMatch(/"msg":"draining"[^]*"msg":"stopping"/);
    await half.closed;
  });
});

describe('connections that the operating system has accepted before the signal', () => {
  /** Opens connections to a server that does not run, sends it SIGTERM, and lets it run. */
  async function accepted(count: number, text: string, env = {}) {
    const server = await start(env);
    server.signal('SIGSTOP');
    const connections = await Promise.all(Array.from({ length: count }, () => open(server)));
    for (const { socket } of connections) socket.write(text);
    const ended = server.stop('SIGTERM');
    server.signal('SIGCONT');
    return { answers: await Promise.all(connections.map(({ closed }) => closed)), status: await ended };
  }

  test('are served', async () => {
    const { answers, status } = await accepted(400, LIVE);
    expect(answers.filter((text) => text.startsWith('HTTP/1.1 200 OK'))).toHaveLength(400);
    expect(status).toBe(0);
  });

  test('have SHUTDOWN_TIMEOUT too', async () => {
    const { answers, status } = await accepted(20, waitingRequest(EXAMPLE.text), { SHUTDOWN_TIMEOUT: '1' });
    expect(answers.join()).not.toContain('HTTP/1.1 2');
    expect(status).toBe(0);
  });
});

/** The handlers of the server also fail outside their promises. */
const failing = (code: string) => withHandlers(`(${code}, handler(request))`);

test('logs an unhandled rejection of a handler and continues', async () => {
  const server = await start(failing(`void Promise.reject(new Error('left behind'))`));
  const { socket, received } = await open(server);
  socket.write(REQUEST);
  await received(STATUS_LINE);
  await server.printed(/left behind/);
  socket.write(LIVE);
  await received('"live"');
  expect(await server.stop()).toBe(0);
});

test('logs an uncaught exception, answers open requests and stops', async () => {
  const server = await start(failing(`setImmediate(() => { throw new Error('left behind'); })`));
  const [half, other] = [await openHalf(server), await open(server)];
  other.socket.write(REQUEST);
  expect(await other.closed).toContain(STATUS_LINE);
  half.socket.write(MISMATCH + ' '.repeat(EXAMPLE.text.length - MISMATCH.length));
  expect(await half.closed).toContain('HTTP/1.1 400');
  expect(await server.exit).toBe(1);
  expect(server.output()).toMatch(/"level":"fatal".*left behind/);
});
