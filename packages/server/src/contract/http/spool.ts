import { openAsBlob } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { append, EMPTY } from './buffers';
import { handedOn } from './collect';
import { inWords, type Uploads } from './uploads';

/** The maximum size of a file that is kept in memory, and of what is written at once, in bytes. */
const BLOCK = 65_536;

/** The bytes of a file that is being received: in memory up to a size, then in a temporary file. */
export class Spool {
  private size = 0;
  private isSmall = true;
  private held: Buffer = EMPTY;
  private count = 0;
  private onDisk = 0;
  private file: { readonly handle: FileHandle; readonly path: string } | undefined;
  private isOpen = false;
  private isBusy = false;
  private isOver = false;

  /** @param memory the bytes that it may hold in memory, at most 64 kB, before it writes a file */
  constructor(
    private readonly uploads: Uploads,
    private readonly memory: number,
  ) {}

  /** The bytes that are held in memory. */
  get inMemory(): number {
    return this.count;
  }

  /**
   * Adds bytes. Wait for the result before the next call.
   *
   * @throws {Problem} `unavailable` if the quota or the disk is full
   * @throws {Error} after `remove`
   */
  async write(data: Buffer): Promise<void> {
    this.assertUnderWay();
    this.size += data.length;
    if (this.isSmall && this.size <= Math.min(this.memory, BLOCK)) {
      this.held = append(this.held, this.count, data);
      this.count += data.length;
      return;
    }
    if (this.isSmall) this.held = Buffer.concat([this.held.subarray(0, this.count)], BLOCK);
    this.isSmall = false;
    for (let at = 0; at < data.length;) {
      const copied = data.copy(this.held, this.count, at);
      at += copied;
      this.count += copied;
      if (this.count === BLOCK) await this.flush();
    }
  }

  /** Ends the file. It can be read until `remove` is called. */
  async end(name: string, type: string): Promise<File> {
    if (!this.isSmall) await this.flush();
    const content = this.isSmall ? this.held.subarray(0, this.count) : await this.reopen();
    this.held = EMPTY; // a file has a copy of what is in memory
    return new ReceivedFile([content], name, { type });
  }

  private async reopen(): Promise<Blob> {
    await this.close();
    return openAsBlob(this.file?.path ?? '');
  }

  /** Removes the file; at the end of a write, if one is under way. */
  async remove(): Promise<void> {
    this.isOver = true;
    if (this.isBusy) return;
    this.held = EMPTY;
    this.uploads.release(this.onDisk);
    this.onDisk = 0;
    const { file } = this;
    await this.close();
    this.file = undefined;
    if (file) await this.uploads.remove(file.path);
  }

  private async flush(): Promise<void> {
    const { held, count } = this;
    this.uploads.reserve(count);
    this.onDisk += count;
    this.isBusy = true;
    try {
      if (!this.file) {
        this.file = await this.uploads.open();
        this.isOpen = true;
      }
      const { handle } = this.file;
      for (let at = 0; at < count;) at += (await handle.write(held, at, count - at)).bytesWritten;
      this.count = 0;
    } catch (error) {
      throw inWords(error);
    } finally {
      this.isBusy = false;
      if (this.isOver) await this.remove();
    }
    this.assertUnderWay();
  }

  private assertUnderWay(): void {
    if (this.isOver) throw new Error('the exchange has ended, and its files with it');
  }

  private async close(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    await this.file?.handle.close();
  }
}

/** A file whose pieces do not pile up behind its reader. */
class ReceivedFile extends File {
  override stream() {
    const pieces: ReadableStream<Uint8Array<ArrayBuffer>> = super.stream();
    const reader = pieces.getReader();
    return new ReadableStream({
      type: 'bytes',
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          controller.byobRequest?.respond(0);
          return;
        }
        handedOn(value);
        controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    });
  }
}
