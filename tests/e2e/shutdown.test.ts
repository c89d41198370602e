import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type Program, startProgram } from '../support/program';

jest.setTimeout(30_000);

const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const HEAD =
  'POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer secret\r\nContent-Type: application/json\r\n';
const bodyOf = (id: number) => `{"id":${id},"name":"Monstera"}`;
const request = (id: number) => `${HEAD}Content-Length: ${bodyOf(id).length}\r\n\r\n${bodyOf(id)}`;

/** A connection of its own, and all that has come on it. */
async function open({ url }: Program) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
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
  /** Resolves once it has come. */
  const received = async (end: string) => {
    while (!text.includes(end)) await once(socket, 'data');
  };
  return { socket, closed, received };
}

/** A connection with a request under way, whose body the server waits for. */
async function openHalf(server: Program, id: number) {
  const connection = await open(server);
  connection.socket.write(`${HEAD}Expect: 100-continue\r\nContent-Length: ${bodyOf(id).length}\r\n\r\n`);
  await connection.received('100 Continue');
  return connection;
}

const start = (env = {}) => startProgram({ API_TOKENS: 'secret', ...env });

/** Tells it to stop; resolves, with what resolves to its exit status, once it has heard. */
async function stopping(server: Program) {
  const ended = server.stop('SIGTERM');
  await server.printed(/"msg":"stopping"/);
  return { ended };
}

test('under load not one accepted request is cut off, and nothing acknowledged is lost', async () => {
  const file = join(folder, 'plants.db');
  const server = await start({ DATABASE_URL: `sqlite:${file}`, LOG_LEVEL: 'warn' });
  const acknowledged: number[] = [];
  let lastId = 0;
  let cutOff = 0;
  let enough: (() => void) | undefined;

  /** Asks on one connection as long as the server lets it, and then on another. */
  async function client(): Promise<void> {
    for (;;) {
      const socket: Socket = connect(Number(new URL(server.url).port), '127.0.0.1').setEncoding('utf8');
      const connected = await once(socket, 'connect').catch(() => undefined);
      if (!connected) return; // nobody listens any more
      const closed = new Promise<undefined>((resolve) => {
        socket
          .on('error', () => undefined)
          .on('close', () => {
            resolve(undefined);
          });
      });
      for (let last = false; !last;) {
        const id = ++lastId;
        socket.write(request(id));
        const data = await Promise.race([once(socket, 'data'), closed]);
        const answer = String(data?.[0]);
        if (!answer.startsWith('HTTP/1.1 200 OK') || !answer.endsWith('}')) cutOff++;
        else acknowledged.push(id);
        if (acknowledged.length === 2000) enough?.();
        last = !data || answer.includes('Connection: close');
      }
      socket.destroy();
    }
  }

  const loaded = new Promise<void>((resolve) => (enough = resolve));
  const clients = Array.from({ length: 64 }, client);
  await loaded;
  expect(await server.stop('SIGTERM')).toBe(0);
  await Promise.all(clients);
  expect(acknowledged.length).toBeGreaterThan(2000);
  expect(cutOff).toBe(0);
  const database = new Database(file, { readonly: true });
  const stored = new Set(database.prepare('SELECT id FROM plants').pluck().all());
  database.close();
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
});

test('from the signal on it is not ready, takes no connections, and answers what is open', async () => {
  const server = await start();
  const [half, keptAlive] = [await openHalf(server, 1), await open(server)];
  keptAlive.socket.write(request(2));
  await keptAlive.received('200 OK');
  const { ended } = await stopping(server);
  await expect(fetch(`${server.url}/-/live`)).rejects.toThrow();
  keptAlive.socket.write('GET /-/ready HTTP/1.1\r\nHost: x\r\n\r\n');
  const answers = await keptAlive.closed;
  expect(answers).toContain('HTTP/1.1 503 Service Unavailable');
  expect(answers).toContain('"message":"the server is shutting down"');
  expect(answers).toContain('Connection: close');
  half.socket.write(bodyOf(1));
  expect(await half.closed).toMatch(/200 OK[^]*Connection: close/);
  expect(await ended).toBe(0);
});

test('all requests that a client has sent ahead on one connection are answered', async () => {
  const server = await start();
  const connection = await openHalf(server, 1);
  const { ended } = await stopping(server);
  connection.socket.write(bodyOf(1) + request(2) + request(3));
  expect((await connection.closed).match(/200 OK/g)).toHaveLength(3);
  expect(await ended).toBe(0);
});

test('connections on which nothing happens are closed', async () => {
  const server = await start();
  const [silent, used] = [await open(server), await open(server)];
  used.socket.write(request(1));
  await used.received('200 OK');
  const ended = server.stop('SIGINT');
  expect(await silent.closed).toBe('');
  expect(await used.closed).toContain('200 OK');
  expect(await ended).toBe(0);
});

test('a request that does not end is cut off after SHUTDOWN_TIMEOUT', async () => {
  const server = await start({ SHUTDOWN_TIMEOUT: '1' });
  const half = await openHalf(server, 1);
  expect(await server.stop('SIGTERM')).toBe(0);
  expect(await half.closed).not.toContain('HTTP/1.1 2');
});

test.each(['SIGTERM', 'SIGINT'] as const)('a second signal (%s) ends it at once', async (signal) => {
  const server = await start();
  const half = await openHalf(server, 1);
  const { ended } = await stopping(server);
  expect(await server.stop(signal)).toBe(1);
  expect(await ended).toBe(1);
  await half.closed;
});
