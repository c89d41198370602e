import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createHttpServer } from 'contract-first-server';
import { errors } from '../../src/errors';
import { createHandlers } from '../../src/handlers';
import { EXAMPLE, HEAD, REQUEST, requestOf, SUCCESS } from '../../scripts/testing/client';
import { listening } from '../../scripts/testing/listening';
import { buildApp } from '../../scripts/testing/plant-service';
import { exchange, type Reply } from '../../scripts/testing/wire';
import { openExample } from '../contract/scenarios';

/** Without credentials. */
const STRANGER = `${EXAMPLE.method} ${EXAMPLE.path} HTTP/1.1\r\nHost: x\r\n`;
const LENGTH = Buffer.byteLength(EXAMPLE.text);
const BODY_LIMIT = LENGTH + 500;
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

const outcomeOf = (reply: Reply | undefined): unknown => [
  reply?.status,
  reply?.body === '' ? '' : errors.numberOf(JSON.parse(reply?.body ?? 'null')),
];
const send = async (bytes: string, count?: number, limits = {}) => {
  const handlers = createHandlers(await openExample());
  return listening(
    buildApp({ handlers, bodyLimit: BODY_LIMIT }),
    (port) => exchange(port, bytes, count),
    limits,
  );
};

describe('invalid HTTP/1.1 has the error body too', () => {
  it.each([
    ['an unknown method', 'WATER / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 40000],
    ['another protocol', 'POST / HTTP/3.0\r\nHost: x\r\n\r\n', 505, 50500],
    ['two Content-Types', `${HEAD}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}`, 400, 40001],
    ['headers that are too large', `${STRANGER}A: ${'a'.repeat(20_000)}\r\n\r\n`, 431, 43100],
    ['an invalid chunk', `${HEAD}Transfer-Encoding: chunked\r\n\r\nx\r\n`, 400, 40000],
  ])('%s', async (_, bytes, status, number) => {
    const [reply] = await send(bytes);
    expect(outcomeOf(reply)).toEqual([status, number]);
    expect(reply?.headers['content-type']).toMatch(/^application\/(problem\+)?json$/);
  });

  // Concurrently, as others below: the server looks for late clients only once a second.
  it.concurrent('a head that arrives too late', async () => {
    const [reply] = await send('POST / HTTP/1.1\r\n', 1, { headersTimeout: 1, requestTimeout: 2 });
    expect(outcomeOf(reply)).toEqual([408, 40800]);
  });

  it.concurrent('a body that arrives too late', async () => {
    const [reply] = await send(`${HEAD}Content-Length: 10\r\n\r\n{`, 1, {
      headersTimeout: 1,
      requestTimeout: 2,
    });
    expect(outcomeOf(reply)).toEqual([408, 40800]);
  });

  it('a valid request before invalid bytes is answered, then the connection is closed', async () => {
    const replies = await send(`${REQUEST}garbage\r\n\r\n`, 3);
    expect(replies.map(({ status }) => status)).toEqual([SUCCESS, 400]);
    expect(replies[1]?.headers['connection']).toBe('close');
  });

  it('a request that is refused before its invalid body is answered', async () => {
    const [reply] = await send(
      'GET /nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\ngarbage\r\n',
    );
    expect(outcomeOf(reply)).toEqual([404, 40400]);
  });

  it('every header counts, for any number of headers', async () => {
    const [reply] = await send(REQUEST.replace('\r\n', `\r\n${'A: b\r\n'.repeat(2000)}`));
    expect(reply?.status).toBe(SUCCESS);
  });

  it('requests on one connection are answered in their order', async () => {
    const unknown = 'GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n';
    const replies = await send(requestOf('{') + unknown + REQUEST + unknown, 4);
    expect(replies.map(({ status }) => status)).toEqual([400, 404, SUCCESS, 404]);
  });
});

describe('a body over the limit is 413 / 41300 and the connection is closed', () => {
  const big = 'x'.repeat(BODY_LIMIT + 1);
  it.each([
    ['declared but not sent', `${HEAD}Content-Length: ${BODY_LIMIT + 1}\r\n\r\n`],
    ['declared as 2^53 - 1', `${HEAD}Content-Length: 9007199254740991\r\n\r\n`],
    ['in chunks without an end', `${HEAD}Transfer-Encoding: chunked\r\n\r\n${chunk(big)}`],
    ['in many small chunks', `${HEAD}Transfer-Encoding: chunked\r\n\r\n${chunk('x').repeat(BODY_LIMIT + 1)}`],
  ])('%s', async (_, bytes) => {
    const [reply] = await send(bytes);
    expect(outcomeOf(reply)).toEqual([413, 41300]);
    expect(reply?.headers['connection']).toBe('close');
  });

  it('closes the connection even if the client never stops', async () => {
    const replies = await send(
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n${chunk(big)}${chunk('y'.repeat(2_000_000))}`,
      2,
    );
    expect(replies.map(outcomeOf)).toEqual([[413, 41300]]);
  });
});

describe('the server requests and reads a body only after it has accepted the credentials', () => {
  const expecting = `Expect: 100-continue\r\nContent-Length: ${LENGTH}\r\n\r\n`;
  it('a client that expects 100 Continue gets it only then', async () => {
    const refused = await send(STRANGER + expecting);
    expect(outcomeOf(refused[0])).toEqual([401, 40100]);
    expect(refused[0]?.headers['connection']).toBe('close');
    const accepted = await send(`${HEAD}${expecting}${EXAMPLE.text}`);
    expect(accepted[0]?.status).toBe(SUCCESS);
  });

  it.each([
    ['1.1', '100-continue', true],
    ['1.1', '100-Continue', true],
    ['1.1', 'wonders', false],
    ['1.0', '100-continue', false],
  ])('a client of HTTP/%s that expects %s', async (version, expectation, continues) => {
    const head = `${HEAD}Expect: ${expectation}\r\nContent-Length: ${LENGTH}\r\n\r\n`;
    const bytes = `${head.replace('HTTP/1.1', `HTTP/${version}`)}${EXAMPLE.text}`;
    const handlers = createHandlers(await openExample());
    const text = await listening(buildApp({ handlers, bodyLimit: BODY_LIMIT }), async (port) => {
      const socket = connect(port, '127.0.0.1').setEncoding('latin1');
      socket.write(bytes);
      let received = '';
      socket.on('data', (part: string) => (received += part));
      while (!received.includes(`HTTP/1.1 ${SUCCESS}`)) await once(socket, 'data');
      socket.destroy();
      return received;
    });
    expect(text.startsWith('HTTP/1.1 100 ')).toBe(continues);
  });

  it('a request without credentials is refused before its body is sent', async () => {
    const [reply] = await send(`${STRANGER}Content-Length: 500\r\n\r\n`);
    expect(outcomeOf(reply)).toEqual([401, 40100]);
  });

  it('the connection stays open if the rest of the body is small', async () => {
    const replies = await send(`${STRANGER}Content-Length: 5\r\n\r\nhello${REQUEST}`, 2);
    expect(replies.map(({ status }) => status)).toEqual([401, SUCCESS]);
  });
});

it.concurrent.each([
  ['sends nothing, and does not close its side', ''],
  ['sends invalid bytes, and does not close its side', 'garbage\r\n\r\n'],
  ['reads no responses', 'GET /-/docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20)],
])('a client that %s keeps no connection', async (_, bytes) => {
  const limits = { headersTimeout: 1, requestTimeout: 500, keepAliveTimeout: 500, sendTimeout: 500 };
  const server = createHttpServer(buildApp(), errors.render, limits);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).pause();
  client.on('error', () => undefined);
  const [socket] = (await once(server, 'connection')) as [Socket];
  client.write(bytes);
  await once(socket, 'close');
  client.destroy();
  server.close();
});

test('a closed server does not keep its process alive', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  const stopping = new AbortController();
  const limits = { headersTimeout: 1_000, requestTimeout: 1_000, keepAliveTimeout: 1_000 };
  const server = createHttpServer(buildApp(), errors.render, limits, stopping.signal);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const closed = once(server, 'close');
  stopping.abort();
  await closed;
  while (timers() > before) await new Promise(setImmediate); // those of other tests end, too
});
