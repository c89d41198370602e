import { once } from 'node:events';
import { createServer, type IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { send } from '../../../src/contract/http/send';

const isDetached = ({ buffer }: Buffer) => buffer instanceof ArrayBuffer && buffer.detached;
const fault = (error: unknown) => {
  throw error;
};

/** What a client gets of a body, and the bytes that were written. */
async function sent(body: string | Uint8Array, wrap: (response: ServerResponse) => void = () => undefined) {
  let written: unknown;
  class Recorded<R extends IncomingMessage> extends ServerResponse<R> {
    override end(...given: readonly unknown[]): this {
      [written] = given;
      return super.end(...(given as [unknown]));
    }
  }
  const server = createServer({ ServerResponse: Recorded }, (request, response) => {
    wrap(response);
    send(request, response, 200, ['Connection', 'close'], body, 1_000, fault);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const requested = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [, response] = await requested;
  const received = await text(client);
  server.close();
  if (!response.writableFinished) await once(response, 'finish');
  if (!(written instanceof Buffer)) throw new TypeError('expected the response to be written as bytes');
  return { received: received.slice(received.indexOf('\r\n\r\n') + 4), written };
}

const ASCII = 'a'.repeat(5_000_000);

test.each([
  ['ASCII', ASCII],
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

test.each(['end', 'write'] as const)('a middleware that wraps %s may keep the bytes', async (method) => {
  const { written } = await sent(ASCII, (response) => {
    Object.assign(response, { [method]: response[method].bind(response) });
  });
  expect(isDetached(written)).toBe(false);
});
