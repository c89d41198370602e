import type { Duplex } from 'node:stream';

/** Bytes of responses that wait for their clients, in all. */
const MOST = 67_108_864;

/**
 * Bounds the bytes of responses that clients do not read. A connection has one response at a time. Beyond the bound the
 * connection with the most bytes is closed. One response that exceeds the bound alone does not count: it passes.
 *
 * Counting takes time for each connection, so it is done once for each quarter of the bound that was left to wait. So a
 * quarter may wait beyond the bound, and the cost of a byte does not depend on how much waits already.
 */
export class Unsent {
  /** Bytes that writes have left to wait since the last count. */
  private added = 0;

  /** @param closed called for each connection that is closed */
  constructor(
    private readonly sockets: ReadonlyMap<Duplex, unknown>,
    private readonly closed: () => void,
    private readonly most = MOST,
  ) {}

  /** Called with the bytes that a write has left to wait. */
  wrote(bytes: number): void {
    this.added += bytes;
    if (this.added > this.most / 4) this.relieve();
  }

  private relieve(): void {
    this.added = 0;
    const open = [...this.sockets.keys()].filter(({ destroyed }) => !destroyed);
    const waiting = open.map((socket) => ({ socket, bytes: socket.writableLength }));
    let sum = 0;
    for (const { bytes } of waiting) sum += bytes;
    if (sum <= this.most) return;
    waiting.sort((a, b) => b.bytes - a.bytes);
    if ((waiting[0]?.bytes ?? 0) > this.most) sum -= waiting.shift()?.bytes ?? 0;
    for (const { socket, bytes } of waiting) {
      if (sum <= this.most) return;
      sum -= bytes;
      this.closed();
      socket.destroy();
    }
  }
}
