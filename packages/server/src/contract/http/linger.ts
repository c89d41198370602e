/** What it needs of a socket. */
interface Side {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly writableLength: number;
  readonly destroy: () => unknown;
}

/**
 * Periods without a byte, for the client or from it, and the milliseconds of each. There are two: the timer of one may be late
 * because the server itself stood still, and then fires before the bytes that have arrived meanwhile are read.
 */
const [QUIET, PERIOD] = [2, 500];
/** Milliseconds in which a client may go on sending. nginx has the same default: lingering_time. */
const MOST = 30_000;

/**
 * Closes a connection of which one side is closed. If the client has closed its side, it may have left: it waits for each response
 * for this time. If the server has, the client has this time to read the last response and to close its side. Many clients read
 * nothing until they have sent all, and lose the response if the connection is closed before: so the time begins anew while they
 * send, up to a bound.
 */
export class Linger {
  private timer: NodeJS.Timeout | undefined;
  /** Bytes that were written, and read, when the timer began. */
  private written = 0;
  private read = 0;
  private began = 0;
  /** Periods without a byte until now. */
  private quiet = 0;

  /** @param isReady whether the next request may be parsed: while it may, the client is waited for */
  constructor(
    private readonly socket: Side,
    private readonly isReady: () => boolean,
  ) {}

  /** Begins the time, or begins it anew. */
  begin(): void {
    this.began = performance.now();
    this.read = this.socket.bytesRead;
    this.quiet = 0;
    this.timer = this.timer?.refresh() ?? setTimeout(this.leave, PERIOD);
  }

  cancel(): void {
    clearTimeout(this.timer);
  }

  private readonly leave = (): void => {
    const { bytesRead, bytesWritten, writableLength } = this.socket;
    const isSending = bytesRead !== this.read && performance.now() - this.began < MOST - QUIET * PERIOD;
    const isReading = writableLength > 0 || bytesWritten !== this.written;
    this.quiet = this.isReady() || isReading || isSending ? 0 : this.quiet + 1;
    if (this.quiet === QUIET) this.socket.destroy();
    else this.timer?.refresh();
    this.written = bytesWritten;
    this.read = bytesRead;
  };
}
