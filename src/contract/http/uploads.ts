import { mkdirSync, openAsBlob, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '../problem';
import { append, EMPTY } from './chunks';

/** Where the files of uploads lie until their exchanges end. */
export interface UploadOptions {
  /** It is made if it does not exist. Several processes may share it. */
  readonly folder: string;
  /** Bytes of all files together. */
  readonly quota: number;
}

/** The folder of the system for temporary files, and 1 GiB. */
const USUAL: UploadOptions = { folder: tmpdir(), quota: 2 ** 30 };
/** The maximum size of a file that is kept in memory, in bytes. */
export const MAX_IN_MEMORY = 65_536;
/** Milliseconds after which a folder of another machine that nobody has changed is a leftover. */
const OLD = 24 * 60 * 60 * 1_000;
/** Errors of the operating system that end when files are removed or closed. */
const FULL = ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE'];

const RUN = crypto.randomUUID();
const HOST = encodeURIComponent(hostname());
/** The name of the folder of a process. Machines, and containers whose processes have the same numbers, may share the folder above. */
const OWN = `uploads@${HOST}@${process.pid}@${RUN}`;
const PROCESS_FOLDER = /^uploads@([^@]+)@(\d+)@([\da-f-]{36})$/;

/** The folders of this process that hold files. */
const inUse = new Set<string>();
let isWatching = false;

/** The temporary files of one service. The folder of the process exists while it holds any. */
export class Uploads {
  private readonly folder: string;
  private readonly quota: number;
  private bytes = 0;
  private files = 0;
  private count = 0;

  /**
   * @param memory the maximum size of the values of one body that are kept in memory, in bytes
   * @throws {Error} of the file system, if the folder cannot be made or read
   */
  constructor(
    { folder, quota }: UploadOptions = USUAL,
    readonly memory: number,
  ) {
    mkdirSync(folder, { recursive: true });
    removeLeftovers(folder);
    this.folder = join(folder, OWN);
    this.quota = quota;
  }

  /**
   * Reserves bytes of the quota.
   *
   * @throws {Problem} `unavailable` if that many are not left
   */
  reserve(bytes: number): void {
    if (this.bytes + bytes > this.quota) throw full('the uploads under way fill the space that they may use');
    this.bytes += bytes;
  }

  release(bytes: number): void {
    this.bytes -= bytes;
  }

  /** Opens a new file. `remove` must be called with its path. */
  async open(): Promise<{ readonly handle: FileHandle; readonly path: string }> {
    this.files++;
    inUse.add(this.folder);
    if (!isWatching) process.on('exit', removeInUse);
    isWatching = true;
    const path = join(this.folder, String(++this.count));
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      return { handle: await open(path, 'wx', 0o600), path };
    } catch (error) {
      await this.remove(path);
      throw error;
    }
  }

  /** Removes a file, and the folder after its last file. */
  async remove(path: string): Promise<void> {
    await rm(path, { force: true });
    if (--this.files > 0) return;
    try {
      rmdirSync(this.folder);
      inUse.delete(this.folder);
    } catch {
      // Another service of this process has files in it, and removes it after the last of them.
    }
  }
}

/** The bytes of a file that is being received: in memory up to a size, then in a temporary file. */
export class Spool {
  /** Bytes. */
  size = 0;
  private held: Buffer = EMPTY;
  private inMemory = 0;
  private onDisk = 0;
  private file: { readonly handle: FileHandle; readonly path: string } | undefined;
  private isOpen = false;
  private isWriting = false;
  private isOver = false;

  /** @param most the maximum size in memory, in bytes */
  constructor(
    private readonly uploads: Uploads,
    private readonly most: number,
  ) {}

  /**
   * Adds bytes. Wait for the result before the next call.
   *
   * @returns how many more bytes are held in memory, which may be negative
   * @throws {Problem} `unavailable` if the quota or the disk is full
   */
  async write(data: Buffer): Promise<number> {
    const before = this.inMemory;
    this.size += data.length;
    // Small chunks are collected: each write takes a call of the operating system.
    this.held = append(this.held, before, data);
    this.inMemory += data.length;
    const isSmall = this.file ? this.inMemory < MAX_IN_MEMORY : this.size <= this.most;
    if (!isSmall) await this.flush();
    return this.inMemory - before;
  }

  /** Ends the file. It can be read until `remove` is called. */
  async end(name: string, type: string): Promise<File> {
    if (!this.file) return new File([this.held.subarray(0, this.inMemory)], name, { type });
    await this.flush();
    await this.close(this.file.handle);
    return new File([await openAsBlob(this.file.path)], name, { type });
  }

  /** Removes the file; at the end of a write, if one is under way. */
  async remove(): Promise<void> {
    this.isOver = true;
    if (this.isWriting) return;
    this.held = EMPTY;
    this.uploads.release(this.onDisk);
    this.onDisk = 0;
    const { file } = this;
    this.file = undefined;
    if (!file) return;
    await this.close(file.handle);
    await this.uploads.remove(file.path);
  }

  private async flush(): Promise<void> {
    const data = this.held.subarray(0, this.inMemory);
    this.uploads.reserve(data.length);
    this.onDisk += data.length;
    this.isWriting = true;
    try {
      if (!this.file) {
        this.file = await this.uploads.open();
        this.isOpen = true;
      }
      await this.file.handle.appendFile(data);
    } catch (error) {
      throw inWords(error);
    } finally {
      this.isWriting = false;
      if (this.isOver) await this.remove();
    }
    this.held = EMPTY;
    this.inMemory = 0;
  }

  private async close(handle: FileHandle): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    await handle.close();
  }
}

const full = (message: string, options?: ErrorOptions) =>
  new Problem('unavailable', `${message}: try again later`, { 'Retry-After': '10' }, options);

/** A full disk as a problem; another error unchanged. */
function inWords(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return FULL.includes(code) ? full('there is no space for uploads', { cause: error }) : error;
}

/** Removes the folders of processes that have ended without doing so. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, host, pid, run] = PROCESS_FOLDER.exec(name) ?? [];
    if (host === undefined || run === RUN) continue;
    const path = join(folder, name);
    const isHere = host === HOST;
    if (!(isHere ? hasEnded(Number(pid)) : isOld(path))) continue;
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // That of another user, whose next process removes it.
    }
  }
}

/** Removes the files of requests that the end of the process cuts off. */
function removeInUse(): void {
  for (const folder of inUse) rmSync(folder, { recursive: true, force: true });
}

/** Whether a process has ended. A process of the same number as this one has: a container gives each main process the same. */
function hasEnded(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

function isOld(path: string): boolean {
  const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Date.now() - changed > OLD;
}
