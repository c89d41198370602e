import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { headOf } from '../testing/wire';
import { exampleMessage } from '../testing/client';

/*
 * A process of clients that mean no good, until it is told to stop: `bad.ts PORT TOKEN BODY_LIMIT`. On its end it sends what they
 * were told, by kind and then by status and error number.
 */

const [port = '', token = '', bodyLimit = ''] = process.argv.slice(2);
const MESSAGE = exampleMessage(token);
const HEAD = headOf(MESSAGE);
/** Without a token. */
const LINE = headOf({ ...MESSAGE, headers: {} });
const LARGE = Number(bodyLimit) + 1;
/** Milliseconds after which a client gives up. */
const PATIENCE = 10_000;
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

/** Sends one byte after the other, slowly, and never the last. */
async function drip(socket: Socket, bytes: string): Promise<void> {
  for (const byte of bytes) {
    if (!socket.writable) return;
    socket.write(byte);
    await sleep(200);
  }
}

interface Kind {
  /** Clients at once. */
  readonly clients: number;
  readonly act: (socket: Socket) => unknown;
}

const send = (bytes: string): Kind => ({ clients: 2, act: (socket) => socket.write(bytes) });

const KINDS: Record<string, Kind> = {
  'says nothing': { clients: 50, act: () => undefined },
  'slow head': { clients: 50, act: (socket) => drip(socket, HEAD) },
  'slow body': {
    clients: 50,
    act: (socket) => drip(socket, `${HEAD}Content-Length: 999\r\n\r\n${' '.repeat(998)}`),
  },
  'half, then ends': { clients: 2, act: (socket) => socket.end(`${HEAD}Content-Length: 999\r\n\r\n{`) },
  'half, then resets': {
    clients: 2,
    act: (socket) => {
      socket.write(`${HEAD}Content-Length: 999\r\n\r\n{`, () => socket.resetAndDestroy());
    },
  },
  'never reads': {
    clients: 10,
    act: (socket) => socket.pause().write(`${HEAD}Content-Length: 2\r\n\r\n{}`.repeat(500)),
  },
  'never reads, large': {
    clients: 10,
    act: (socket) =>
      socket.pause().write('GET /-/docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(400)),
  },
  'never reads, and leaves': {
    clients: 5,
    act: (socket) => {
      socket
        .pause()
        .write('GET /-/openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(400), () => socket.destroy());
    },
  },
  upgrades: send(`${HEAD}Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 10\r\n\r\n{"id":1.5}`),
  garbage: send('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello\r\n\r\n'),
  'headers too large': send(`${LINE}X-Large: ${'x'.repeat(100_000)}\r\n\r\n`),
  'length too large': send(`${HEAD}Content-Length: ${LARGE}\r\n\r\n${'x'.repeat(LARGE)}`),
  'chunks too large': send(`${HEAD}Transfer-Encoding: chunked\r\n\r\n${chunk('x'.repeat(LARGE))}`),
  'chunks without end': send(
    `${HEAD}Transfer-Encoding: chunked\r\n\r\n${chunk('x'.repeat(1000)).repeat(1200)}`,
  ),
  'two lengths': send(`${HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`),
  'no token': send(`${LINE}Content-Length: 2\r\n\r\n{}`),
  'bad token': send(`${headOf(exampleMessage(`x${token}`))}Content-Length: 2\r\n\r\n{}`),
  'not JSON': send(`${HEAD}Content-Length: 5\r\n\r\n{"id"`),
  'too deep': send(`${HEAD}Content-Length: 90000\r\n\r\n${'['.repeat(90_000)}`),
  'not a plant': send(`${HEAD}Content-Length: 10\r\n\r\n{"id":1.5}`),
  'another path': send('GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n'),
  'another method': send(`${headOf({ ...MESSAGE, method: 'BREW' })}\r\n`),
};

const told: Record<string, Record<string, number>> = {};
let running = true;

/** One connection: resolves, when it is closed, with the first answer that came on it. */
function attack({ act }: Kind): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), '127.0.0.1');
    const timer = setTimeout(() => socket.destroy(), PATIENCE);
    socket.on('close', () => {
      clearTimeout(timer);
    });
    socket.on('data', (data) => {
      text = (text + data.toString('latin1')).slice(0, 2000);
      if (text.endsWith('}')) socket.end();
    });
    socket
      .on('error', () => undefined)
      .on('close', () => {
        const [, status] = /^HTTP\/1\.1 (\d+)/.exec(text) ?? [];
        const [, number] = /"error":(\d+),"message":"/.exec(text) ?? [];
        resolve(status === undefined ? (text === '' ? 'closed' : text) : `${status} ${number ?? text}`);
      });
    socket.on('connect', () => act(socket));
  });
}

async function client(name: string, kind: Kind): Promise<void> {
  const answers = (told[name] ??= {});
  while (running) {
    const answer = await attack(kind);
    answers[answer] = (answers[answer] ?? 0) + 1;
    await sleep(10);
  }
}

process.once('message', () => (running = false));
void Promise.all(
  Object.entries(KINDS).flatMap(([name, kind]) =>
    Array.from({ length: kind.clients }, () => client(name, kind)),
  ),
).then(() =>
  process.send?.(told, () => {
    process.disconnect();
  }),
);
