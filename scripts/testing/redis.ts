import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/**
 * How it answers: as Redis does; nothing; an error to each command; bytes of another protocol; or it closes the connection. A
 * reply answers each script.
 */
export type Mood = 'well' | 'silent' | 'error' | 'foreign' | 'gone' | { readonly reply: string };

/** As much of Redis as the limiter asks of it: a window for each key (RESP 2, https://redis.io/docs/latest/develop/reference/protocol-spec/). */
export interface Redis {
  readonly port: number;
  mood: Mood;
  /** What it has been asked to count. */
  readonly asked: readonly string[];
  /** Connections that are open. */
  readonly connections: number;
  /** Closes them, as Redis does after its `timeout`. */
  drop(): void;
  close(): Promise<void>;
}

export async function startRedis(password?: string): Promise<Redis> {
  const windows = new Map<string, { count: number; readonly end: number }>();
  const asked: string[] = [];
  const sockets = new Set<Socket>();

  function answerTo([name = '', ...values]: readonly string[], session: { isKnown: boolean }): string {
    if (name === 'AUTH') {
      session.isKnown = values.at(-1) === password;
      return session.isKnown ? '+OK' : '-WRONGPASS invalid username-password pair or user is disabled.';
    }
    if (!session.isKnown) return '-NOAUTH Authentication required.';
    if (name !== 'EVAL') return '+OK';
    if (typeof redis.mood === 'object') return redis.mood.reply;
    const [, , key = '', points, seconds] = values;
    asked.push(key);
    const known = windows.get(key);
    const now = performance.now();
    const window = known && known.end > now ? known : { count: 0, end: now + 1000 * Number(seconds) };
    windows.set(key, window);
    window.count += Number(points);
    return `*2\r\n:${window.count}\r\n:${Math.ceil(window.end - now)}`;
  }

  const redis: Redis = {
    mood: 'well',
    get port() {
      return (server.address() as AddressInfo).port;
    },
    asked,
    get connections() {
      return sockets.size;
    },
    drop() {
      for (const socket of sockets) socket.end();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    const session = { isKnown: password === undefined };
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      // A command is `*COUNT`, and for each word `$LENGTH` and the word, on lines of their own.
      for (;;) {
        const count = Number(/^\*(\d+)\r\n/.exec(text)?.[1]);
        const lines = text.split('\r\n').slice(1, 1 + 2 * count);
        const length = text.split('\r\n', 1 + 2 * count).join('\r\n').length + 2;
        if (!count || text.length < length) return;
        text = text.slice(length);
        const words = lines.filter((_, i) => i % 2 === 1);
        if (redis.mood === 'gone') socket.destroy();
        else if (redis.mood === 'error')
          socket.write('-READONLY You cannot write against a read only replica.\r\n');
        else if (redis.mood === 'foreign') socket.write('HTTP/1.1 400 Bad Request\r\n\r\n');
        else if (redis.mood === 'well' || typeof redis.mood === 'object')
          socket.write(`${answerTo(words, session)}\r\n`, 'latin1');
        else asked.push('unanswered');
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return redis;
}
