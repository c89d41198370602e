import { openAsBlob } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { append, EMPTY } from './chunks';
import { inWords, type Uploads } from './uploads';

/** The maximum size of a file that is kept in memory, and of what is written at once, in bytes. */
const BLOCK = 65_536;

/** The bytes of a file that is being received: in memory up to a size, then in a temporary file. */
export class Spool {
  private size = 0;
  private isSmall = true;
  private held: Buffer = EMPTY;
  /** The bytes that are held. */
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

  /**
   * Adds bytes. Wait for the result before the next call.
   *
   * @returns how many more bytes are held in memory, which may be negative
   * @throws {Problem} `unavailable` if the quota or the disk is full
   * @throws {Error} after `remove`
   */
  async write(data: Buffer): Promise<number> {
    this.assertUnderWay();
    const before = this.count;
    this.size += data.length;
    if (this.isSmall && this.size <= Math.min(this.memory, BLOCK)) {
      this.held = append(this.held, before, data);
      this.count += data.length;
      return data.length;
    }
    if (this.isSmall) this.held = Buffer.concat([this.held.subarray(0, before)], BLOCK);
    this.isSmall = false;
    for (let at = 0; at < data.length;) {
      const copied = data.copy(this.held, this.count, at);
      at += copied;
      this.count += copied;
      if (this.count === BLOCK) await this.flush();
    }
    return this.count - before;
  }

  /** Ends the file. It can be read until `remove` is called. */
  async end(name: string, type: string): Promise<File> {
    if (this.isSmall) return new File([this.held.subarray(0, this.count)], name, { type });
    await this.flush();
    await this.close();
    return new File([await openAsBlob(this.file?.path ?? '')], name, { type });
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
