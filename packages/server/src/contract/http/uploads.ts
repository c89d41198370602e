import { branded } from '../brand';
import { accessSync, constants, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '../problem';

/** Where the files of uploads lie until their exchanges end. */
export interface UploadOptions {
  /** It is made if it does not exist. Several processes may share it. */
  readonly folder: string;
  /** Bytes of all files together. */
  readonly quota: number;
}

/** The folder of the system for temporary files, and 1 GiB. */
const USUAL: UploadOptions = { folder: tmpdir(), quota: 2 ** 30 };
/** Milliseconds after which a folder of another machine that nobody has changed is a leftover. */
const OLD = 24 * 60 * 60 * 1_000;
/** Errors of the operating system that end when files are removed or closed. */
const FULL = ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE'];

const HOST = encodeURIComponent(hostname());
/** The names of folders of a process. Machines, and containers whose processes have the same numbers, may share the folder above. */
const PROCESS_FOLDER = /^uploads@([^@]+)@(\d+)@[\da-f-]{36}$/;

/** The folders of this process that hold files. Several services may share the folder above. */
const inUse = new Set<string>();
/** How many files the process has made. Each has its number as its name. */
let made = 0;
let isWatching = false;
/** When the process began, in milliseconds since 1970. */
const BEGAN = Date.now() - process.uptime() * 1_000;

/** Files cannot be made in the folder of uploads. */
export class UnusableFolder extends Error {
  override name = 'UnusableFolder';
}
branded(UnusableFolder, 'UnusableFolder');

/** The temporary files of one service. Their folder exists while it holds any. */
export class Uploads {
  /** The folder above, which other users may share. */
  private readonly above: string;
  private readonly quota: number;
  private bytes = 0;
  private files = 0;
  private folder: string | undefined;

  /**
   * @param memory the bytes of one body in memory, beyond which each of its files lies on the disk
   * @throws {UnusableFolder}
   */
  constructor(
    { folder, quota }: UploadOptions = USUAL,
    readonly memory: number,
  ) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      const message = `expected a writable folder, got ${JSON.stringify(folder)} (${String(codeOf(error))})`;
      throw new UnusableFolder(message, { cause: error });
    }
    removeLeftovers(folder);
    this.above = folder;
    this.quota = quota;
  }

  /**
   * Reserves bytes of the quota.
   *
   * @throws {Problem} `unavailable` if that many are not left
   */
  reserve(bytes: number): void {
    if (this.bytes + bytes > this.quota) throw full('the uploads in progress use all the space for uploads');
    this.bytes += bytes;
  }

  release(bytes: number): void {
    this.bytes -= bytes;
  }

  /** Opens a new file. `remove` must be called with its path. */
  async open(): Promise<{ readonly handle: FileHandle; readonly path: string }> {
    if (!isWatching) process.on('exit', removeInUse);
    isWatching = true;
    this.files++;
    let path = '';
    try {
      this.folder ??= this.makeFolder();
      path = join(this.folder, String(++made));
      return { handle: await open(path, 'wx', 0o600), path };
    } catch (error) {
      await this.remove(path);
      throw error;
    }
  }

  /** Removes a file, and the folder after its last file. */
  async remove(path: string): Promise<void> {
    await rm(path, { force: true });
    if (--this.files > 0 || this.folder === undefined) return;
    inUse.delete(this.folder);
    rmSync(this.folder, { recursive: true, force: true });
    this.folder = undefined;
  }

  /** Each has a name that nobody knows before: another user could make a folder whose name is known. */
  private makeFolder(): string {
    const folder = join(this.above, `uploads@${HOST}@${process.pid}@${crypto.randomUUID()}`);
    mkdirSync(folder, { mode: 0o700 }); // fails if it exists
    inUse.add(folder);
    return folder;
  }
}

const codeOf = (error: unknown): unknown => (error as Partial<NodeJS.ErrnoException>).code;

const full = (message: string, options?: ErrorOptions) =>
  new Problem('unavailable', `${message}: try again later`, { 'Retry-After': '10' }, options);

/** A full disk as a problem; another error unchanged. */
export function inWords(error: unknown): unknown {
  return FULL.includes(String(codeOf(error)))
    ? full('there is no space for uploads', { cause: error })
    : error;
}

/** Removes the folders of processes that have ended without doing so. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, host, pid] = PROCESS_FOLDER.exec(name) ?? [];
    const path = join(folder, name);
    if (host === undefined || inUse.has(path)) continue;
    const changed = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (host === HOST ? !hasEnded(Number(pid), changed) : Date.now() - changed <= OLD) continue;
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

/**
 * Whether the process has ended that has last changed a folder. A container gives each main process the same number; a thread
 * of this process has folders of its own.
 */
function hasEnded(pid: number, changed: number): boolean {
  if (pid === process.pid) return changed < BEGAN;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
}
