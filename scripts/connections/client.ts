import { connect, type Socket } from 'node:net';
import type { Sent } from './requests';

/** Milliseconds after which a walk has lost its way. */
const PATIENCE = 30_000;

/** A response, as far as it tells which request it belongs to. */
interface Reply {
  readonly status: number;
  readonly id: string | undefined;
  /** Announces the end of the connection. */
  readonly closes: boolean;
}

/** A connection that knows which requests it has sent, and compares each response with its own request. */
export class Client {
  readonly replies: Reply[] = [];
  /** The first thing that was wrong. */
  fault: string | undefined;
  closed = false;
  /** How often 100 Continue has come. */
  continued = 0;
  readonly socket: Socket;
  private received = '';
  private readonly expected: Sent[] = [];
  private waiting: (() => void)[] = [];

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    this.socket.on('error', () => undefined); // `close` follows
    this.socket.on('data', (bytes: Buffer) => {
      this.received += bytes.toString('latin1');
      while (this.fault === undefined && this.readReply());
      this.wake();
    });
    this.socket.on('end', () => this.socket.end());
    const patience = setTimeout(() => {
      this.fault ??= `no end after ${PATIENCE} ms: ${this.lost.map(({ kind }) => kind).join(', ')} without a response`;
      this.wake();
    }, PATIENCE);
    this.socket.on('close', () => {
      clearTimeout(patience);
      this.closed = true;
      this.wake();
    });
  }

  /** Sends a part of the bytes of these requests. */
  send(bytes: string, begun: readonly Sent[]): void {
    this.expected.push(...begun);
    if (this.socket.writable) this.socket.write(bytes, 'latin1');
  }

  /** Resolves once `condition` holds, or once the connection is closed. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition() && !this.closed && (this.fault === undefined || this.socket.destroyed))
      await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** Whether no more responses may come. */
  get isOver(): boolean {
    return this.replies.length >= this.expected.length || this.isEnding;
  }

  /** Whether a response has announced the end of the connection. */
  get isEnding(): boolean {
    return this.replies.at(-1)?.closes === true;
  }

  /** The requests that were sent and have no response, although no earlier response has ended the connection. */
  get lost(): readonly Sent[] {
    return this.isOver ? [] : this.expected.slice(this.replies.length);
  }

  private wake(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  private readReply(): boolean {
    const end = this.received.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const head = this.received.slice(0, end);
    const field = (name: string): string | undefined =>
      new RegExp(`^${name}: *(.*)$`, 'im').exec(head)?.[1]?.trim();
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
    if (status === 100) {
      this.continued++;
      this.received = this.received.slice(end + 4);
      return true;
    }
    const sent = this.expected[this.replies.length];
    if (!sent) {
      this.fault = `a response without a request: ${head.slice(0, 100)}`;
      return false;
    }
    const length = sent.isHead ? 0 : Number(field('content-length') ?? 0);
    if (this.received.length < end + 4 + length) return false;
    this.received = this.received.slice(end + 4 + length);
    const id = field('x-request-id');
    if (!sent.statuses.includes(status) || (sent.id !== undefined && id !== sent.id))
      this.fault = `${sent.kind}: expected ${sent.statuses.join(' or ')} for ${String(sent.id)}, got ${status} for ${String(id)}`;
    else if (this.isEnding) this.fault = `${sent.kind}: a response after the last one`;
    this.replies.push({ status, id, closes: /^connection: *close$/im.test(head) });
    return true;
  }
}
