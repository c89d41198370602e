export const EMPTY: Buffer = Buffer.alloc(0);

/**
 * Appends a chunk to the first `size` bytes of a buffer, which becomes twice as large if need be. One buffer for all chunks:
 * each has objects of its own, and a client chooses how many there are.
 */
export function append(held: Buffer, size: number, chunk: Buffer): Buffer {
  if (size === 0) return chunk;
  const needed = size + chunk.length;
  const larger = needed > held.length ? Buffer.allocUnsafe(Math.max(needed, 2 * held.length)) : held;
  if (larger !== held) held.copy(larger, 0, 0, size);
  chunk.copy(larger, size);
  return larger;
}

/** Bytes. Buffers of this length share their memory with no others, and to free it is worth its time. */
const LARGE = 49_152;

/** Frees the memory of bytes that nobody needs. A large body would otherwise leave tens of megabytes to the next collection. */
export function free({ length, buffer }: Buffer): void {
  if (length >= LARGE && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
