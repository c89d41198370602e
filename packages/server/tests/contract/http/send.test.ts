import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { send } from '../../../src/contract/http/send';

const isDetached = ({ buffer }: Buffer) => buffer instanceof ArrayBuffer && buffer.detached;
const fault = (error: unknown) => {
  throw error;
};

/** What a client gets of a body that it does not read until the server has nothing more to do, and what the server wrote. */
async function sent(body: string | Uint8Array) {
  const ended: { response: ServerResponse; end: { mock: { calls: readonly (readonly unknown[])[] } } }[] = [];
  const server = createServer((request, response) => {
    ended.push({ response, end: jest.spyOn(response, 'end') });
    send(request, response, 200, ['Connection', 'close'], body, 1_000, fault);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(server, 'request');
  const received = await text(client);
  server.close();
  const [{ response, end } = {}] = ended;
  if (!response) throw new Error('expected a request');
  if (!response.writableFinished) await once(response, 'finish');
  const written = end?.mock.calls[0]?.[0];
  if (!(written instanceof Buffer)) throw new TypeError('expected the response to be written as bytes');
  return { received: received.slice(received.indexOf('\r\n\r\n') + 4), written };
}

test.each([
  ['ASCII', 'a'.repeat(5_000_000)],
  ['UTF-8', '\u00e9\u{1f331}'.repeat(1_000_000)],
])('a long text is received whole, and its bytes are freed then: %s', async (_, body) => {
  const { received, written } = await sent(body);
  expect(received === body).toBe(true); // toBe(body) would print both
  expect(isDetached(written)).toBe(true);
});

test('bytes of the service are not freed', async () => {
  const body = Buffer.alloc(1_000_000, 'a');
  const { written } = await sent(body);
  expect(written).toBe(body);
  expect(isDetached(body)).toBe(false);
});
