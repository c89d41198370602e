import { fstatSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { FileLike } from './fault';
import { OutgoingBody } from './send';

/** Bytes of a piece. Each has memory of its own: the socket may hold it for longer than the next one takes. */
const PIECE = 65_536;

/** A body of a known length, of which any part can be sent. */
export class FileBody extends OutgoingBody {
  private constructor(private readonly bytes: FileBytes) {
    super(bytes, () => bytes);
  }

  /** @throws {TypeError} if the file handle is closed, or is not one of a regular file */
  static of(file: FileLike): FileBody {
    return new FileBody(new FileBytes(file, file instanceof Blob ? file.size : sizeOf(file)));
  }

  /** Bytes. */
  override get length(): number {
    return this.bytes.end - this.bytes.start;
  }

  /** Reduces the body to a part of it, before it begins. `end` is not included. */
  select(start: number, end: number): this {
    this.bytes.start = start;
    this.bytes.end = end;
    return this;
  }
}

function sizeOf({ fd }: FileHandle): number {
  if (fd < 0) throw new TypeError('expected an open file handle, got one that is closed');
  const stats = fstatSync(fd);
  if (stats.isFile()) return stats.size;
  throw new TypeError('expected the handle of a regular file, got another: return a stream of its bytes');
}

/** Closes its file when it ends, and when `return` is called, even if nothing was read. */
class FileBytes implements AsyncIterableIterator<Uint8Array> {
  start = 0;
  private pieces: AsyncGenerator<Uint8Array, undefined> | undefined;

  constructor(
    private readonly file: FileLike,
    public end: number,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const { file, start, end } = this;
    this.pieces ??= file instanceof Blob ? piecesOfBlob(file, start, end) : piecesOfFile(file, start, end);
    try {
      const step = await this.pieces.next();
      return step.done === true ? await this.return() : step;
    } catch (error) {
      await this.return();
      throw error;
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    if (!(this.file instanceof Blob)) await this.file.close();
    return { done: true, value: undefined };
  }
}

async function* piecesOfFile(file: FileHandle, start: number, end: number) {
  for (let at = start; at < end;) {
    const buffer = Buffer.allocUnsafeSlow(Math.min(PIECE, end - at));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) throw new Error(`the file ends ${end - at} bytes before the length that it had`);
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
  return undefined;
}

/** A piece of the stream of a blob may be all of it. */
async function* piecesOfBlob(blob: Blob, start: number, end: number) {
  for (let at = start; at < end; at += PIECE)
    yield new Uint8Array(await blob.slice(at, Math.min(at + PIECE, end)).arrayBuffer());
  return undefined;
}
