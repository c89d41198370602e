import type { Socket } from 'node:net';

/** Milliseconds without a byte for the client. */
const LINGER = 1_000;

/**
 * Closes a connection of which one side is closed. If the client has closed its side, it may have left: it waits for each response
 * for this time. If the server has, the client has this time to read the last response and to close its side.
 */
export class Linger {
  private timer: NodeJS.Timeout | undefined;
  /** Bytes that were written when the timer began. */
  private written = 0;

  /** @param isReady whether the next request may be parsed: while it may, the client is waited for */
  constructor(
    private readonly socket: Socket,
    private readonly isReady: () => boolean,
  ) {}

  /** Begins the time, or begins it anew. */
  begin(): void {
    this.timer = this.timer?.refresh() ?? setTimeout(this.leave, LINGER);
  }

  cancel(): void {
    clearTimeout(this.timer);
  }

  private readonly leave = (): void => {
    const { bytesWritten, writableLength } = this.socket;
    if (!this.isReady() && writableLength === 0 && bytesWritten === this.written) this.socket.destroy();
    else this.timer?.refresh();
    this.written = bytesWritten;
  };
}
