import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { createHttpServer, listen } from 'contract-first-server';

const render = () => ({ status: 400 });
/** Bytes that exceed the buffers of the operating system. */
const LARGE = 16_000_000;
const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

let server: ReturnType<typeof createHttpServer>;
let url = '';
async function serve(handle: RequestListener): Promise<void> {
  server = createHttpServer(express().use(handle), render, {});
  url = await listen(server, '127.0.0.1', 0);
}
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
const open = (allowHalfOpen = false): Socket =>
  connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen, noDelay: true });
/** Resolves when the server has read what other connections have sent before. */
async function another(): Promise<void> {
  for (let count = 0; count < 2; count++)
    await (await fetch(`${url}/another`, { method: 'POST', body: 'another'.repeat(99) })).text();
}

test('after the last response a client may go on to send for a while: its bytes reset no connection', async () => {
  await serve((_, response) => response.end('done'));
  const client = open(true);
  const errors: unknown[] = [];
  client.on('error', (error) => errors.push(error));
  let text = '';
  client.on('data', (bytes) => (text += bytes.toString()));
  client.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await once(client, 'end');
  for (let count = 0; count < 5; count++) {
    client.write('more');
    await sleep(20);
  }
  expect([errors, client.destroyed, text.endsWith('done')]).toEqual([[], false, true]);
  client.destroy();
});

test('requests that wait behind another are those of their own connection, whatever others send meanwhile', async () => {
  const held: (() => void)[] = [];
  await serve((request, response) => {
    const answer = () => response.end(`${request.url};`);
    if (request.url === '/held') held.push(answer);
    else answer();
  });
  const client = open();
  let text = '';
  client.on('data', (bytes) => (text += bytes.toString()));
  const [first, rest] = [ask('/first').slice(0, 9), ask('/first').slice(9)];
  for (const segment of [ask('/held') + first, rest + ask('/second'), ask('/third')]) {
    client.write(segment);
    await another();
  }
  for (const answer of held) answer();
  const closed = once(client, 'close');
  while (!text.includes('/third;') && !client.closed) await Promise.race([once(client, 'data'), closed]);
  expect(text.match(/\/\w+;/g)).toEqual(['/held;', '/first;', '/second;', '/third;']);
  client.destroy();
});

test('a body is what its own connection has sent, whatever others send meanwhile', async () => {
  await serve((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => response.end(Buffer.concat(parts)));
  });
  const client = open();
  client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\nConnection: close\r\n\r\n');
  for (const part of ['a'.repeat(20), 'b'.repeat(20)]) {
    client.write(part);
    await another();
  }
  let text = '';
  for await (const bytes of client) text += String(bytes);
  expect(text.split('\r\n\r\n')[1]).toBe('a'.repeat(20) + 'b'.repeat(20));
});

test('a client that reads late and closes its side has not left: it gets the responses behind the one that it reads', async () => {
  const asked: string[] = [];
  let answer = (): unknown => undefined;
  await serve(({ url = '' }, response) => {
    asked.push(url);
    if (url === '/large') response.end('x'.repeat(LARGE));
    else answer = () => response.end('the last response');
  });
  server.on('connection', (socket: Socket) => {
    socket.once('end', () => {
      answer();
    });
  });
  const client = open(true).pause();
  client.write(ask('/large'));
  while (asked.length === 0) await turn();
  client.end(ask('/last')); // the server reads no further while its client does not
  await sleep(300); // longer than between two parts of what a client sends
  let text = '';
  for await (const bytes of client) text += String(bytes);
  expect(text.slice(-17)).toBe('the last response');
});

test('a connection that another listener has closed already is left alone', async () => {
  await serve((_, response) => response.end('done'));
  server.prependOnceListener('connection', (socket) => socket.destroy());
  await expect(fetch(url)).rejects.toThrow();
  expect(await (await fetch(url)).text()).toBe('done');
});
