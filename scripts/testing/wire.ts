import { once } from 'node:events';
import { connect } from 'node:net';
import type { Message } from 'contract-first-server';

/** The head of a request as HTTP/1.1 writes it, up to what gives the length of its body (RFC 9112 section 3). */
export function headOf({ method, path, headers }: Message): string {
  const fields = Object.entries({ Host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${fields.join('')}`;
}

/** The whole message (RFC 9112 section 2.1), with its own body or another one. */
export function bytesOf(message: Message, body = message.body): string {
  const length = body === undefined ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${headOf(message)}${length}\r\n${body ?? ''}`;
}

/** A response on a connection. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Splits the bytes of a server into its final responses. */
export function parseReplies(bytes: Buffer): Reply[] {
  const replies: Reply[] = [];
  let rest = bytes.toString('latin1');
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    const [line = '', ...fields] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      fields.map((field) => {
        const at = field.indexOf(':');
        return [field.slice(0, at).toLowerCase(), field.slice(at + 1).trim()];
      }),
    );
    const status = Number(line.split(' ')[1]);
    const length = Number(headers['content-length'] ?? 0);
    const body = Buffer.from(rest.slice(end + 4, end + 4 + length), 'latin1').toString('utf8');
    if (end < 0 || Number.isNaN(status)) throw new Error(`not a response: ${rest.slice(0, 200)}`);
    if (status !== 100) replies.push({ status, headers, body });
    rest = rest.slice(end + 4 + length);
  }
  return replies;
}

/** Sends bytes on a new connection. Resolves with all bytes of the server after it has closed the connection. */
export async function exchangeBytes(port: number, bytes: string): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks);
}

/**
 * Sends bytes on a new connection. Resolves with the responses after the server has closed it, or after `count` of them
 * have arrived.
 */
export function exchange(port: number, bytes: string | Buffer, count = 1): Promise<Reply[]> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(bytes));
    const finish = () => {
      socket.destroy();
      try {
        resolve(parseReplies(Buffer.concat(chunks)));
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      try {
        const replies = parseReplies(Buffer.concat(chunks));
        const last = replies.at(-1);
        const complete = last && Buffer.byteLength(last.body) === Number(last.headers['content-length'] ?? 0);
        if (replies.length >= count && complete) finish();
      } catch {
        // incomplete: waits for the rest
      }
    });
    socket.on('error', finish).on('close', finish);
  });
}
