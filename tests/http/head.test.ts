import { once } from 'node:events';
import { connect } from 'node:net';
import { createHttpServer } from 'contract-first-server';
import { ERRORS, errors } from '../../src/errors';
import { REFUSED, SERVED } from '../../scripts/testing/heads';
import { buildApp } from '../../scripts/testing/plant-service';
import { openServer } from 'contract-first-prover/service';
import { exchange, parseReplies } from '../../scripts/testing/wire';

let port = 0;
let close: () => Promise<void>;
beforeAll(async () => {
  const limits = { headersTimeout: 60_000, requestTimeout: 60_000, keepAliveTimeout: 60_000 };
  ({ port, close } = await openServer(createHttpServer(buildApp(), errors.render, limits)));
});
afterAll(() => close());

/** A request that must not be answered after one that was refused. */
const NEXT = 'GET /-/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

/** The head on its own connection, as requests for these paths; a head that is judged ends in the same way on each. */
const PATHS = ['/-/live', '/plants', '/nowhere'];
const on = (path: string, head: string) => Buffer.from(head.replace('/-/live', path) + NEXT, 'latin1');

test.each(REFUSED)('%s: refused before anything runs', async (_, head, kind) => {
  const { status, number } = ERRORS[kind];
  for (const path of PATHS) {
    const replies = await exchange(port, on(path, head), 2);
    expect(replies.map((reply) => [reply.status, reply.headers['connection']])).toEqual([[status, 'close']]);
    expect(JSON.parse(replies[0]?.body ?? '')).toMatchObject({ error: number });
  }
});

test.each(SERVED)('%s: served', async (_, head) => {
  const replies = await exchange(port, on('/-/live', head), 2);
  const next = head.includes('HTTP/1.0') ? [] : [200]; // which closes the connection
  expect(replies.map(({ status }) => status)).toEqual([200, ...next]);
});

test('empty lines before a request are ignored (RFC 9112 section 2.2)', async () => {
  const replies = await exchange(port, `\r\n\r\n${NEXT}`, 2);
  expect(replies.map(({ status }) => status)).toEqual([200]);
});

test('the head of every request of a connection is judged', async () => {
  for (const [rule, head, kind] of REFUSED) {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.write('GET /-/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    socket.write(on('/-/live', head));
    await once(socket, 'close');
    const statuses = parseReplies(Buffer.concat(chunks)).map(({ status }) => status);
    expect([rule, statuses]).toEqual([rule, [200, ERRORS[kind].status]]);
  }
});
