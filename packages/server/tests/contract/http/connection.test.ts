import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { createHttpServer, listen } from 'contract-first-server';

const render = () => ({ status: 400 });

test('after the last response a client may go on to send for a while: its bytes reset no connection', async () => {
  const app = express().use((_, response) => response.end('done'));
  const server = createHttpServer(app, render, {});
  const { port } = new URL(await listen(server, '127.0.0.1', 0));
  const client = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
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
  await new Promise((resolve) => server.close(resolve));
});
