import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Clients of each kind at once. */
const CLIENTS = 8;
const UPLOAD = Buffer.alloc(1_000_000, 'x');
const FORM = 'Content-Type: multipart/form-data; boundary=b\r\n';
const PART = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
const BYTES = 'Content-Type: application/octet-stream\r\n';

const head = (line: string, fields = '') => `${line} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`;
const upload = (socket: Socket, line: string, fields: string, first = '') => {
  socket.write(head(line, `${fields}Content-Length: 9000000\r\n`) + first);
  socket.write(UPLOAD);
};

/** What clients have begun when they leave. */
const BEGUN: Readonly<Record<string, (socket: Socket) => void>> = {
  'a form': (socket) => {
    upload(socket, 'POST /form', FORM, PART);
  },
  bytes: (socket) => {
    upload(socket, 'PUT /bytes', BYTES);
  },
  events: (socket) => socket.resume().write(head('GET /events')),
  'a download': (socket) => socket.resume().write(head('GET /bytes')),
  'a stream that they read': (socket) => socket.resume().write(head('GET /gibibyte')),
  'a stream that they do not read': (socket) => socket.pause().write(head('GET /gibibyte')),
};

/** How they leave. */
const LEAVES: readonly ((socket: Socket) => void)[] = [
  (socket) => socket.destroy(),
  (socket) => socket.resetAndDestroy(),
  (socket) => socket.end(),
  () => undefined, // stays, and says nothing more
];

async function client(port: number, begin: (socket: Socket) => void, until: number): Promise<number> {
  let count = 0;
  while (performance.now() < until) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    begin(socket);
    await sleep(Math.random() * 100);
    LEAVES[count++ % LEAVES.length]?.(socket);
    const gone = new Promise((resolve) => socket.once('close', resolve));
    if (!socket.destroyed)
      await Promise.race([gone, sleep(Math.random() * 1_000, undefined, { ref: false })]);
    socket.destroy();
  }
  return count;
}

/** Clients that begin, and leave in the middle. Resolves with how many there were of each kind. */
export async function leave(port: number, seconds: number): Promise<[string, number][]> {
  const until = performance.now() + seconds * 1_000;
  return Promise.all(
    Object.entries(BEGUN).map(async ([name, begin]): Promise<[string, number]> => {
      const counts = await Promise.all(Array.from({ length: CLIENTS }, () => client(port, begin, until)));
      return [name, counts.reduce((a, b) => a + b)];
    }),
  );
}
