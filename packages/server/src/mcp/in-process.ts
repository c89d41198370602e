/** Requests that are made in this process. They pass every stage that a request of HTTP passes. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Middleware } from '../contract';

/** Names and values of header fields. */
export type Fields = readonly (readonly [name: string, value: string])[];

export interface MadeRequest {
  readonly method: string;
  /** The path with its query. */
  readonly url: string;
  readonly headers: Fields;
  readonly body: Buffer | undefined;
}

/** The service closed the connection before the answer was complete. */
export class BrokenAnswer extends Error {}

/** An answer as a client of HTTP has it. Whoever has read enough of it ends it. */
export interface Answered {
  /** Its body, with `statusCode` and `headers`. */
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** Closes the connection. The request ends as if its client had left, unless it is answered. */
  readonly end: () => void;
}

/**
 * Sends a request to the service.
 *
 * @param caller the request that it is made for: the service sees the same client
 * @param left aborted when the client has left
 * @throws {BrokenAnswer}
 */
export function requestInProcess(
  service: Middleware,
  { method, url, headers, body }: MadeRequest,
  caller: IncomingMessage,
  left: AbortSignal,
): Promise<Answered> {
  const socket = new Socket();
  for (const name of ['remoteAddress', 'remotePort', 'localAddress', 'localPort', 'encrypted'])
    if (name in caller.socket)
      Object.defineProperty(socket, name, { value: Reflect.get(caller.socket, name) as unknown });
  const request = new IncomingMessage(socket);
  const fields: Fields = body ? [...headers, ['Content-Length', String(body.length)]] : headers;
  request.rawHeaders = fields.flat();
  request.headers = headersOf(fields);
  Object.assign(request, { method, url, httpVersion: '1.1', complete: true });
  if (body) request.push(body);
  request.push(null);
  const response = new Answering(request);
  const end = () => void socket.destroy();
  left.addEventListener('abort', end);
  socket.once('close', () => {
    left.removeEventListener('abort', end);
    response.fail();
  });
  service(request, response, end);
  return response.answered.promise.then((message) => ({ message, response, end }));
}

const headersOf = (fields: Fields): Record<string, string> =>
  Object.fromEntries(new Headers(fields.map(([name, value]) => [name, value])));

type FieldTexts = readonly (string | number | readonly string[])[];

/** What the service writes, which becomes the message that a client reads. */
class Answering extends ServerResponse {
  readonly answered = Promise.withResolvers<IncomingMessage>();
  private readonly message = new IncomingMessage(this.req.socket);

  constructor(request: IncomingMessage) {
    super(request);
    this.message._read = () => void this.emit('drain');
    this.message.on('error', () => undefined); // its reader has it, if there is one
  }

  override writeHead(...head: [status: number, ...fields: never[]]): this {
    super.writeHead(...head);
    const [status, fields = []] = head as readonly unknown[] as [number, FieldTexts?];
    const texts = fields.map((field) => [field].flat().join(', '));
    this.message.statusCode = status;
    this.message.headers = headersOf(
      texts.flatMap((name, i) => (i % 2 === 0 ? [[name, texts[i + 1] ?? '']] : [])),
    );
    this.answered.resolve(this.message);
    return this;
  }

  override flushHeaders(): void {
    // The head is known already.
  }

  override write(chunk: unknown): boolean {
    return this.message.push(chunk);
  }

  override end(chunk?: unknown, encoding?: unknown): this {
    if (chunk) this.message.push(chunk, encoding as BufferEncoding);
    this.message.complete = true;
    this.message.push(null);
    return this;
  }

  override destroy(): this {
    this.req.socket.destroy();
    return this;
  }

  /** No more is written. */
  fail(): void {
    this.answered.reject(new BrokenAnswer());
    if (!this.message.complete) this.message.destroy(new BrokenAnswer());
  }
}
