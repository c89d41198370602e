import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { decodeText, IncomingBody } from '../../../src/contract/http/body';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes of live objects on the heap. */
function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test('a body costs its bytes, however many segments it arrives in', async () => {
  const incoming = new IncomingMessage(new Socket());
  const response = new ServerResponse(incoming);
  const body = new IncomingBody(
    incoming,
    response,
    { limit: 200_000, itemLimit: 1, patience: undefined, hold: () => true },
    () => undefined,
  ).bytes();
  const before = heapUsed();
  for (let i = 0; i < 1_000; i++) {
    for (let j = 0; j < 100; j++) incoming.push(Buffer.from('a'));
    await new Promise(setImmediate);
  }
  const used = heapUsed() - before; // the objects of 100,000 chunks: more than 10 MB
  incoming.push(null);
  expect((await body).toString()).toBe('a'.repeat(100_000));
  for (const event of ['data', 'end', 'close']) expect(incoming.listenerCount(event)).toBe(0);
  expect(used).toBeLessThan(2_000_000);
});

test('a body that arrives with its head is read without listeners, which cost more', async () => {
  const incoming = new IncomingMessage(new Socket());
  const bounds = { limit: 10, itemLimit: 1, patience: undefined, hold: () => true };
  const body = new IncomingBody(incoming, new ServerResponse(incoming), bounds, () => undefined).bytes();
  // The parser goes on in the same turn of the event loop.
  incoming.push('a');
  incoming.push(null);
  incoming.complete = true;
  expect((await body).toString()).toBe('a');
  expect(incoming.eventNames()).not.toContain('data');
});

test('a body is read once', async () => {
  const incoming = new IncomingMessage(new Socket());
  const body = new IncomingBody(
    incoming,
    new ServerResponse(incoming),
    { limit: 10, itemLimit: 1, patience: 1_000, hold: () => true },
    () => undefined,
  );
  incoming.push('a');
  incoming.push(null);
  for await (const piece of body) expect(piece.toString()).toBe('a');
  await expect(body[Symbol.asyncIterator]().next()).rejects.toThrow('can be read only once');
});

test('each byte gives the next one its time again', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
  const incoming = new IncomingMessage(new Socket());
  const bounds = { limit: 10, itemLimit: 1, patience: 1_000, hold: () => true };
  const body = new IncomingBody(incoming, new ServerResponse(incoming), bounds, () => undefined);
  const texts: string[] = [];
  const reading = (async () => {
    for await (const piece of body) texts.push(piece.toString());
  })();
  for (const text of ['a', 'b', 'c', null]) {
    await new Promise(setImmediate);
    jest.advanceTimersByTime(900);
    incoming.push(text);
  }
  await reading.finally(() => jest.useRealTimers());
  expect(texts).toEqual(['a', 'b', 'c']);
});

test.each([
  ['\xff', 'the body is not UTF-8'],
  ['\xef\xbb\xbfa', 'the body starts with a byte order mark'],
])('the bytes %j are no text', (bytes, message) => {
  expect(() => decodeText(Buffer.from(bytes, 'latin1'))).toThrow(message);
});
