import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes of pieces that were handed on, after which those that nobody holds any longer are collected. */
const AFTER = 8_388_608;

let collect: ((options: { type: 'minor' }) => void) | undefined;
let bytes = 0;

/**
 * Counts the bytes of a piece, and collects the young objects once there are many: about a millisecond. V8 counts the memory of
 * buffers apart from its heap, and lets some 100 MB of it pile up behind the reader of a large body.
 */
export function handedOn(piece: Uint8Array): void {
  bytes += piece.length;
  if (bytes < AFTER) return;
  bytes = 0;
  if (!collect) {
    setFlagsFromString('--expose-gc'); // in new contexts only
    collect = runInNewContext('gc') as typeof collect;
  }
  collect?.({ type: 'minor' });
}
