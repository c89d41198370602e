import type { Duplex } from 'node:stream';

/** Bytes of responses that wait for their clients, in all. */
const MOST = 67_108_864;

/**
 * Bounds the bytes of responses that clients do not read. A connection has one response at a time. Beyond the bound the
 * connection with the most bytes is closed. One response that exceeds the bound alone does not count: it passes.
 */
export class Unsent {
  /** At least the bytes that wait. Counting them takes time for each connection. */
  private estimate = 0;

  constructor(
    private readonly sockets: ReadonlyMap<Duplex, unknown>,
    private readonly most = MOST,
  ) {}

  /** Called after bytes were written to a connection. */
  wrote(bytes: number): void {
    this.estimate += bytes;
    if (this.estimate > this.most) this.relieve();
  }

  private relieve(): void {
    const waiting = [...this.sockets.keys()].filter(({ writableLength }) => writableLength > 0);
    waiting.sort((a, b) => b.writableLength - a.writableLength);
    if ((waiting[0]?.writableLength ?? 0) > this.most) waiting.shift();
    this.estimate = waiting.reduce((sum, { writableLength }) => sum + writableLength, 0);
    for (const socket of waiting) {
      if (this.estimate <= this.most) return;
      this.estimate -= socket.writableLength;
      socket.destroy();
    }
  }
}
